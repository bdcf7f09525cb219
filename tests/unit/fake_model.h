/* fake_model - a server that answers as a language model would, or as one would not: on a loop of its
 * own with the provider that asks it. Every wait has a bound. In texts, ' stands for ". */
#pragma once
#include "base/host.h"
#include "harness.h"
#include "net/egress.h"
#include "net/http_server.h"
#include "provider/http_model.h"

/* In a body: wait so long here. */
#define FAKE_PAUSE "\x01"

enum fake_ending {
	FAKE_END,  /* in good order */
	FAKE_CUT,  /* the connection breaks */
	FAKE_HANG, /* it stays open and nothing comes */
};

struct fake_answer {
	int status;       /* 0: 200; below 0: no answer ever */
	const char *type; /* NULL: text/event-stream */
	const char *retry_after, *retry_after_ms;
	const char *body;
	int64_t pause_ms;
	enum fake_ending ending;
};

/* What the three dialects say. */
struct fake_dialect {
	const char *name, *path, *key_header;
	struct provider *(*open)(const struct http_model_config *config);
	const char *begin;     /* of every stream, with usage where it comes first */
	const char *think_hm;  /* thinks "hm" */
	const char *say_hello; /* "héllo wörld," in two pieces */
	const char *say_more;  /* " again and again" */
	const char *say_a, *say_b;
	const char *call, *two_calls; /* look with {"x":1}; and see with {} */
	const char *overloaded;       /* an error in the stream */
	const char *end, *end_calls;  /* 12 tokens in, 3 out */
	const char *whole;            /* "a", not streamed */
	const char *too_long;         /* the body of a 400 */
};
extern const struct fake_dialect FAKE_DIALECTS[3];
enum { FAKE_ANTHROPIC, FAKE_CHAT, FAKE_RESPONSES };

struct fake_model {
	struct loop *loop;
	struct host *host;
	struct egress *egress;
	struct http_server *server;
	struct loop_timer *bound;
	struct list open;
	char base_url[64];
	struct fake_answer answer; /* to every request from now on */
	unsigned requests;
	struct buf path, headers, body; /* of the last request */
};

void fake_model_init(struct fake_model *f);
void fake_model_release(struct fake_model *f);
/* A provider named acme of that dialect; its key is in $FAKE_KEY, "sk-fake-0123456789abcdef". */
struct provider *
fake_model_open(struct fake_model *f, const struct fake_dialect *d, int64_t idle_ms);
/* Runs for a while. */
void fake_model_run(struct fake_model *f, int64_t ms);
/* Runs until *number is there; fails when it takes too long. */
void fake_model_await(struct fake_model *f, const size_t *number, size_t least);
/* One after the other, ' as ". */
void fake_model_say(struct fake_model *f, const char *const *parts, size_t count);

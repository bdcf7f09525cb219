/* answer - what was heard of a model's answer so far.
 *
 * A dialect tells it what the stream says, in the dialect's order; it tells the port's events: text and
 * thinking at once, calls and reasoning when the answer is whole. Calls wait because only the end says
 * whether they are: one that the length limit cut off must not run. Until then they are signs of life.
 * The first failure counts, and nothing is listened to after it. */
#pragma once
#include "base/arena.h"
#include "base/buf.h"
#include "base/json.h"
#include "base/vec.h"
#include "provider/provider.h"

enum { ANSWER_BYTES_MAX = 16 << 20, ANSWER_CALLS_MAX = 512 };

struct answer_call {
	int64_t index; /* the dialect's number of it; -1: none */
	struct str id, name;
	struct str extra; /* a JSON object that goes back with it; empty: none */
	struct buf arguments;
	bool whole; /* so the peer says, or something follows it */
};

struct answer {
	const struct provider_events *events;
	void *ctx;
	struct str from;      /* "acme/model": who answers */
	struct str secret;    /* must not be in any sentence */
	struct arena arena;   /* as long as the answer */
	struct arena scratch; /* as long as an event of the stream */
	VEC(struct answer_call) calls;
	struct buf thought, signature; /* of the thinking block that is open */
	const char *thought_name;      /* the member it came under, in a dialect with several */
	struct buf kept;               /* reasoning to be returned: a list of provider/reasoning */
	bool spoke, thought_aloud, refused;
	bool begun;     /* the port knows that somebody answers */
	bool in_pieces; /* arguments were heard before the call they belong to */
	struct usage usage;
	enum provider_stop stop;
	bool stopped;  /* the model said why it stopped */
	bool complete; /* the end marker came */
	bool failed;
	enum model_failure failure;
	struct err err;
	bool muted; /* cancelled: tells nothing any more */
};

/* from and secret must stay. */
void answer_init(struct answer *a, const struct provider_events *events, void *ctx);
void answer_release(struct answer *a);
/* Nothing that follows matters. */
bool answer_is_over(const struct answer *a);

/* A sign of life: a piece of what is told later, or that the answer has begun. */
void answer_heard(struct answer *a, struct str piece);
void answer_text(struct answer *a, struct str piece);
void answer_thinking(struct answer *a, struct str piece);
/* The same, and it is added to the thought, which may have to go back. */
void answer_thought(struct answer *a, struct str piece);
/* Begins a call; NULL: there are too many, and the answer failed. */
struct answer_call *
answer_call_new(struct answer *a, int64_t index, struct str id, struct str name);
/* Something else begins: the call before it is whole. */
void answer_call_end(struct answer *a);
/* The last call of that index; NULL: none. */
struct answer_call *answer_call_find(struct answer *a, int64_t index);
void answer_arguments(struct answer *a, struct answer_call *call, struct str piece);
/* A JSON object that goes back to the provider, at the place where the answer is now, or at another. */
void answer_keep(struct answer *a, struct str item);
void answer_keep_at(struct answer *a, size_t at, struct str item);
void answer_stop(struct answer *a, enum provider_stop stop);

/* What a failure of that kind says begins with who answers; secrets are taken out. */
void
answer_fail(struct answer *a, enum model_failure failure, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* The last events. The answer is complete or failed. */
void answer_finish(struct answer *a, int64_t retry_after_ms);

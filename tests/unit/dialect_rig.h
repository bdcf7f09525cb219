/* dialect_rig - a dialect without a network: what it writes for a request, and what it tells of a
 * stream, as texts to compare. In every text a test hands in, ' stands for ". */
#pragma once
#include "harness.h"
#include "provider/answer_stream.h"

/* One event of a stream; NAMED is how Anthropic and the responses API send them. */
#define EVENT(json)       "data: " json "\n\n"
#define NAMED(name, json) "event: " name "\ndata: " json "\n\n"

/* What the port heard: "say hello" (with every piece), (hm) for thinking, {...} for reasoning data,
 * call(id name arguments), lost(id name), then end|tools|length|refusal in+out r read+write, or !failure sentence. */
struct dialect_trace {
	struct buf out;
	struct buf
		heard; /* signs of life: a dot for each, prompt tokens that are known, the piece */
	size_t ends;
	struct answer *mute_at_once; /* cancels from inside the first event; NULL: never */
};
void dialect_trace_init(struct dialect_trace *t);
void dialect_trace_release(struct dialect_trace *t);
extern const struct provider_events DIALECT_TRACE; /* ctx: the trace */

/* The stream, whole, cut in two at every place, and byte by byte, is told as want. */
void dialect_check_stream(const struct dialect *d, const char *stream, const char *want);
/* The same for an answer that came whole. */
void dialect_check_whole(const struct dialect *d, const char *body, const char *want);
/* The signs of life on the way. */
void dialect_check_heard(const struct dialect *d, const char *stream, const char *want);
/* The request, as acme/m, or as OpenAI's own service. */
void dialect_check_body(const struct dialect *d, bool openai, const struct provider_request *q,
			const char *want);

/* A request with a bit of everything: system, images, parallel calls with results, reasoning of its own
 * and of a stranger, tools. */
extern const struct provider_request DIALECT_FULL;
/* A call by a name that no provider takes, and its result. */
extern const struct provider_request DIALECT_MADE_UP;
/* Only "hi". */
extern const struct provider_request DIALECT_PLAIN;

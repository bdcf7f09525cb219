/* provider - a language model behind one streaming call.
 *
 * One thread, asynchronous: provider_start returns at once, events follow, the last of them is
 * exactly one on_done or on_failed. No event comes from inside start or cancel, and none after
 * cancel. Adapters: demo (built in, deterministic, needs no key), scripted (tests), later the HTTP
 * dialects. tests/contract holds for all of them. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"
#include "base/str.h"
#include "core/message.h"
#include "core/model_failure.h"
#include "core/usage.h"

struct provider_tool {
	struct str name, description;
	struct str input_schema; /* JSON object */
};

/* Everything it points to must stay until the last event or the cancel. */
struct provider_request {
	struct str model;  /* without the provider's prefix */
	struct str system; /* the system prompt; empty: none */
	const struct message *messages;
	size_t message_count;
	const struct provider_tool *tools;
	size_t tool_count;
	int64_t max_output_tokens;
	struct str effort;    /* low, medium, high, xhigh or max; empty: as the model is used to */
	struct str cache_key; /* the session: what a provider may key its prompt cache by */
};

enum provider_stop {
	PROVIDER_STOP_END,    /* the model is done */
	PROVIDER_STOP_TOOLS,  /* it waits for the results of its calls */
	PROVIDER_STOP_LENGTH, /* max_output_tokens were used up */
	PROVIDER_STOP_CUT,    /* the same, and a call was lost by it or nothing was said */
	PROVIDER_STOP_REFUSAL,
};

struct provider_failure {
	enum model_failure kind;
	int64_t retry_after_ms; /* what the peer asked for; -1: nothing */
	const struct err *err;  /* a sentence for people, without secrets */
	struct usage usage;     /* what the peer had told of it by then; all 0: nothing */
};

/* Pieces add up: text and thinking in order; a tool call comes whole, or is lost: the length limit cut it
 * off, and it must not run. Lost ones are told in the order of the others. Texts are good during the
 * call. */
struct provider_events {
	void (*on_text)(void *ctx, struct str piece);
	void (*on_thinking)(void *ctx, struct str piece);
	/* What must be returned to the provider with the thinking it belongs to (signatures). */
	void (*on_thinking_data)(void *ctx, struct str data);
	void (*on_call)(void *ctx, const struct tool_call *call);
	void (*on_lost_call)(void *ctx, const struct tool_call *call); /* has no arguments */
	/* A sign of life: the answer has begun, or a piece of a call's arguments came, which on_call tells
	 * once the call is whole. An adapter may leave it out. told: the usage that is known by then. */
	void (*on_heard)(void *ctx, struct str piece, const struct usage *told);
	void (*on_done)(void *ctx, enum provider_stop stop, const struct usage *usage);
	void (*on_failed)(void *ctx, const struct provider_failure *failure);
};

struct provider;
struct provider_call; /* one request on its way; gone after its last event or cancel */

struct provider_ops {
	struct provider_call *(*start)(struct provider *p, const struct provider_request *request,
				       const struct provider_events *events, void *ctx);
	void (*cancel)(struct provider_call *call);
	void (*free)(struct provider *p);
};
struct provider { /* first member of the adapter's own struct */
	const struct provider_ops *ops;
	struct str name;
	int64_t context_tokens; /* the window when nobody says otherwise */
};

/* scripted - a model that says what a test wrote down for it, request by request.
 * A request that comes when the script is over is answered with "over". */
#pragma once
#include "base/host.h"
#include "provider/provider.h"

enum scripted_kind {
	SCRIPTED_TEXT,
	SCRIPTED_THINKING,
	SCRIPTED_THINKING_DATA,
	SCRIPTED_CALL,
	SCRIPTED_LOST_CALL,
	SCRIPTED_HEARD, /* text: a piece of arguments, or none */
	SCRIPTED_WAIT,  /* wait_ms; -1: for ever */
	SCRIPTED_DONE,  /* ends the request */
	SCRIPTED_FAIL,  /* the same */
};
struct scripted_step {
	enum scripted_kind kind;
	struct str text; /* said or thought; a failure's sentence */
	struct tool_call call;
	int64_t wait_ms;
	enum provider_stop stop;
	enum model_failure failure;
	int64_t retry_after_ms; /* 0: the peer asked for none */
	struct usage usage;     /* that a failure or a sign of life tells of */
	bool tells_no_usage;    /* DONE */
};

struct provider *provider_scripted_new(struct host *host);
/* The steps of all requests to come, in order; they must stay. */
void provider_scripted_play(struct provider *p, const struct scripted_step *steps, size_t count);
/* Called with every request before its first event; the request is good during the call. */
void provider_scripted_watch(struct provider *p,
			     void (*on_request)(void *ctx, const struct provider_request *request),
			     void *ctx);
/* Requests on their way. */
size_t provider_scripted_open(const struct provider *p);

/* context - what a model request is made of: the agent as the session runs it, and the transcript. */
#pragma once
#include "core/agent_run.h"
#include "core/tool_offer.h"
#include "engine/agent_cache.h"
#include "engine/context_lane.h"
#include "engine/engine_private.h"

/* The agent's definition, or the session's own snapshot of it, the provider of its model, and the
 * tools it is offered where the session's environment is. */
struct context_setup {
	struct cached_agent *agent; /* what is prepared of it */
	struct agent_run run;
	struct provider *provider; /* NULL: problem says why */
	struct str model;          /* as the log names it */
	struct str provider_model; /* as the provider does */
	struct engine_model_terms terms;
	struct str problem;
	struct context_lane lane; /* the conversation it is in */
	int64_t session_budget;   /* picodollars, or BUDGET_UNLIMITED */
	struct tool_offer offer;
	struct approval_rules rules;       /* of agent, operator and session */
	struct tool_place place;           /* as its environment says: context_setup_place */
	const struct tool_server *servers; /* that may be called */
	size_t server_count;
	const struct turn_trouble *troubles; /* servers that do not answer */
	size_t trouble_count;
};
typedef void
context_setup_fn(void *ctx, int rc, const struct err *err, const struct context_setup *setup);
/* Texts live in a, which must stay until done and belongs to the job until then, or with the prepared
 * agent, which is there during the call. model, which must stay as long, is what the message asks for;
 * empty: nothing. An agent or a model that is not there is no error but the setup's problem. */
void context_setup_load(struct engine *en, const struct store_session *session, struct str model,
			struct arena *a, context_setup_fn *done, void *ctx);
/* Whoever needs the setup for longer than the call keeps it, and releases it once. */
void context_setup_keep(const struct context_setup *setup);
void context_setup_release(struct context_setup *setup);
/* Where its tools run. The session's own folder is made when something is about to run there: most turns
 * call nothing. A new path lives in a. */
struct tool_place
context_setup_place(struct engine *en, const struct context_setup *setup, struct arena *a);
/* The server stops: those that still wait for tools to be listed fail at once. */
void context_setup_abandon_all(struct engine *en);

struct context; /* one request: its transcript being read, then the request itself */

struct context_ask {
	struct str session;
	const struct context_setup *setup; /* must stay */
	bool shared;                       /* several people speak in it */
	bool aggressive;
	struct str note;
};
typedef void context_fn(void *ctx, int rc, const struct err *err);
struct context *
context_load(struct engine *en, const struct context_ask *ask, context_fn *done, void *ctx);
/* After done with rc 0; good until the context is freed. */
const struct provider_request *context_request(const struct context *c);
/* Its size, never too small. */
int64_t context_tokens(struct context *c);
/* Also while it is being read: done is not called any more. */
void context_free(struct context **c);

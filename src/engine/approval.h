/* approval - which rules hold in a session, and questions that settle themselves.
 * Confirmations that the server gives in a person's stead are events like a person's, written by the
 * system: one path for all of them. */
#pragma once
#include "engine/agent_cache.h"
#include "engine/engine_private.h"
#include "engine/look.h"

/* What "allow always" to one call allows. id: "<session>/<call>", owner: session; body as
 * core/approval_always writes it. */
#define RECORD_APPROVAL STR("approval")

/* The agent's rules, the operator's, then the session's own; in the arena that was given. agent NULL: it
 * is looked up. session must stay until done. */
typedef void
approval_rules_fn(void *ctx, int rc, const struct err *err, struct approval_rules rules);
void approval_rules_load(struct engine *en, const struct store_session *session,
			 struct cached_agent *agent, struct arena *a, approval_rules_fn *done,
			 void *ctx);

/* Looks at the open questions of a parked turn. NULL: none of them settles itself now; *due_ms is when
 * to look again, 0: only when something happens. */
struct commit;
struct commit *approval_settle(struct look *l, int64_t *due_ms);

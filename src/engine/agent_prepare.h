/* agent_prepare - reads what of an agent does not change from turn to turn: its definition or the session's
 * own snapshot of it, the rules of its latest version, the environment, the servers they bring, the
 * session's budget. */
#pragma once
#include "engine/agent_cache.h"

/* rc 0: the agent is in use by whoever is told, and kept for the next turn if it may be. An agent that is
 * gone is no error but its problem. */
typedef void agent_prepare_fn(void *ctx, int rc, const struct err *err, struct cached_agent *agent);
/* session must stay until done. */
void agent_prepare(struct engine *en, const struct store_session *session, agent_prepare_fn *done,
		   void *ctx);

/* admission - which agents admit the caller, and what may its users choose there?
 * What agents grant (core/agent_rights) is read at the start and kept at hand, as far as it is not what
 * every agent grants. Whoever an agent does not admit is told what an unknown id is told, here and
 * nowhere else.
 *
 * Roles that users have with single agents would be looked up here, too; there are none yet. */
#pragma once
#include "core/agent_rights.h"
#include "engine/engine_private.h"

struct admission *admission_new(struct engine *en);
void admission_free(struct admission **ad);
void admission_load(struct admission *ad, void (*done)(void *ctx, int rc, const struct err *err),
		    void *ctx);
/* The agent was made or changed: current is its record's body from now on. */
void admission_put(struct admission *ad, struct str agent, struct json current);

/* Of an agent that is not known what every agent grants. Good until the loop goes round. */
const struct agent_rights *admission_rights(const struct admission *ad, struct str agent);
/* ERR_NOT_FOUND in the words of engine/catalog about an agent that is not there; ERR_DENIED: the caller
 * knows it, but an owner is needed. Of an agent that is not there 0 or either. */
NODISCARD int admission_check(struct engine *en, const struct engine_caller *caller,
			      enum access_verb verb, struct str agent, struct err *e);
bool admission_admits(struct engine *en, const struct engine_caller *caller, struct str agent);
/* The agents that do not admit the caller, in a; of owners none. */
struct str_list
admission_hidden(struct engine *en, const struct engine_caller *caller, struct arena *a);

/* agent_roster - which agents may a coordinator call, and at which version?
 * A body says {"type":"coordinator","agents":[id | {"type":"agent","id","version"?} |
 * {"type":"self"}]}; the stored form names a version of each. Callable is an agent that exists, is
 * not archived and is no coordinator itself. */
#pragma once
#include "core/definition.h"

enum { AGENT_ROSTER_MAX = 20 };

/* The body names it; whoever looks it up adds the rest. */
struct agent_ref {
	struct str id;
	int64_t pinned;  /* the version the body wants; 0: the current one */
	int64_t version; /* its current one; 0: there is no such agent */
	bool archived, coordinates;
};
struct agent_roster {
	struct agent_ref *refs;
	size_t count;
};

/* The other agents that body's multiagent names, to be looked up. id: of the agent itself. */
NODISCARD int agent_roster_read(struct json body, struct str id, struct arena *a,
				struct agent_roster *out, struct err *e);
/* The member multiagent; d->facts is the roster, looked up. */
NODISCARD int
agent_roster_write(struct definition *d, struct json v, struct json now, struct err *e);
/* Kept as it is, but the agent itself is meant at the version being written. */
void agent_roster_keep(struct definition *d, struct json now);

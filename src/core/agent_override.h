/* agent_override - which change of an agent takes an owner?
 * Whoever uses an agent may leave out some of its tools and servers, and add tools that they execute
 * themselves; whatever else it could call, or could call without being asked, is an owner's to say. Pure. */
#pragma once
#include "base/arena.h"
#include "base/json.h"

/* "tools" or "mcp_servers", whichever wanted changes in a way that takes an owner; NULL: neither. base: the
 * agent as it is, wanted: as it would be; both as core/agent_def writes them. */
const char *agent_override_of_owners(struct json base, struct json wanted, struct arena *a);

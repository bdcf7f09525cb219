/* agent_rights - what does an agent's definition let its users do?
 * Who is admitted, and which environments and models those who are no owners may choose. It is read from
 * the definition as it is now, whatever version a session runs: an older version grants nothing that was
 * taken back. Pure. */
#pragma once
#include "base/arena.h"
#include "base/json.h"
#include "base/str.h"
#include "core/access_policy.h"

/* Of agents that list no environments. */
#define AGENT_RIGHTS_ENVIRONMENT STR("local-default")

struct agent_rights {
	enum access_level level;
	struct str_list environments; /* the first is where its sessions are opened */
	struct str_list models;       /* beside the one that is asked anyway */
};

/* Of a stored agent; lists and texts in a. What is absent grants nothing, but for the level: public. */
void agent_rights_read(struct json current, struct arena *a, struct agent_rights *out);
/* Is it what every agent has that says nothing about it? */
bool agent_rights_are_usual(const struct agent_rights *r);

/* Where a session is opened that names no environment. */
struct str agent_rights_environment(const struct agent_rights *r);
/* May its users choose it? Of an agent that lists none the default is the only one. */
bool agent_rights_has_environment(const struct agent_rights *r, struct str environment);
bool agent_rights_has_model(const struct agent_rights *r, struct str model);

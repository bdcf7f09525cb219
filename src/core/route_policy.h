/* route_policy - is this message only stored, or does it also run a turn?
 * In a direct conversation everything does. In a room the owner always does, everybody else when
 * they mention the agent. What the owner says to the room at large is marked, so that the model
 * can choose silence. Pure and total. */
#pragma once
#include <stdbool.h>
#include "base/str.h"
#include "core/principal.h"

/* Before the text of an undirected message that still triggers; the group prompt explains it. */
#define ROUTE_PREFIX STR("[not directed at you] ")

struct route_facts {
	bool in_room;          /* a group session, or a room's lane that is isolated per user */
	enum role sender_role; /* as it counts for this message (source_role) */
	bool mentioned;        /* not known to be mentioned is not mentioned */
};
struct route_decision {
	bool trigger;
	struct str prefix; /* ROUTE_PREFIX or absent (ptr NULL) */
};

struct route_decision route_policy_decide(const struct route_facts *f);

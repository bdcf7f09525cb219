#include "core/route_policy.h"

struct route_decision
route_policy_decide(const struct route_facts *f)
{
	if (!f->in_room || f->mentioned)
		return (struct route_decision){ .trigger = true };
	if (f->sender_role == ROLE_OWNER)
		return (struct route_decision){ .trigger = true, .prefix = ROUTE_PREFIX };
	return (struct route_decision){ .trigger = false };
}

#include "core/resolve_policy.h"

static struct resolve_plan
create(enum resolve_reason reason, bool has_entry)
{
	return (struct resolve_plan){
		.action = RESOLVE_CREATE,
		.reason = reason,
		.opens_session = true,
		.archives_session = has_entry,
	};
}

static struct resolve_plan
roll_over(enum resolve_reason reason, enum reset_reason why)
{
	return (struct resolve_plan){
		.action = RESOLVE_RESET,
		.reason = reason,
		.opens_session = true,
		.archives_session = true,
		.rolled_over = why,
	};
}

static struct resolve_plan
go_on(enum resolve_action action, enum resolve_reason reason)
{
	return (struct resolve_plan){ .action = action, .reason = reason, .bumps_activity = true };
}

struct resolve_plan
resolve_policy_decide(const struct reset_policy *policy, const struct resolve_facts *f)
{
	if (f->force_new)
		return create(RESOLVE_FORCED, f->has_entry);
	if (!f->has_entry)
		return create(RESOLVE_NEW, false);
	if (f->suspended)
		return roll_over(RESOLVE_SUSPENDED, RESET_SUSPENDED);
	if (f->resume_pending)
		return go_on(RESOLVE_RESUME, RESOLVE_RESUME_PENDING);
	switch (reset_policy_decide(policy, &f->reset)) {
	case RESET_IDLE: return roll_over(RESOLVE_IDLE, RESET_IDLE);
	case RESET_DAILY: return roll_over(RESOLVE_DAILY, RESET_DAILY);
	case RESET_SUSPENDED: /* no policy says so */
	case RESET_NONE: break;
	}
	return go_on(RESOLVE_CONTINUE, RESOLVE_ACTIVE);
}

struct str
resolve_action_name(enum resolve_action action)
{
	static const char *const NAMES[] = {
		[RESOLVE_CREATE] = "create",
		[RESOLVE_CONTINUE] = "continue",
		[RESOLVE_RESUME] = "resume",
		[RESOLVE_RESET] = "reset",
	};

	return str_of(NAMES[action]);
}

struct str
resolve_reason_name(enum resolve_reason reason)
{
	static const char *const NAMES[] = {
		[RESOLVE_NEW] = "new",
		[RESOLVE_FORCED] = "forced",
		[RESOLVE_SUSPENDED] = "suspended",
		[RESOLVE_RESUME_PENDING] = "resume_pending",
		[RESOLVE_IDLE] = "idle",
		[RESOLVE_DAILY] = "daily",
		[RESOLVE_ACTIVE] = "active",
	};

	return str_of(NAMES[reason]);
}

struct str
resolve_reset_reason(const struct resolve_plan *plan)
{
	if (plan->action == RESOLVE_CREATE && plan->archives_session)
		return STR("manual");
	return reset_reason_name(plan->rolled_over);
}

#include "core/reset_policy.h"

static const int64_t MINUTE_MS = 60 * 1000;

const struct reset_settings RESET_SETTINGS_DEFAULT = {
	.mode = RESET_MODE_NONE,
	.at_hour = 4,
	.idle_minutes = 1440,
	.notify = true,
};

const char *const RESET_MODE_NAMES[4] = {
	[RESET_MODE_NONE] = "none",
	[RESET_MODE_IDLE] = "idle",
	[RESET_MODE_DAILY] = "daily",
	[RESET_MODE_BOTH] = "both",
};

struct str
reset_reason_name(enum reset_reason why)
{
	switch (why) {
	case RESET_NONE: break;
	case RESET_IDLE: return STR("idle");
	case RESET_DAILY: return STR("daily");
	case RESET_SUSPENDED: return STR("suspended");
	}
	return (struct str){ 0 };
}

const struct reset_settings *
reset_policy_choose(const struct reset_layers *layers)
{
	const struct reset_settings *by_rank[] = { layers->platform, layers->chat_type,
						   layers->agent, layers->workspace };

	for (size_t i = 0; i < ARRAY_LEN(by_rank); i++)
		if (by_rank[i])
			return by_rank[i];
	return &RESET_SETTINGS_DEFAULT;
}

int
reset_policy_init(struct reset_policy *out, const struct reset_settings *s, struct err *e)
{
	bool idle = s->mode == RESET_MODE_IDLE || s->mode == RESET_MODE_BOTH;
	bool daily = s->mode == RESET_MODE_DAILY || s->mode == RESET_MODE_BOTH;

	if (s->idle_minutes < 0 || s->idle_minutes > RESET_IDLE_MINUTES_MAX)
		return err_set(e, ERR_INVALID, "idle_minutes: %d not in 0..%d", s->idle_minutes,
			       RESET_IDLE_MINUTES_MAX);
	if (s->at_hour < 0 || s->at_hour > 23)
		return err_set(e, ERR_INVALID, "at_hour: %d not in 0..23", s->at_hour);
	*out = (struct reset_policy){
		.idle_ms = idle ? s->idle_minutes * MINUTE_MS : 0,
		.daily_hour = daily ? s->at_hour : -1,
		.notify = s->notify,
	};
	return 0;
}

enum reset_reason
reset_policy_decide(const struct reset_policy *p, const struct reset_facts *f)
{
	if (f->work_open) /* rolling over now would orphan its result */
		return RESET_NONE;
	if (p->idle_ms > 0 && f->now_ms - f->last_active_ms > p->idle_ms)
		return RESET_IDLE;
	if (p->daily_hour >= 0 && f->last_active_ms < f->boundary_ms)
		return RESET_DAILY;
	return RESET_NONE;
}

struct reset_marks
reset_policy_roll_over(enum reset_reason why, const struct reset_past *old)
{
	if (why == RESET_NONE)
		return (struct reset_marks){ 0 };
	return (struct reset_marks){
		.was_auto_reset = true,
		.reason = why,
		.had_activity = old->total_tokens > 0,
	};
}

struct reset_marks
reset_marks_take(struct reset_marks *marks)
{
	struct reset_marks taken = *marks;

	*marks = (struct reset_marks){ 0 };
	return taken;
}

struct str
reset_model_notice(const struct reset_marks *marks)
{
	switch (marks->reason) {
	case RESET_NONE: break;
	case RESET_IDLE:
		return STR("[The previous session expired due to inactivity. This is a new "
			   "conversation without its context.]");
	case RESET_DAILY:
		return STR("[The previous session ended with the daily reset. This is a new "
			   "conversation without its context.]");
	case RESET_SUSPENDED:
		return STR("[The previous session was suspended. This is a new conversation "
			   "without its context.]");
	}
	return (struct str){ 0 };
}

static struct str
user_text(enum reset_reason why)
{
	switch (why) {
	case RESET_NONE: break;
	case RESET_IDLE:
		return STR("Session expired due to inactivity; this is a new one. "
			   "The old one is kept: /resume brings it back.");
	case RESET_DAILY:
		return STR("Daily reset; this is a new session. "
			   "The old one is kept: /resume brings it back.");
	case RESET_SUSPENDED:
		return STR("The previous session was suspended; this is a new one. "
			   "The old one is kept: /resume brings it back.");
	}
	return (struct str){ 0 };
}

struct str
reset_user_notice(const struct reset_policy *p, const struct reset_marks *marks,
		  const struct reset_past *old)
{
	bool wanted = p->notify && marks->had_activity && !old->quiet_platform;

	if (marks->reason != RESET_SUSPENDED && !wanted)
		return (struct str){ 0 };
	return user_text(marks->reason);
}

#include "core/recover_policy.h"

const struct recover_settings RECOVER_SETTINGS_DEFAULT = {
	.recent_ms = 120 * 1000,
	.fresh_ms = 3600 * 1000,
	.stuck_starts = 3,
	.attempts = 3,
	.breaker_starts = 3,
	.breaker_window_ms = 10 * 60 * 1000,
};

bool
recover_mark_set(struct recover_mark *m, enum recover_reason reason, int64_t now_ms)
{
	if (m->suspended)
		return false;
	m->resume_pending = true;
	m->reason = reason;
	m->marked_at_ms = now_ms;
	return true;
}

void
recover_mark_start(const struct recover_settings *s, const struct recover_start *f,
		   struct recover_mark *m)
{
	if (f->clean || m->suspended)
		return;
	m->stuck_count = f->turn_open ? m->stuck_count + 1 : 0;
	if (m->stuck_count >= s->stuck_starts) {
		m->suspended = true;
		return;
	}
	if (!m->resume_pending && f->now_ms - f->updated_at_ms <= s->recent_ms)
		recover_mark_set(m, RECOVER_RESTART_INTERRUPTED, f->now_ms);
}

void
recover_mark_turn_ended(struct recover_mark *m, bool succeeded)
{
	if (succeeded)
		*m = (struct recover_mark){ .suspended = m->suspended };
}

static bool
is_fresh(const struct recover_settings *s, const struct recover_mark *m,
	 const struct recover_turn_facts *f)
{
	int64_t since_ms = m->resume_pending ? m->marked_at_ms : f->updated_at_ms;

	return f->now_ms - since_ms <= s->fresh_ms;
}

static struct recover_turn_plan
interrupt(enum recover_why why)
{
	return (struct recover_turn_plan){ .turn = RECOVER_TURN_INTERRUPT, .why = why };
}

struct recover_turn_plan
recover_turn_decide(const struct recover_settings *s, const struct recover_mark *m,
		    const struct recover_turn_facts *f)
{
	if (!f->turn_open)
		return (struct recover_turn_plan){ .turn = RECOVER_TURN_NONE };
	if (m->suspended)
		return interrupt(RECOVER_WHY_SUSPENDED);
	if (!f->authorised)
		return interrupt(RECOVER_WHY_UNAUTHORISED);
	if (f->attempts + 1 >= s->attempts)
		return interrupt(RECOVER_WHY_ATTEMPTS);
	if (!is_fresh(s, m, f))
		return interrupt(RECOVER_WHY_STALE);
	if (f->breaker_open)
		return (struct recover_turn_plan){
			.turn = RECOVER_TURN_HOLD,
			.why = RECOVER_WHY_BREAKER,
			.attempt = f->attempts + 1,
		};
	return (struct recover_turn_plan){
		.turn = RECOVER_TURN_CONTINUE,
		.attempt = f->attempts + 1,
	};
}

bool
recover_breaker_open(const struct recover_settings *s, const int64_t *starts_ms, size_t count,
		     int64_t now_ms)
{
	unsigned recent = 0;

	for (size_t i = 0; i < count; i++)
		recent += now_ms - starts_ms[i] <= s->breaker_window_ms;
	return recent >= s->breaker_starts;
}

struct str
recover_reason_name(enum recover_reason reason)
{
	static const char *const NAMES[] = {
		[RECOVER_RESTART_TIMEOUT] = "restart_timeout",
		[RECOVER_SHUTDOWN_TIMEOUT] = "shutdown_timeout",
		[RECOVER_RESTART_INTERRUPTED] = "restart_interrupted",
	};

	return str_of(NAMES[reason]);
}

struct str
recover_model_note(enum recover_reason reason)
{
	switch (reason) {
	case RECOVER_RESTART_TIMEOUT:
		return STR("[The server was restarted while you were working. Calls marked as "
			   "interrupted may or may not have taken effect: check before repeating "
			   "them, do not restart the server again, and go on.]");
	case RECOVER_SHUTDOWN_TIMEOUT:
		return STR("[The server was shut down while you were working and is back. Calls "
			   "marked as interrupted may or may not have taken effect: check before "
			   "repeating them, and go on.]");
	case RECOVER_RESTART_INTERRUPTED: break;
	}
	return STR("[The server stopped unexpectedly while you were working and is back. Calls "
		   "marked as interrupted may or may not have taken effect: check before repeating "
		   "them, and go on.]");
}

#include "core/directive_policy.h"
#include "base/utf8.h"

static bool
is_delay(int64_t seconds)
{
	return seconds >= DIRECTIVE_DELAY_MIN_S && seconds <= DIRECTIVE_DELAY_MAX_S;
}

static int
check_wakes(const struct directive *d, struct err *e)
{
	if (d->wake_count > DIRECTIVE_WAKES_MAX)
		return err_set(e, ERR_INVALID, "wakes: %zu are more than %d", d->wake_count,
			       DIRECTIVE_WAKES_MAX);
	for (size_t i = 0; i < d->wake_count; i++)
		if (!is_delay(d->wakes[i].delay_s))
			return err_set(e, ERR_INVALID,
				       "wakes[%zu].delay_seconds: %lld not in %d..%d", i,
				       (long long)d->wakes[i].delay_s, DIRECTIVE_DELAY_MIN_S,
				       DIRECTIVE_DELAY_MAX_S);
	for (size_t i = 0; i < d->wake_count; i++) {
		size_t reason = utf8_count(d->wakes[i].reason);

		if (reason < 1 || reason > DIRECTIVE_REASON_MAX_CHARS)
			return err_set(e, ERR_INVALID,
				       "wakes[%zu].reason: %zu characters, not in 1..%d", i, reason,
				       DIRECTIVE_REASON_MAX_CHARS);
		if (utf8_count(d->wakes[i].note) > DIRECTIVE_NOTE_MAX_CHARS)
			return err_set(e, ERR_INVALID, "wakes[%zu].note: longer than %d characters",
				       i, DIRECTIVE_NOTE_MAX_CHARS);
	}
	return 0;
}

static int
check_learnings(const struct directive *d, struct err *e)
{
	if (d->learning_count > DIRECTIVE_LEARNINGS_MAX)
		return err_set(e, ERR_INVALID, "learnings: %zu are more than %d", d->learning_count,
			       DIRECTIVE_LEARNINGS_MAX);
	for (size_t i = 0; i < d->learning_count; i++) {
		size_t title = utf8_count(d->learnings[i].title);

		if (title < 1 || title > DIRECTIVE_TITLE_MAX_CHARS)
			return err_set(e, ERR_INVALID,
				       "learnings[%zu].title: %zu characters, not in 1..%d", i,
				       title, DIRECTIVE_TITLE_MAX_CHARS);
		if (utf8_count(d->learnings[i].detail) > DIRECTIVE_DETAIL_MAX_CHARS)
			return err_set(e, ERR_INVALID,
				       "learnings[%zu].detail: longer than %d characters", i,
				       DIRECTIVE_DETAIL_MAX_CHARS);
	}
	return 0;
}

int
directive_policy_check(const struct directive *d, struct err *e)
{
	int rc;

	if (d->has_follow_up && !is_delay(d->follow_up_s))
		return err_set(e, ERR_INVALID, "follow_up_seconds: %lld not in %d..%d",
			       (long long)d->follow_up_s, DIRECTIVE_DELAY_MIN_S,
			       DIRECTIVE_DELAY_MAX_S);
	rc = check_wakes(d, e);
	return rc != 0 ? rc : check_learnings(d, e);
}

struct directive_plan
directive_policy_decide(const struct directive *d, int continues)
{
	int64_t asked_ms = d->has_follow_up ? d->follow_up_s * 1000 : -1;

	if (d->outcome == DIRECTIVE_SLEEP)
		return (struct directive_plan){ .outcome = DIRECTIVE_SLEEP,
						.follow_up_ms = asked_ms };
	if (continues >= DIRECTIVE_CONTINUES_MAX)
		return (struct directive_plan){ .outcome = DIRECTIVE_SLEEP,
						.forced = true,
						.follow_up_ms = -1 };
	return (struct directive_plan){
		.outcome = DIRECTIVE_CONTINUE,
		.continues = continues + 1,
		.follow_up_ms =
			asked_ms >= 0 ? asked_ms : DIRECTIVE_FOLLOW_UP_DEFAULT_S * INT64_C(1000),
	};
}

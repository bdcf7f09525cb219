#include "core/schedule_rule.h"

static const int64_t SECOND_MS = 1000, MINUTE_MS = 60 * 1000, HOUR_MS = 60 * 60 * 1000;

int
schedule_rule_cron(struct schedule_rule *out, struct str expression, struct err *e)
{
	struct cron cron;
	int rc = cron_parse(expression, &cron, e);

	if (rc == 0)
		*out = (struct schedule_rule){ .kind = SCHEDULE_CRON, .cron = cron };
	return rc;
}

int
schedule_rule_every(struct schedule_rule *out, int64_t interval_ms, int64_t first_ms, struct err *e)
{
	if (interval_ms < SCHEDULE_INTERVAL_MIN_MS)
		return err_set(e, ERR_INVALID, "every %lld ms: at least %lld",
			       (long long)interval_ms, (long long)SCHEDULE_INTERVAL_MIN_MS);
	*out = (struct schedule_rule){
		.kind = SCHEDULE_EVERY,
		.at_ms = first_ms,
		.interval_ms = interval_ms,
	};
	return 0;
}

struct schedule_rule
schedule_rule_at(int64_t at_ms)
{
	return (struct schedule_rule){ .kind = SCHEDULE_AT, .at_ms = at_ms };
}

/* False when the slot would lie beyond the end of int64 time. */
static bool
next_interval(const struct schedule_rule *r, int64_t after_ms, int64_t *out_ms)
{
	int64_t passed_ms, next_ms;

	if (after_ms < r->at_ms) {
		*out_ms = r->at_ms;
		return true;
	}
	if (__builtin_sub_overflow(after_ms, r->at_ms, &passed_ms) ||
	    __builtin_add_overflow(after_ms - passed_ms % r->interval_ms, r->interval_ms, &next_ms))
		return false;
	*out_ms = next_ms;
	return true;
}

bool
schedule_rule_next(const struct schedule_rule *r, const struct zone *z, int64_t after_ms,
		   int64_t *out_ms)
{
	switch (r->kind) {
	case SCHEDULE_CRON: return cron_next(&r->cron, z, after_ms, out_ms);
	case SCHEDULE_AT:
		if (r->at_ms <= after_ms)
			return false;
		*out_ms = r->at_ms;
		return true;
	case SCHEDULE_EVERY: return next_interval(r, after_ms, out_ms);
	}
	return false;
}

/* The last limit slots of (from_ms, to_ms], oldest first. */
static size_t
last_slots(const struct schedule_rule *r, const struct zone *z, int64_t from_ms, int64_t to_ms,
	   size_t limit, int64_t *slots_ms)
{
	size_t count = 0;

	for (int64_t at_ms = from_ms; schedule_rule_next(r, z, at_ms, &at_ms) && at_ms <= to_ms;) {
		if (count == limit)
			memmove(slots_ms, slots_ms + 1, --count * sizeof *slots_ms);
		slots_ms[count++] = at_ms;
	}
	return count;
}

size_t
schedule_rule_due(const struct schedule_rule *r, const struct zone *z,
		  const struct schedule_catch_up *how, int64_t last_ms, int64_t now_ms,
		  int64_t slots_ms[SCHEDULE_CATCH_UP_MAX])
{
	size_t limit = how->policy == SCHEDULE_MISSED_ALL ? how->limit : 1, count = 0;

	if (last_ms >= now_ms)
		return 0;
	/* A minute's rule after a year away: look at the end first, and further back only as far as
	 * it takes to find enough. */
	for (int64_t back_ms = HOUR_MS; count < limit; back_ms *= 2) {
		bool all = back_ms >= now_ms - last_ms;

		count = last_slots(r, z, all ? last_ms : now_ms - back_ms, now_ms, limit, slots_ms);
		if (all)
			break;
	}
	if (how->policy == SCHEDULE_MISSED_SKIP && count > 0 &&
	    now_ms - slots_ms[0] > how->grace_ms)
		return 0;
	return count;
}

int64_t
schedule_backoff_ms(unsigned failures)
{
	const int64_t waits_ms[] = {
		0, 30 * SECOND_MS, MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS, HOUR_MS
	};

	return waits_ms[failures < ARRAY_LEN(waits_ms) ? failures : ARRAY_LEN(waits_ms) - 1];
}

int64_t
schedule_start_ms(int64_t slot_ms, int64_t ended_ms, unsigned failures)
{
	int64_t rested_ms = ended_ms + schedule_backoff_ms(failures);

	return failures > 0 && rested_ms > slot_ms ? rested_ms : slot_ms;
}

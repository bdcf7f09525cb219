#include "base/rand.h"
#include "core/schedule_rule.h"
#include "zones.h"

#define SEC(n) ((n)*INT64_C(1000))

static void
H3_at_fires_once(void **state)
{
	struct schedule_rule rule = schedule_rule_at(SEC(100));
	int64_t at_ms = 0;

	(void)state;
	assert_true(schedule_rule_next(&rule, &ZONE_UTC, SEC(100) - 1, &at_ms));
	assert_int_equal(at_ms, SEC(100));
	assert_false(schedule_rule_next(&rule, &ZONE_UTC, SEC(100), &at_ms));
}

static const struct {
	const char *name;
	int64_t interval_ms, first_ms, after_ms, want_ms;
} EVERY[] = {
	{ "H3 every: before the first", SEC(60), SEC(1000), 0, SEC(1000) },
	{ "H3 every: just before the first", SEC(60), SEC(1000), SEC(1000) - 1, SEC(1000) },
	{ "H3 every: at the first", SEC(60), SEC(1000), SEC(1000), SEC(1060) },
	{ "H3 every: between slots", SEC(60), SEC(1000), SEC(1059) + 999, SEC(1060) },
	{ "H3 every: at a slot", SEC(60), SEC(1000), SEC(1060), SEC(1120) },
	{ "H3 every: first before the epoch", SEC(60), -SEC(30), -SEC(10), SEC(30) },
	{ "H3 every: time ends", SEC(60), 0, INT64_MAX - 1, 0 },
};

static void
every_row(void **state)
{
	const __typeof__(EVERY[0]) *row = *state;
	struct schedule_rule rule;
	struct err e;
	int64_t got_ms = 0;

	assert_int_equal(schedule_rule_every(&rule, row->interval_ms, row->first_ms, &e), 0);
	assert_int_equal(schedule_rule_next(&rule, &ZONE_UTC, row->after_ms, &got_ms),
			 row->want_ms != 0);
	assert_int_equal(got_ms, row->want_ms);
}

static void
H3_bad_rules_are_refused(void **state)
{
	struct schedule_rule rule = { .at_ms = 42 };
	struct err e = { 0 };

	(void)state;
	assert_int_equal(schedule_rule_every(&rule, 999, 0, &e), ERR_INVALID);
	assert_int_equal(schedule_rule_cron(&rule, STR("* * * *"), &e), ERR_INVALID);
	assert_int_equal(rule.at_ms, 42);
	assert_int_equal(schedule_rule_every(&rule, 1000, 0, &e), 0);
}

static const struct {
	const char *name, *expression;
	struct schedule_catch_up how;
	const char *last, *now;
	size_t count;
	const char *slots[4];
} DUE[] = {
	{ "H3 missed: skip drops them",
	  "0 * * * *",
	  { SCHEDULE_MISSED_SKIP, 0, SEC(60) },
	  "2026-01-01T00:00:00Z",
	  "2026-01-01T05:30:00Z",
	  0,
	  { NULL } },
	{ "H3 missed: skip runs what is barely late",
	  "0 * * * *",
	  { SCHEDULE_MISSED_SKIP, 0, SEC(60) },
	  "2026-01-01T00:00:00Z",
	  "2026-01-01T05:01:00Z",
	  1,
	  { "2026-01-01T05:00:00Z" } },
	{ "H3 missed: skip beyond the grace",
	  "0 * * * *",
	  { SCHEDULE_MISSED_SKIP, 0, SEC(60) },
	  "2026-01-01T00:00:00Z",
	  "2026-01-01T05:01:00.001Z",
	  0,
	  { NULL } },
	{ "H3 missed: latest runs one",
	  "0 * * * *",
	  { SCHEDULE_MISSED_LATEST, 9, 0 },
	  "2026-01-01T00:00:00Z",
	  "2026-01-01T05:30:00Z",
	  1,
	  { "2026-01-01T05:00:00Z" } },
	{ "H3 missed: latest after years",
	  "0 0 29 2 *",
	  { SCHEDULE_MISSED_LATEST, 0, 0 },
	  "2026-01-01T00:00:00Z",
	  "2031-06-01T00:00:00Z",
	  1,
	  { "2028-02-29T00:00:00Z" } },
	{ "H3 missed: all runs the last n in order",
	  "0 * * * *",
	  { SCHEDULE_MISSED_ALL, 3, 0 },
	  "2026-01-01T00:00:00Z",
	  "2026-01-01T05:30:00Z",
	  3,
	  { "2026-01-01T03:00:00Z", "2026-01-01T04:00:00Z", "2026-01-01T05:00:00Z" } },
	{ "H3 missed: all runs what there is",
	  "0 * * * *",
	  { SCHEDULE_MISSED_ALL, 100, 0 },
	  "2026-01-01T03:00:00Z",
	  "2026-01-01T05:00:00Z",
	  2,
	  { "2026-01-01T04:00:00Z", "2026-01-01T05:00:00Z" } },
	{ "H3 missed: a year of minutes",
	  "* * * * *",
	  { SCHEDULE_MISSED_ALL, 2, 0 },
	  "2025-01-01T00:00:00Z",
	  "2026-01-01T00:00:30Z",
	  2,
	  { "2025-12-31T23:59:00Z", "2026-01-01T00:00:00Z" } },
	{ "H3 missed: a slot once decided never again",
	  "0 * * * *",
	  { SCHEDULE_MISSED_LATEST, 0, 0 },
	  "2026-01-01T05:00:00Z",
	  "2026-01-01T05:59:59Z",
	  0,
	  { NULL } },
	{ "H3 missed: clock moved back",
	  "* * * * *",
	  { SCHEDULE_MISSED_LATEST, 0, 0 },
	  "2026-01-01T05:00:00Z",
	  "2026-01-01T04:00:00Z",
	  0,
	  { NULL } },
};

static void
due_row(void **state)
{
	const __typeof__(DUE[0]) *row = *state;
	struct schedule_rule rule;
	struct err e;
	int64_t slots_ms[SCHEDULE_CATCH_UP_MAX];

	assert_int_equal(schedule_rule_cron(&rule, str_of(row->expression), &e), 0);
	assert_int_equal(schedule_rule_due(&rule, &ZONE_UTC, &row->how, instant(row->last),
					   instant(row->now), slots_ms),
			 row->count);
	for (size_t i = 0; i < row->count; i++)
		check_instant("slot", slots_ms[i], instant(row->slots[i]));
}

static const struct {
	const char *name;
	unsigned failures;
	int64_t want_ms;
} BACKOFF[] = {
	{ "H3 backoff: none after success", 0, 0 }, { "H3 backoff: 30 s", 1, SEC(30) },
	{ "H3 backoff: 1 min", 2, SEC(60) },        { "H3 backoff: 5 min", 3, SEC(300) },
	{ "H3 backoff: 15 min", 4, SEC(900) },      { "H3 backoff: 1 h", 5, SEC(3600) },
	{ "H3 backoff: 1 h again", 6, SEC(3600) },  { "H3 backoff: 1 h for ever", 99, SEC(3600) },
};

static void
backoff_row(void **state)
{
	const __typeof__(BACKOFF[0]) *row = *state;
	int64_t ended_ms = SEC(50000);

	assert_int_equal(schedule_backoff_ms(row->failures), row->want_ms);
	/* the later of the slot and the end of the wait */
	assert_int_equal(schedule_start_ms(ended_ms + SEC(9000), ended_ms, row->failures),
			 ended_ms + SEC(9000));
	assert_int_equal(schedule_start_ms(ended_ms - SEC(1), ended_ms, row->failures),
			 row->failures ? ended_ms + row->want_ms : ended_ms - SEC(1));
}

/* Walking time in random steps, all(100) sees every slot exactly once, in order. */
static void
H3_property_each_slot_once(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < suite_seeds(3000); seed++) {
		struct schedule_catch_up how = { SCHEDULE_MISSED_ALL, SCHEDULE_CATCH_UP_MAX, 0 };
		struct schedule_rule rule;
		struct rand r;
		struct err e;
		int64_t last_ms = SEC(1000), next_ms, slots_ms[SCHEDULE_CATCH_UP_MAX];

		rand_init_seed(&r, seed);
		assert_int_equal(
			schedule_rule_every(&rule, SEC(60 + (int64_t)rand_below(&r, 600)), 0, &e),
			0);
		next_ms = last_ms;
		for (int step = 0; step < 20; step++) {
			int64_t now_ms = last_ms + SEC((int64_t)rand_below(&r, 5000));
			size_t count = schedule_rule_due(&rule, &ZONE_UTC, &how, last_ms, now_ms,
							 slots_ms);

			for (size_t i = 0; i < count; i++) {
				assert_true(
					schedule_rule_next(&rule, &ZONE_UTC, next_ms, &next_ms));
				if (slots_ms[i] != next_ms)
					fail_msg("seed %llu", (unsigned long long)seed);
			}
			last_ms = now_ms;
		}
		assert_true(schedule_rule_next(&rule, &ZONE_UTC, next_ms, &next_ms));
		if (next_ms <= last_ms)
			fail_msg("seed %llu: a slot was left out", (unsigned long long)seed);
	}
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, H3_at_fires_once);
	SUITE_ROWS(&s, EVERY, every_row);
	SUITE_TEST(&s, H3_bad_rules_are_refused);
	SUITE_ROWS(&s, DUE, due_row);
	SUITE_ROWS(&s, BACKOFF, backoff_row);
	SUITE_TEST(&s, H3_property_each_slot_once);
	return suite_run(&s, "schedule_rule");
}

#include "core/schedule_plan.h"

#include "zones.h"

#define SEC(n) ((n)*INT64_C(1000))
#define MIN(n) ((n)*INT64_C(60000))

/* Every ten minutes, from minute 10 on; so much is known; now. */
static const struct row {
	const char *name;
	enum schedule_missed missed;
	size_t limit;
	bool paused;
	struct schedule_state s;
	int64_t now_ms;
	/* what is to be done */
	enum schedule_step step;
	int64_t slot_ms, decided_ms, due_ms;
} ROWS[] = {
#define LATEST SCHEDULE_MISSED_LATEST, 0, false
#define SKIP   SCHEDULE_MISSED_SKIP, 0, false
#define ALL(n) SCHEDULE_MISSED_ALL, n, false
#define RUN(fired)                                                      \
	{                                                               \
		.id = { "r", 1 }, .slot_ms = MIN(10), .fired_ms = fired \
	}
	/* clang-format off */
	{ "H3 nothing is due", LATEST, { .decided_ms = MIN(1) }, MIN(2), SCHEDULE_WAIT, 0, MIN(1), MIN(10) },
	{ "H3 1 ms before the slot", LATEST, { .decided_ms = MIN(1) }, MIN(10) - 1, SCHEDULE_WAIT, 0, MIN(1), MIN(10) },
	{ "H3 at the slot", LATEST, { .decided_ms = MIN(1) }, MIN(10), SCHEDULE_FIRE, MIN(10), MIN(10), MIN(20) },
	{ "H3 a decided slot is over", LATEST, { .decided_ms = MIN(10) }, MIN(10), SCHEDULE_WAIT, 0, MIN(10), MIN(20) },
	{ "H3 missed: the latest alone", LATEST, { .decided_ms = MIN(1) }, MIN(35), SCHEDULE_FIRE, MIN(30), MIN(35), MIN(40) },
	{ "H3 missed: skip leaves them out", SKIP, { .decided_ms = MIN(1) }, MIN(35), SCHEDULE_WAIT, 0, MIN(35), MIN(40) },
	{ "H3 missed: skip runs what is barely late", SKIP, { .decided_ms = MIN(1) }, MIN(30) + SEC(60), SCHEDULE_FIRE, MIN(30), MIN(30) + SEC(60), MIN(40) },
	{ "H3 missed: and not 1 ms later", SKIP, { .decided_ms = MIN(1) }, MIN(30) + SEC(60) + 1, SCHEDULE_WAIT, 0, MIN(30) + SEC(60) + 1, MIN(40) },
	{ "H3 missed: all, the oldest first", ALL(9), { .decided_ms = MIN(1) }, MIN(35), SCHEDULE_FIRE, MIN(10), MIN(10), MIN(40) },
	{ "H3 missed: then the next", ALL(9), { .decided_ms = MIN(10) }, MIN(35), SCHEDULE_FIRE, MIN(20), MIN(20), MIN(40) },
	{ "H3 missed: and the last", ALL(9), { .decided_ms = MIN(20) }, MIN(35), SCHEDULE_FIRE, MIN(30), MIN(35), MIN(40) },
	{ "H3 missed: all(2)", ALL(2), { .decided_ms = MIN(1) }, MIN(35), SCHEDULE_FIRE, MIN(20), MIN(20), MIN(40) },
	{ "H3 paused", SCHEDULE_MISSED_LATEST, 0, true, { .decided_ms = MIN(1) }, MIN(35), SCHEDULE_WAIT, 0, MIN(1), 0 },
	{ "H3 a run is open: its deadline", LATEST, { .decided_ms = MIN(10), .run = RUN(MIN(10)) }, MIN(21), SCHEDULE_WAIT, 0, MIN(10), MIN(25) },
	{ "H3 the deadline", LATEST, { .decided_ms = MIN(10), .run = RUN(MIN(10)) }, MIN(25), SCHEDULE_STOP, 0, MIN(10), 0 },
	{ "H3 paused, and its run has a deadline", SCHEDULE_MISSED_LATEST, 0, true, { .run = RUN(MIN(10)) }, MIN(25), SCHEDULE_STOP, 0, 0, 0 },
	{ "H3 told once that its time is over", LATEST, { .run = { .id = { "r", 1 }, .fired_ms = 1, .stopping = true } }, MIN(90), SCHEDULE_WAIT, 0, 0, 0 },
	{ "H3 asked for, also when paused", SCHEDULE_MISSED_LATEST, 0, true, { .decided_ms = MIN(3), .run = { .id = { "r", 1 }, .slot_ms = MIN(4) } }, MIN(5), SCHEDULE_FIRE, MIN(4), MIN(3), 0 },
	{ "H3 backoff: 30 s since the end", LATEST, { .decided_ms = MIN(10), .failures = 1, .ended_ms = MIN(20) - SEC(10) }, MIN(20), SCHEDULE_WAIT, 0, MIN(10), MIN(20) + SEC(20) },
	{ "H3 backoff: then the slot runs", LATEST, { .decided_ms = MIN(10), .failures = 1, .ended_ms = MIN(20) - SEC(10) }, MIN(20) + SEC(20), SCHEDULE_FIRE, MIN(20), MIN(20) + SEC(20), MIN(30) },
	{ "H3 backoff: at most an hour", LATEST, { .decided_ms = MIN(10), .failures = 99, .ended_ms = MIN(15) }, MIN(20), SCHEDULE_WAIT, 0, MIN(10), MIN(75) },
	{ "H3 the clock was set back", LATEST, { .decided_ms = MIN(500) }, MIN(12), SCHEDULE_WAIT, 0, MIN(12), MIN(20) },
	{ "H3 set back: the wait is not longer for it", LATEST, { .decided_ms = MIN(12), .failures = 1, .ended_ms = MIN(500) }, MIN(13), SCHEDULE_WAIT, 0, MIN(12), MIN(20) },
	{ "H3 set back: a run does not become endless", LATEST, { .run = RUN(MIN(500)) }, MIN(12), SCHEDULE_STOP, 0, 0, 0 },
	{ "H3 the clock jumped a year", LATEST, { .decided_ms = MIN(1) }, MIN(525605), SCHEDULE_FIRE, MIN(525600), MIN(525605), MIN(525610) },
	/* clang-format on */
};

static void
row_holds(void **state)
{
	const struct row *row = *state;
	struct schedule_def def = {
		.missed = { row->missed, row->limit, SEC(60) },
		.timeout_ms = MIN(15),
		.enabled = !row->paused,
	};
	struct schedule_plan got;

	assert_int_equal(schedule_rule_every(&def.rule, MIN(10), MIN(10), NULL), 0);
	got = schedule_plan_decide(
		&(struct schedule_facts){ &def, &ZONE_UTC, &row->s, row->now_ms });
	assert_int_equal(got.step, row->step);
	assert_int_equal(got.slot_ms, row->slot_ms);
	assert_int_equal(got.decided_ms, row->decided_ms);
	assert_int_equal(got.due_ms, row->due_ms);
	assert_int_equal(schedule_plan_due(
				 &(struct schedule_facts){ &def, &ZONE_UTC, &row->s, row->now_ms }),
			 row->step == SCHEDULE_WAIT ? row->due_ms : row->now_ms);
	assert_int_equal(got.manual, row->s.run.id.len > 0 && row->step == SCHEDULE_FIRE);
}

static void
H3_at_runs_once(void **state)
{
	struct schedule_def def = { .rule = schedule_rule_at(MIN(10)), .enabled = true };
	struct schedule_state s = { .decided_ms = MIN(1) };
	struct schedule_facts f = { &def, &ZONE_UTC, &s, MIN(300) };
	struct schedule_plan got;

	(void)state;
	def.missed.policy = SCHEDULE_MISSED_LATEST;
	got = schedule_plan_decide(&f);
	assert_int_equal(got.step, SCHEDULE_FIRE);
	assert_int_equal(got.slot_ms, MIN(10));
	assert_int_equal(got.due_ms, 0);
	s.decided_ms = got.decided_ms;
	got = schedule_plan_decide(&f);
	assert_int_equal(got.step, SCHEDULE_WAIT);
	assert_int_equal(got.due_ms, 0);
}

/* Looked at whenever it is due: each slot of the rule runs once, in order. */
static void
H3_each_slot_once(void **state)
{
	struct schedule_def def = { .enabled = true, .timeout_ms = MIN(1) };
	struct schedule_state s = { .decided_ms = 0 };
	struct schedule_facts f = { &def, &ZONE_UTC, &s, 0 };
	int64_t last_ms = 0;

	(void)state;
	def.missed = (struct schedule_catch_up){ SCHEDULE_MISSED_SKIP, 0, SEC(60) };
	assert_int_equal(schedule_rule_cron(&def.rule, STR("*/7 * * * *"), NULL), 0);
	for (int i = 0; i < 2000; i++) {
		struct schedule_plan got = schedule_plan_decide(&f);
		int64_t want_ms;

		if (got.step == SCHEDULE_FIRE) {
			assert_true(schedule_rule_next(&def.rule, f.zone, last_ms, &want_ms));
			assert_int_equal(got.slot_ms, want_ms);
			last_ms = want_ms;
		}
		s.decided_ms = got.decided_ms;
		f.now_ms = got.due_ms + i % 3;
	}
	assert_true(last_ms > MIN(6900));
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, row_holds);
	SUITE_TEST(&s, H3_at_runs_once);
	SUITE_TEST(&s, H3_each_slot_once);
	return suite_run(&s, "schedule_plan");
}

#include "base/rand.h"
#include "core/recover_policy.h"
#include "harness.h"

#define SEC(n) ((n)*INT64_C(1000))
#define NOW    SEC(1000000)

static const struct recover_settings *const S = &RECOVER_SETTINGS_DEFAULT;

static const struct {
	const char *name;
	struct recover_start f;
	struct recover_mark before, after;
} START[] = {
	{ "H5 recently active is marked",
	  { NOW, NOW - SEC(10), false, false },
	  { 0 },
	  { .resume_pending = true, .reason = RECOVER_RESTART_INTERRUPTED, .marked_at_ms = NOW } },
	{ "H5 active 120 s ago is marked",
	  { NOW, NOW - SEC(120), false, false },
	  { 0 },
	  { .resume_pending = true, .reason = RECOVER_RESTART_INTERRUPTED, .marked_at_ms = NOW } },
	{ "H5 active longer ago is not", { NOW, NOW - SEC(120) - 1, false, false }, { 0 }, { 0 } },
	{ "H5 clean shutdown marks nothing", { NOW, NOW, true, false }, { 0 }, { 0 } },
	{ "H5 clean shutdown counts nothing",
	  { NOW, NOW, true, true },
	  { .stuck_count = 2 },
	  { .stuck_count = 2 } },
	{ "H5 already pending keeps reason and time",
	  { NOW, NOW - SEC(10), false, false },
	  { .resume_pending = true, .reason = RECOVER_SHUTDOWN_TIMEOUT, .marked_at_ms = 5 },
	  { .resume_pending = true, .reason = RECOVER_SHUTDOWN_TIMEOUT, .marked_at_ms = 5 } },
	{ "H5 suspended stays as it is",
	  { NOW, NOW, false, true },
	  { .suspended = true, .stuck_count = 1 },
	  { .suspended = true, .stuck_count = 1 } },
	{ "H5 found at work is counted",
	  { NOW, NOW, false, true },
	  { .stuck_count = 1 },
	  { .resume_pending = true,
	    .reason = RECOVER_RESTART_INTERRUPTED,
	    .marked_at_ms = NOW,
	    .stuck_count = 2 } },
	{ "H5 third start in a row suspends",
	  { NOW, NOW, false, true },
	  { .resume_pending = true, .marked_at_ms = 5, .stuck_count = 2 },
	  { .suspended = true, .resume_pending = true, .marked_at_ms = 5, .stuck_count = 3 } },
	{ "H5 found at rest breaks the row",
	  { NOW, NOW - SEC(500), false, false },
	  { .stuck_count = 2 },
	  { 0 } },
};

static void
check_mark(const struct recover_mark *got, const struct recover_mark *want)
{
	assert_int_equal(got->suspended, want->suspended);
	assert_int_equal(got->resume_pending, want->resume_pending);
	assert_int_equal(got->reason, want->reason);
	assert_int_equal(got->marked_at_ms, want->marked_at_ms);
	assert_int_equal(got->stuck_count, want->stuck_count);
}

static void
start_row(void **state)
{
	const __typeof__(START[0]) *row = *state;
	struct recover_mark m = row->before;

	recover_mark_start(S, &row->f, &m);
	check_mark(&m, &row->after);
}

static const struct {
	const char *name;
	struct recover_mark m;
	struct recover_turn_facts f;
	struct recover_turn_plan want;
} TURN[] = {
	/*                                          now  updated     open  attempts  authorised  breaker */
	{ "H5 pending without an open turn runs nothing",
	  { .resume_pending = true, .marked_at_ms = NOW },
	  { NOW, NOW, false, 0, true, false },
	  { RECOVER_TURN_NONE, RECOVER_WHY_NONE, 0 } },
	{ "H5 same turn continues",
	  { .resume_pending = true, .marked_at_ms = NOW },
	  { NOW, NOW, true, 0, true, false },
	  { RECOVER_TURN_CONTINUE, RECOVER_WHY_NONE, 1 } },
	{ "H5 second attempt is made",
	  { .resume_pending = true, .marked_at_ms = NOW },
	  { NOW, NOW, true, 1, true, false },
	  { RECOVER_TURN_CONTINUE, RECOVER_WHY_NONE, 2 } },
	{ "H5 third attempt is not",
	  { .resume_pending = true, .marked_at_ms = NOW },
	  { NOW, NOW, true, 2, true, false },
	  { RECOVER_TURN_INTERRUPT, RECOVER_WHY_ATTEMPTS, 0 } },
	{ "H5 fresh to the second since the mark",
	  { .resume_pending = true, .marked_at_ms = NOW - SEC(3600) },
	  { NOW, NOW, true, 0, true, false },
	  { RECOVER_TURN_CONTINUE, RECOVER_WHY_NONE, 1 } },
	{ "H5 stale since the mark",
	  { .resume_pending = true, .marked_at_ms = NOW - SEC(3600) - 1 },
	  { NOW, NOW, true, 0, true, false },
	  { RECOVER_TURN_INTERRUPT, RECOVER_WHY_STALE, 0 } },
	{ "H5 unmarked is fresh since its activity",
	  { 0 },
	  { NOW, NOW - SEC(3600), true, 0, true, false },
	  { RECOVER_TURN_CONTINUE, RECOVER_WHY_NONE, 1 } },
	{ "H5 unmarked is stale since its activity",
	  { 0 },
	  { NOW, NOW - SEC(3600) - 1, true, 0, true, false },
	  { RECOVER_TURN_INTERRUPT, RECOVER_WHY_STALE, 0 } },
	{ "H5 no longer authorised",
	  { .resume_pending = true, .marked_at_ms = NOW },
	  { NOW, NOW, true, 0, false, false },
	  { RECOVER_TURN_INTERRUPT, RECOVER_WHY_UNAUTHORISED, 0 } },
	{ "H5 suspended is not resumed",
	  { .suspended = true, .resume_pending = true, .marked_at_ms = NOW },
	  { NOW, NOW, true, 0, true, false },
	  { RECOVER_TURN_INTERRUPT, RECOVER_WHY_SUSPENDED, 0 } },
	{ "H5 breaker holds the turn",
	  { .resume_pending = true, .marked_at_ms = NOW },
	  { NOW, NOW, true, 0, true, true },
	  { RECOVER_TURN_HOLD, RECOVER_WHY_BREAKER, 1 } },
	{ "H5 breaker does not keep a stale turn",
	  { .resume_pending = true, .marked_at_ms = 0 },
	  { NOW, NOW, true, 0, true, true },
	  { RECOVER_TURN_INTERRUPT, RECOVER_WHY_STALE, 0 } },
};

static void
turn_row(void **state)
{
	const __typeof__(TURN[0]) *row = *state;
	struct recover_turn_plan got = recover_turn_decide(S, &row->m, &row->f);

	assert_int_equal(got.turn, row->want.turn);
	assert_int_equal(got.why, row->want.why);
	assert_int_equal(got.attempt, row->want.attempt);
}

static void
H5_drain_marks_but_never_over_suspended(void **state)
{
	struct recover_mark m = { .resume_pending = true, .marked_at_ms = 5, .stuck_count = 1 };
	struct recover_mark kept = { .suspended = true };

	(void)state;
	assert_true(recover_mark_set(&m, RECOVER_SHUTDOWN_TIMEOUT, NOW));
	check_mark(&m, &(struct recover_mark){ .resume_pending = true,
					       .reason = RECOVER_SHUTDOWN_TIMEOUT,
					       .marked_at_ms = NOW,
					       .stuck_count = 1 });
	assert_false(recover_mark_set(&kept, RECOVER_RESTART_TIMEOUT, NOW));
	check_mark(&kept, &(struct recover_mark){ .suspended = true });
}

static void
H5_only_a_successful_turn_clears_the_mark(void **state)
{
	struct recover_mark m = { .resume_pending = true, .marked_at_ms = 5, .stuck_count = 2 };
	struct recover_mark before = m;
	struct recover_mark suspended = { .suspended = true, .stuck_count = 3 };

	(void)state;
	recover_mark_turn_ended(&m, false);
	check_mark(&m, &before);
	recover_mark_turn_ended(&m, true);
	check_mark(&m, &(struct recover_mark){ 0 });
	recover_mark_turn_ended(&suspended, true);
	check_mark(&suspended, &(struct recover_mark){ .suspended = true });
}

static const struct {
	const char *name;
	int64_t starts_ms[4];
	size_t count;
	bool want;
} BREAKER[] = {
	{ "H5 breaker: first start", { NOW }, 1, false },
	{ "H5 breaker: two starts", { NOW, NOW - SEC(1) }, 2, false },
	{ "H5 breaker: no more than are counted", { NOW, NOW, NOW }, 2, false },
	{ "H5 breaker: three within ten minutes", { NOW - SEC(600), NOW, NOW - SEC(1) }, 3, true },
	{ "H5 breaker: the first too long ago",
	  { NOW - SEC(600) - 1, NOW, NOW - SEC(1) },
	  3,
	  false },
	{ "H5 breaker: old ones do not count", { 0, NOW - SEC(9), NOW, NOW - SEC(1) }, 4, true },
};

static void
breaker_row(void **state)
{
	const __typeof__(BREAKER[0]) *row = *state;

	assert_int_equal(recover_breaker_open(S, row->starts_ms, row->count, NOW), row->want);
}

static void
H5_reasons_have_names_and_notes(void **state)
{
	(void)state;
	check_str("1", recover_reason_name(RECOVER_RESTART_TIMEOUT), STR("restart_timeout"));
	check_str("2", recover_reason_name(RECOVER_SHUTDOWN_TIMEOUT), STR("shutdown_timeout"));
	check_str("3", recover_reason_name(RECOVER_RESTART_INTERRUPTED),
		  STR("restart_interrupted"));
	assert_true(str_contains(recover_model_note(RECOVER_RESTART_TIMEOUT), STR("restarted")));
	assert_true(str_contains(recover_model_note(RECOVER_SHUTDOWN_TIMEOUT), STR("shut down")));
	assert_true(
		str_contains(recover_model_note(RECOVER_RESTART_INTERRUPTED), STR("unexpectedly")));
}

/* A session that brings the server down every time is given up after a bounded number of starts,
 * whatever the time between them; one that succeeds in between never is. */
static void
H5_property_crash_loops_end(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < suite_seeds(5000); seed++) {
		struct rand r;
		struct recover_mark m = { 0 };
		bool succeeds;
		int64_t now_ms = NOW;
		int continued = 0;

		rand_init_seed(&r, seed);
		succeeds = rand_below(&r, 2);
		for (unsigned start = 0; start < 20; start++) {
			struct recover_start f = { now_ms, now_ms - SEC(1), false, true };
			struct recover_turn_facts t = { now_ms, now_ms - SEC(1), true, 0, true,
							false };

			recover_mark_start(S, &f, &m);
			if (recover_turn_decide(S, &m, &t).turn == RECOVER_TURN_CONTINUE)
				continued++;
			recover_mark_turn_ended(&m, succeeds);
			now_ms += SEC((int64_t)rand_below(&r, 7200));
		}
		if (succeeds ? m.suspended || continued != 20 : !m.suspended || continued > 2)
			fail_msg("seed %llu: continued %d times", (unsigned long long)seed,
				 continued);
	}
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, START, start_row);
	SUITE_ROWS(&s, TURN, turn_row);
	SUITE_ROWS(&s, BREAKER, breaker_row);
	SUITE_TEST(&s, H5_drain_marks_but_never_over_suspended);
	SUITE_TEST(&s, H5_only_a_successful_turn_clears_the_mark);
	SUITE_TEST(&s, H5_reasons_have_names_and_notes);
	SUITE_TEST(&s, H5_property_crash_loops_end);
	return suite_run(&s, "recover_policy");
}

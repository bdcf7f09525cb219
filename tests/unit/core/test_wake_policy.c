#include "base/rand.h"
#include "core/wake_policy.h"
#include "harness.h"

#define C(priority, pending, due, id)          \
	{                                      \
		WAKE_##priority, pending, due, \
		{                              \
			id, sizeof id - 1      \
		}                              \
	}

static const struct order_row {
	const char *name;
	struct wake_candidate first, second;
} ORDER[] = {
	{ "Q6 high before normal, whatever else", C(HIGH, false, 9, "z"), C(NORMAL, true, 1, "a") },
	{ "Q6 normal before low", C(NORMAL, false, 9, "z"), C(LOW, true, 1, "a") },
	{ "Q6 pending inputs before wakes", C(HIGH, true, 9, "z"), C(HIGH, false, 1, "a") },
	{ "Q6 the earlier due time first", C(LOW, false, 1, "z"), C(LOW, false, 2, "a") },
	{ "Q6 then the id", C(LOW, true, 1, "a"), C(LOW, true, 1, "b") },
};

static void
check_order(void **state)
{
	const struct order_row *r = *state;

	if (wake_policy_compare(&r->first, &r->second) >= 0 ||
	    wake_policy_compare(&r->second, &r->first) <= 0 ||
	    wake_policy_compare(&r->first, &r->first) != 0)
		fail_msg("%s", r->name);
}

static const struct settle_row {
	const char *name;
	int attempt;
	enum wake_turn turn;
	int attempts;
	struct wake_outcome want;
} SETTLE[] = {
	{ "Q6 a wake is consumed when its turn succeeds",
	  3,
	  WAKE_TURN_SUCCEEDED,
	  5,
	  { WAKE_CONSUMED, 0, 0 } },
	{ "Q6 an interrupt cancels it", 0, WAKE_TURN_INTERRUPTED, 5, { WAKE_CANCELLED, 0, 0 } },
	{ "T15 a turn without money leaves it alone", 2, WAKE_TURN_PAUSED, 5, { WAKE_KEPT, 0, 2 } },
	{ "Q6 the first failure waits 2 s", 0, WAKE_TURN_FAILED, 9, { WAKE_AGAIN, 2000, 1 } },
	{ "Q6 the second waits 4 s", 1, WAKE_TURN_FAILED, 9, { WAKE_AGAIN, 4000, 2 } },
	{ "Q6 the fourth waits 16 s", 3, WAKE_TURN_FAILED, 9, { WAKE_AGAIN, 16000, 4 } },
	{ "Q6 the fifth waits 30 s", 4, WAKE_TURN_FAILED, 9, { WAKE_AGAIN, 30000, 5 } },
	{ "Q6 never longer", 60, WAKE_TURN_FAILED, 99, { WAKE_AGAIN, 30000, 61 } },
	{ "Q6 the last attempt but one tries again",
	  3,
	  WAKE_TURN_FAILED,
	  5,
	  { WAKE_AGAIN, 16000, 4 } },
	{ "Q6 the last attempt parks", 4, WAKE_TURN_FAILED, 5, { WAKE_PARKED, 0, 5 } },
	{ "Q6 one attempt parks at once", 0, WAKE_TURN_FAILED, 1, { WAKE_PARKED, 0, 1 } },
};

static void
check_settle(void **state)
{
	const struct settle_row *r = *state;
	struct wake_item w = { .attempt = r->attempt };
	struct wake_outcome got = wake_policy_settle(&w, r->turn, r->attempts, 1000000);
	int64_t due = r->want.fate == WAKE_AGAIN ? 1000000 + r->want.due_ms : 0;

	if (got.fate != r->want.fate || got.due_ms != due || got.attempt != r->want.attempt)
		fail_msg("%s: fate %d due %lld attempt %d", r->name, (int)got.fate,
			 (long long)got.due_ms, got.attempt);
}

static void
Q6_due_and_parked(void **state)
{
	struct wake_item w = { .due_ms = 100 };

	(void)state;
	assert_false(wake_policy_is_due(&w, 99));
	assert_true(wake_policy_is_due(&w, 100));
	w.parked = true;
	assert_false(wake_policy_is_due(&w, 100));
}

static void
Q6_a_dedupe_key_is_queued_once(void **state)
{
	struct wake_item queue[] = {
		{ .id = STR("1") },
		{ .id = STR("2"), .dedupe_key = STR("k"), .parked = true },
		{ .id = STR("3"), .dedupe_key = STR("k") },
		{ .id = STR("4"), .dedupe_key = STR("k") },
	};

	(void)state;
	assert_ptr_equal(wake_policy_duplicate(queue, 4, STR("k")), &queue[2]);
	assert_null(wake_policy_duplicate(queue, 2, STR("k"))); /* parked blocks nothing */
	assert_null(wake_policy_duplicate(queue, 4, STR("")));
	assert_null(wake_policy_duplicate(queue, 4, STR("x")));
}

static struct wake_candidate
random_candidate(struct rand *r, char *id)
{
	*id = (char)('a' + rand_below(r, 3));
	return (struct wake_candidate){ (enum wake_priority)rand_below(r, 3),
					rand_below(r, 2) == 0,
					(int64_t)rand_below(r, 3),
					{ id, 1 } };
}

static void
Q6_property_the_order_is_total(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < suite_seeds(5000); seed++) {
		struct rand r;
		char ids[3];
		struct wake_candidate a, b, c;

		rand_init_seed(&r, seed);
		a = random_candidate(&r, &ids[0]);
		b = random_candidate(&r, &ids[1]);
		c = random_candidate(&r, &ids[2]);
		bool ab = wake_policy_compare(&a, &b) <= 0, bc = wake_policy_compare(&b, &c) <= 0;

		if ((ab && bc && wake_policy_compare(&a, &c) > 0) ||
		    (wake_policy_compare(&a, &b) < 0) != (wake_policy_compare(&b, &a) > 0))
			fail_msg("seed %llu", (unsigned long long)seed);
	}
}

/* Whatever happens, a wake leaves the queue only by success, interrupt or parking, and the waits
 * never shrink. */
static void
Q6_property_waits_grow_until_parked(void **state)
{
	(void)state;
	for (int attempts = 1; attempts < 40; attempts++) {
		struct wake_item w = { 0 };
		int64_t before = 0;
		int failures = 0;

		for (;;) {
			struct wake_outcome o =
				wake_policy_settle(&w, WAKE_TURN_FAILED, attempts, 0);

			failures++;
			if (o.fate == WAKE_PARKED)
				break;
			assert_int_equal(o.fate, WAKE_AGAIN);
			assert_true(o.due_ms >= before && o.due_ms <= 30000);
			before = o.due_ms;
			w.attempt = o.attempt;
		}
		assert_int_equal(failures, attempts);
	}
}

static const struct stop_row {
	const char *name;
	enum stop_kind stop;
	bool by_person;
	enum wake_turn want;
} STOPS[] = {
	{ "Q6 a turn that ended", STOP_END_TURN, false, WAKE_TURN_SUCCEEDED },
	{ "Q6 that queued another wake", STOP_RESCHEDULING, false, WAKE_TURN_SUCCEEDED },
	{ "Q6 a refusal is an answer", STOP_REFUSAL, false, WAKE_TURN_SUCCEEDED },
	{ "Q6 no model answered", STOP_RETRIES_EXHAUSTED, false, WAKE_TURN_FAILED },
	{ "Q6 too many steps", STOP_LIMIT_STEPS, false, WAKE_TURN_FAILED },
	{ "Q6 too long", STOP_LIMIT_TIME, false, WAKE_TURN_FAILED },
	{ "Q6 round in circles", STOP_LIMIT_LOOP, false, WAKE_TURN_FAILED },
	{ "Q6 terminated", STOP_TERMINATED, false, WAKE_TURN_FAILED },
	{ "Q6 a person stopped it", STOP_INTERRUPTED, true, WAKE_TURN_INTERRUPTED },
	{ "Q6 given up after restarts", STOP_INTERRUPTED, false, WAKE_TURN_FAILED },
	{ "T15 no money", STOP_BUDGET_REACHED, false, WAKE_TURN_PAUSED },
};

static void
check_stop(void **state)
{
	const struct stop_row *r = *state;

	if (wake_policy_turn(r->stop, r->by_person) != r->want)
		fail_msg("%s", r->name);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ORDER, check_order);
	SUITE_ROWS(&s, STOPS, check_stop);
	SUITE_ROWS(&s, SETTLE, check_settle);
	SUITE_TEST(&s, Q6_due_and_parked);
	SUITE_TEST(&s, Q6_a_dedupe_key_is_queued_once);
	SUITE_TEST(&s, Q6_property_the_order_is_total);
	SUITE_TEST(&s, Q6_property_waits_grow_until_parked);
	return suite_run(&s, "core/wake_policy");
}

#include "net/timeout_wheel.h"

#include "base/rand.h"
#include "base/xalloc.h"
#include "harness.h"

enum {
	ROUND_MS = TIMEOUT_WHEEL_SLOTS * TIMEOUT_WHEEL_TICK_MS,
	LATE_MS = 2 * TIMEOUT_WHEEL_TICK_MS
};

struct one {
	struct timeout timeout;
	int64_t fired_ms;
	unsigned count;
};

static int64_t now_ms;

static void
on_due(struct timeout *t)
{
	struct one *one = LIST_OWNER(t, struct one, timeout);

	one->fired_ms = now_ms;
	one->count++;
}

/* Advances as the loop does: only when the wheel asked for it. */
static void
run_until(struct timeout_wheel *w, int64_t end_ms)
{
	int64_t next_ms;

	while (timeout_wheel_next(w, &next_ms) && next_ms <= end_ms) {
		now_ms = next_ms > now_ms ? next_ms : now_ms;
		timeout_wheel_advance(w, now_ms);
	}
	now_ms = end_ms;
	timeout_wheel_advance(w, now_ms);
}

static const struct row {
	const char *name;
	int64_t delay_ms;
} ROWS[] = {
	{ "at once", 0 },
	{ "in a millisecond", 1 },
	{ "in a tick", TIMEOUT_WHEEL_TICK_MS },
	{ "just under a round", ROUND_MS - 1 },
	{ "a round", ROUND_MS },
	{ "just over a round", ROUND_MS + 1 },
	{ "in many rounds", 75000 },
};

static void
fires_in_time(void **state)
{
	const struct row *row = *state;

	for (int64_t start = 1000; start < 1000 + 2 * TIMEOUT_WHEEL_TICK_MS; start++) {
		struct timeout_wheel w;
		struct one one = { 0 };

		now_ms = start;
		timeout_wheel_init(&w, start);
		timeout_init(&one.timeout, on_due);
		timeout_wheel_set(&w, &one.timeout, start + row->delay_ms);
		run_until(&w, start + row->delay_ms - 1);
		assert_int_equal(one.count, 0);
		run_until(&w, start + row->delay_ms + LATE_MS);
		assert_int_equal(one.count, 1);
		run_until(&w, start + 200000);
		assert_int_equal(one.count, 1);
	}
}

static void
cancelled_does_not_fire(void **state)
{
	struct timeout_wheel w;
	struct one one = { 0 };
	int64_t next_ms;

	(void)state;
	now_ms = 0;
	timeout_wheel_init(&w, 0);
	timeout_init(&one.timeout, on_due);
	timeout_cancel(&one.timeout);
	timeout_wheel_set(&w, &one.timeout, 100);
	timeout_cancel(&one.timeout);
	assert_false(timeout_wheel_next(&w, &next_ms));
	run_until(&w, 100000);
	assert_int_equal(one.count, 0);
}

static struct timeout_wheel *again_wheel;
static struct one victim;

static void
on_due_again(struct timeout *t)
{
	struct one *one = LIST_OWNER(t, struct one, timeout);

	timeout_cancel(&victim.timeout);
	if (++one->count < 3)
		timeout_wheel_set(again_wheel, t, now_ms + 50);
}

static void
callback_may_rearm_and_cancel_others(void **state)
{
	struct timeout_wheel w;
	struct one one = { 0 };

	(void)state;
	now_ms = 0;
	again_wheel = &w;
	victim = (struct one){ 0 };
	timeout_wheel_init(&w, 0);
	timeout_init(&one.timeout, on_due_again);
	timeout_init(&victim.timeout, on_due);
	timeout_wheel_set(&w, &one.timeout, 50);
	timeout_wheel_set(&w, &victim.timeout, 50);
	run_until(&w, 1000);
	assert_int_equal(one.count, 3);
	assert_int_equal(victim.count, 0);
}

enum { MANY = 40 };

/* Hundreds of sets, moves and cancels: each fires once, after its last due time, soon enough. */
static void
property_due_once_never_early(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < suite_seeds(300); seed++) {
		struct timeout_wheel w;
		struct one ones[MANY] = { 0 };
		int64_t due[MANY];
		struct rand r;

		rand_init_seed(&r, seed);
		now_ms = (int64_t)rand_below(&r, 100000);
		timeout_wheel_init(&w, now_ms);
		for (int i = 0; i < MANY; i++) {
			timeout_init(&ones[i].timeout, on_due);
			due[i] = -1;
		}
		for (int step = 0; step < 300; step++) {
			size_t i = (size_t)rand_below(&r, MANY);
			run_until(&w, now_ms + (int64_t)rand_below(&r, 40));
			if (rand_below(&r, 10) == 0) {
				timeout_cancel(&ones[i].timeout);
				due[i] = -1;
			} else {
				due[i] = now_ms + (int64_t)rand_below(&r, 3 * ROUND_MS);
				timeout_wheel_set(&w, &ones[i].timeout, due[i]);
			}
			ones[i].count = 0;
		}
		run_until(&w, now_ms + 4 * ROUND_MS);
		for (int i = 0; i < MANY; i++)
			if (ones[i].count != (due[i] >= 0) ||
			    (due[i] >= 0 && (ones[i].fired_ms < due[i] ||
					     ones[i].fired_ms > due[i] + LATE_MS + 40)))
				fail_msg("seed %llu", (unsigned long long)seed);
	}
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, fires_in_time);
	SUITE_TEST(&s, cancelled_does_not_fire);
	SUITE_TEST(&s, callback_may_rearm_and_cancel_others);
	SUITE_TEST(&s, property_due_once_never_early);
	return suite_run(&s, "net/timeout_wheel");
}

/* Cuts the power at every I/O call of a fixed scenario and opens what the disk then holds. The same
 * sweep over a store that syncs less must find losses: a test that cannot fail proves nothing. */
#include <stdio.h>

#include "harness.h"
#include "proof.h"
#include "scenario.h"
#include "vfs_fault.h"

enum { SEED_STEP = 100000, ENOUGH = 20 }; /* a store that loses that often need not be asked on */

struct sweep {
	const char *name;
	enum vfs_keep keep;
	const char *synchronous; /* NULL: as the store has it */
	uint64_t seed;
};

/* Returns false when the scenario ended before the cut came: the sweep is through. */
static bool
cut_at(struct proof_setup *setup, const struct sweep *sweep, uint64_t at, struct proof_tally *sum)
{
	struct trial t;
	struct verify v;
	struct err e;
	bool answered = true, hit;

	scratch_clear(&setup->dir);
	trial_init(&t);
	verify_init(&v);
	vfs_fault_begin(&(struct vfs_plan){ VFS_CUT, VFS_CHANGES, at, 0 });
	t.store = proof_open(setup, &e);
	if (t.store)
		answered = scenario_run(&t);
	store_free(&t.store);
	hit = vfs_fault_hit();
	if (!answered)
		verify_problem(&v, "an item was never answered");
	if (hit) {
		vfs_fault_power_cut(sweep->keep, sweep->seed + at);
		proof_compare(setup, &t, &v);
		proof_add(sum, &t, &v, sweep->synchronous ? NULL : sweep->name, at);
	}
	verify_release(&v);
	trial_release(&t);
	return hit;
}

static struct proof_tally
run_sweep(const struct sweep *sweep)
{
	struct proof_tally sum = { 0 };
	struct proof_setup setup;

	proof_setup_init(&setup, "cut");
	setup.synchronous = sweep->synchronous;
	/* Threads make one run a few calls shorter than another: three must end before the call. */
	for (uint64_t at = 1, misses = 0; misses < 3 && sum.problems < ENOUGH; at++)
		misses = cut_at(&setup, sweep, at, &sum) ? 0 : misses + 1;
	proof_setup_release(&setup);
	printf("%s: %llu cuts, %llu items acknowledged, %llu runs lost one, %llu problems\n",
	       sweep->name, (unsigned long long)sum.runs, (unsigned long long)sum.acked,
	       (unsigned long long)sum.lost, (unsigned long long)sum.problems);
	return sum;
}

static void
test_sweep(void **state)
{
	const struct sweep *sweep = *state;
	struct proof_tally sum = run_sweep(sweep);

	assert_int_equal(sum.problems, 0);
	assert_true(sum.runs > 100 && sum.acked > sum.runs);
}

static void
test_seeds(void **state)
{
	uint64_t seeds = suite_seeds(1);

	for (uint64_t seed = 0; seed < seeds; seed++) {
		struct sweep sweep = *(const struct sweep *)*state;
		void *one = &sweep;
		sweep.seed = seed * SEED_STEP;
		test_sweep(&one);
	}
}

static void
test_control(void **state)
{
	assert_true(run_sweep(*state).lost > 0);
}

int
main(void)
{
	static const struct sweep NOTHING = { "nothing unsynced survives", VFS_KEEP_NOTHING, NULL,
					      0 },
				  SOME = { "some sectors survive", VFS_KEEP_SOME, NULL, 0 },
				  NORMAL = { "synchronous=NORMAL", VFS_KEEP_NOTHING, "NORMAL", 0 };
	struct suite s = { 0 };

	suite_add(&s, "S1 Q1 power cut at every call, nothing unsynced survives: 0 lost",
		  test_sweep, &NOTHING);
	suite_add(&s, "S1 M9 A10 power cut at every call, some sectors survive: 0 lost", test_seeds,
		  &SOME);
	suite_add(&s,
		  "S1 power cut, negative control: synchronous=NORMAL loses what it acknowledged",
		  test_control, &NORMAL);
	return suite_run(&s, "store/powercut");
}

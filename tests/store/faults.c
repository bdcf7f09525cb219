/* Fails every I/O call of a fixed scenario in every way, one run each: an item is acknowledged or
 * refused with a sentence, nothing acknowledged is lost, a full disk is survived, a failed sync ends
 * all writing. */
#include <stdio.h>

#include "harness.h"
#include "proof.h"
#include "scenario.h"
#include "vfs_fault.h"

enum { ENOUGH = 20 };

enum after { AFTER_EITHER, AFTER_WRITES, AFTER_STOPPED };

struct fault_sweep {
	const char *name;
	enum vfs_fault fault;
	unsigned ops;
	uint64_t calls;   /* in a row; 0: until healed */
	enum after after; /* once nothing fails any more: do writes work? */
};

static void
check_sentences(const struct trial *t, struct verify *v)
{
	for (size_t i = 0; i < t->items.len; i++) {
		const struct store_result *r = &t->items.ptr[i]->result;
		if (r->rc < 0 && (r->err.code != r->rc || r->err.text[0] == '\0'))
			verify_problem(v, "refused with %d and no sentence", r->rc);
	}
}

/* The disk works again. A store that stopped must go on refusing, with the reason it gives. */
static bool
check_after(struct trial *t, const struct fault_sweep *sweep, struct verify *v)
{
	struct trial_item *probe = scenario_probe(t);
	struct err e = { 0 };
	int stopped = store_health(t->store, &e);

	if (!trial_do(probe))
		return false;
	if (stopped == 0 && probe->result.rc != 0 && probe->result.rc != ERR_NOT_FOUND &&
	    probe->result.rc != ERR_CONFLICT)
		verify_problem(v, "healthy, but a write gives: %s", probe->result.err.text);
	if (stopped != 0 && (probe->result.rc != stopped || e.text[0] == '\0'))
		verify_problem(v, "stopped with %d, but a write gives %d", stopped,
			       probe->result.rc);
	if (sweep->after == AFTER_WRITES && stopped != 0)
		verify_problem(v, "space is back, but writes are not: %s", e.text);
	if (sweep->after == AFTER_STOPPED && stopped == 0)
		verify_problem(v, "a sync failed, but writes go on");
	return true;
}

/* Returns false when the scenario ended before the fault came. */
static bool
fail_at(struct proof_setup *setup, const struct fault_sweep *sweep, uint64_t at,
	struct proof_tally *sum)
{
	struct trial t;
	struct verify v;
	struct err e = { 0 };
	bool answered = true, hit;

	scratch_clear(&setup->dir);
	trial_init(&t);
	verify_init(&v);
	vfs_fault_begin(&(struct vfs_plan){ sweep->fault, sweep->ops, at, sweep->calls });
	t.store = proof_open(setup, &e);
	if (!t.store && (e.code >= 0 || e.text[0] == '\0'))
		verify_problem(&v, "does not open, and says nothing");
	if (t.store) {
		answered = scenario_run(&t);
		hit = vfs_fault_hit();
		vfs_fault_heal();
		/* A fault that only the close meets has no one to tell. */
		answered = answered && (!hit || check_after(&t, sweep, &v));
	}
	store_free(&t.store);
	hit = vfs_fault_hit();
	if (!answered)
		verify_problem(&v, "an item was never answered");
	check_sentences(&t, &v);
	vfs_fault_power_cut(at % 2 ? VFS_KEEP_NOTHING : VFS_KEEP_ALL, at);
	if (hit) {
		proof_compare(setup, &t, &v);
		proof_add(sum, &t, &v, sweep->name, at);
	}
	verify_release(&v);
	trial_release(&t);
	return hit;
}

static void
test_sweep(void **state)
{
	const struct fault_sweep *sweep = *state;
	struct proof_tally sum = { 0 };
	struct proof_setup setup;

	proof_setup_init(&setup, "fault");
	/* Threads make one run a few calls shorter than another: three must end before the call. */
	for (uint64_t at = 1, misses = 0; misses < 3 && sum.problems < ENOUGH; at++)
		misses = fail_at(&setup, sweep, at, &sum) ? 0 : misses + 1;
	proof_setup_release(&setup);
	printf("%llu faults, %llu items acknowledged, %llu refused, %llu violations\n",
	       (unsigned long long)sum.runs, (unsigned long long)sum.acked,
	       (unsigned long long)sum.refused, (unsigned long long)sum.problems);
	assert_int_equal(sum.problems, 0);
	assert_true(sum.runs > 10);
}

static const struct fault_sweep SWEEPS[] = {
	{ "S1 I/O error once at every call: 0 violations", VFS_EIO, VFS_CHANGES, 1, AFTER_EITHER },
	{ "S1 I/O errors from every call on: 0 violations", VFS_EIO, VFS_CHANGES, 0, AFTER_EITHER },
	{ "S1 read error once at every read: 0 violations", VFS_EIO, VFS_BIT(VFS_READ), 1,
	  AFTER_EITHER },
	{ "S1 disk full from every call on: recovers", VFS_ENOSPC, VFS_CHANGES, 0, AFTER_WRITES },
	{ "S1 disk full once at every call: recovers", VFS_ENOSPC, VFS_CHANGES, 1, AFTER_WRITES },
	{ "S1 short write at every write: 0 violations", VFS_SHORT, VFS_BIT(VFS_WRITE), 1,
	  AFTER_EITHER },
	{ "S1 torn write at every write: 0 violations", VFS_TORN, VFS_BIT(VFS_WRITE), 1,
	  AFTER_EITHER },
	{ "S1 failed sync, then success: writing stops for good", VFS_SYNC_ERROR, VFS_BIT(VFS_SYNC),
	  1, AFTER_STOPPED },
	{ "S1 every sync fails from one on: writing stops for good", VFS_SYNC_ERROR,
	  VFS_BIT(VFS_SYNC), 0, AFTER_STOPPED },
};

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, SWEEPS, test_sweep);
	return suite_run(&s, "store/faults");
}

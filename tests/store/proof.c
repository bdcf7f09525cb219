#include "proof.h"

#include <stdio.h>

#include "store/sqlite/sqlite.h"
#include "vfs_fault.h"

enum {
	PRINTED_MAX = 5,
	CHECKPOINT_PAGES = 40, /* few, so that the scenario passes through checkpoints */
};

void
proof_setup_init(struct proof_setup *s, const char *name)
{
	*s = (struct proof_setup){ 0 };
	vfs_fault_register();
	scratch_init_memory(&s->dir, name);
}

void
proof_setup_release(struct proof_setup *s)
{
	vfs_fault_begin(&(struct vfs_plan){ 0 });
	scratch_release(&s->dir);
}

struct store *
proof_open(struct proof_setup *s, struct err *e)
{
	char incarnation[32];
	struct store_sqlite_config config = {
		.directory = s->dir.path,
		.checkpoint_idle_pages = CHECKPOINT_PAGES,
		.checkpoint_forced_pages = CHECKPOINT_PAGES,
		.vfs = VFS_FAULT_NAME,
		.synchronous = s->synchronous,
	};
	struct store *store = NULL;

	snprintf(incarnation, sizeof incarnation, "proof-%lld", (long long)++s->opened);
	config.incarnation = str_of(incarnation);
	return store_sqlite_open(&store, &config, (struct store_owner){ 0 }, e) == 0 ? store : NULL;
}

void
proof_compare(struct proof_setup *setup, struct trial *t, struct verify *v)
{
	struct verify again;
	struct store *s;
	struct err e;

	vfs_fault_begin(&(struct vfs_plan){ 0 });
	s = proof_open(setup, &e);
	if (!s) {
		verify_problem(v, "the store does not open any more: %s", e.text);
		return;
	}
	verify_store(v, s);
	trial_check(t, s, v);
	trial_repeat(t, s, v);
	verify_init(&again); /* the repeats doubled nothing */
	verify_store(&again, s);
	if (again.problem_count > 0)
		verify_problem(v, "after repeating:\n" STR_FMT, STR_ARG(buf_str(&again.problems)));
	verify_release(&again);
	store_free(&s);
}

void
proof_add(struct proof_tally *sum, const struct trial *t, const struct verify *v, const char *what,
	  uint64_t at)
{
	sum->runs++;
	sum->problems += v->problem_count;
	sum->lost += str_contains(buf_str(&v->problems), STR("LOST"));
	for (size_t i = 0; i < t->items.len; i++) {
		sum->acked += t->items.ptr[i]->answered && t->items.ptr[i]->result.rc == 0;
		sum->refused += t->items.ptr[i]->answered && t->items.ptr[i]->result.rc != 0;
	}
	sum->bad_runs += v->problem_count > 0;
	if (what && v->problem_count > 0 && sum->bad_runs <= PRINTED_MAX)
		printf("%s at call %llu:\n" STR_FMT, what, (unsigned long long)at,
		       STR_ARG(buf_str(&v->problems)));
}

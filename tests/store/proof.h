/* proof - one run of a sweep: open a store, do something, let it happen, open it again, compare. */
#pragma once
#include "scratch.h"
#include "store/store.h"
#include "trial.h"

/* How the store under proof is opened. */
struct proof_setup {
	struct scratch dir;
	const char *synchronous; /* NULL: as always; "NORMAL" for the negative control */
	int64_t opened;          /* so often: each time is another incarnation */
};

void proof_setup_init(struct proof_setup *s, const char *name);
void proof_setup_release(struct proof_setup *s);
/* Through the shim. NULL with the sentence when it does not open. */
struct store *proof_open(struct proof_setup *s, struct err *e);
/* Opens what is there with nothing failing, and compares it with the trial: whole, nothing
 * acknowledged lost, nothing half, keys good for a repeat. Closes it again. */
void proof_compare(struct proof_setup *s, struct trial *t, struct verify *v);

/* Adds up over a sweep; all problems are counted, the first are printed under `what` (NULL: none,
 * for sweeps that must find some). */
struct proof_tally {
	uint64_t runs, bad_runs, problems, lost;
	uint64_t acked, refused;
};
void proof_add(struct proof_tally *sum, const struct trial *t, const struct verify *v,
	       const char *what, uint64_t at);

/* chore - what the writer does besides its items, and when: move the log into the database, bring
 * the search index up to date, forget expired keys, remove purged sessions.
 *
 * A quiet writer does one after the other, in small steps. A busy one does what cannot wait for a
 * quiet moment that never comes, a step between two batches: the index in rounds, each of which
 * reaches what was there when it began, so that it keeps up with any load and search lags by less
 * than a second; keys faster than a server is likely to take them in. */
#pragma once
#include <stdbool.h>
#include "store/sqlite/checkpoint.h"
#include "store/sqlite/session_purge.h"
#include "store/sqlite/tx.h"

enum {
	CHORE_INDEX_EVERY_MS = 400, /* from one round to the next, while busy */
	CHORE_INDEX_EVENTS = 1000,  /* a step: some 10 ms */
	CHORE_PURGE_EVERY_MS = 100, /* from one step to the next, while busy */
	CHORE_PURGE_KEYS = 200,
	CHORE_BLOCKED_MS = 1000, /* after a reader was in the way */
};

/* Moves the search index behind the log, at most max events, and says where it stands. */
typedef int chore_index_fn(struct db *db, size_t max, int64_t *indexed_to, struct err *e);

struct chore {
	struct db *db;
	struct tx *tx; /* how far the log is, what time it is, when a key expires */
	struct checkpoint checkpoint;
	chore_index_fn *index; /* NULL: nothing is indexed */
	int64_t indexed_to, index_goal;
	bool index_round; /* under way, to index_goal */
	/* Where the log was when a step failed or found nothing: tried again with the next events. */
	int64_t index_rests, purge_rests;
	int64_t rested_change; /* the last change when it rested */
	int64_t round_ended_ns, purged_ns;
	struct session_purge sessions;
	int64_t sessions_rest, sessions_ns, sessions_after_ns; /* as of keys; not before the last */
};

/* db and tx must stay. */
void chore_init(struct chore *c, struct db *db, struct tx *tx, chore_index_fn *index);

/* Is there something to do in a quiet moment? */
bool chore_is_due(const struct chore *c);
/* One step. An error means that the store must stop. now_ns is monotonic. */
NODISCARD int chore_when_quiet(struct chore *c, int64_t now_ns, struct err *e);
NODISCARD int chore_when_busy(struct chore *c, int64_t now_ns, struct err *e);
/* Has something been written since it last rested? */
bool chore_may_rest(const struct chore *c);
/* Nothing was to be done for a long while: gives back what the last work took, of memory and of the
 * disk. An error means that the store must stop. */
NODISCARD int chore_rest(struct chore *c, struct err *e);
/* Moves the log into the database: one of SQLITE_CHECKPOINT_*. */
NODISCARD int chore_checkpoint(struct chore *c, int mode, struct err *e);

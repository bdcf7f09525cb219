/* writer - the one thread that changes the database.
 * It takes all that is queued, bounded by count and bytes, makes one synced transaction of it and
 * hands the answers over together: an idle store acknowledges after one sync, a busy one groups by
 * itself, and no timer is involved. It alone does the chores.
 *
 * When an item is at fault it fails alone. When the disk is full the batch fails and the next one
 * tries again. When a sync fails, or the database is damaged, nothing is ever written again. */
#pragma once
#include "store/sqlite/batch.h"
#include "store/sqlite/chore.h"
#include "store/sqlite/completion.h"
#include "store/sqlite/db.h"
#include "store/store.h"

/* Without items: time for a chore; with nothing else to do: time to give back what is not needed. */
enum { WRITER_QUIET_MS = 10, WRITER_REST_MS = 2000 };

struct writer_config {
	const char *path, *vfs;
	struct str incarnation;                                 /* must stay */
	int64_t checkpoint_idle_pages, checkpoint_forced_pages; /* 0: the usual */
	const char *synchronous; /* NULL: FULL. Anything else is for tests. */
	chore_index_fn *index;   /* NULL: nothing is indexed */
};

struct writer;

/* Opens the database, brings its schema up to date and starts the thread. */
NODISCARD int writer_new(struct writer **out, const struct writer_config *cfg,
			 struct completion_queue *answers, struct err *e);
/* From the owner's thread: a list of jobs, in order. */
void writer_submit(struct writer *w, struct batch_list jobs);
/* The change cursor behind the last event that was there when it was opened. */
int64_t writer_opened_at_change(const struct writer *w);
/* From any thread: 0, or why nothing is written any more. */
int writer_health(struct writer *w, struct err *e);
/* Writes what was submitted, empties the write-ahead log, closes. Readers must be gone. */
void writer_free(struct writer **w);

/* reader - the threads that answer queries, each on a read-only connection of its own.
 * Every job opens a new snapshot, so it sees all that was acknowledged before it was submitted.
 * Readers never write and never checkpoint; the pool is freed before the writer's connection. */
#pragma once
#include <stddef.h>
#include "base/err.h"
#include "base/list.h"
#include "base/str.h"
#include "store/store.h"

enum {
	READER_THREADS_MAX = 4,
	READER_QUEUE_MAX = 4096,    /* jobs that wait; one more is answered with ERR_LIMIT */
	READER_REST_MS = 2000,      /* without a job: it gives back what it keeps */
	READER_BUSY_WAIT_MS = 2000, /* then the job fails with ERR_UNAVAILABLE */
};

/* A job's outcome on its way to the owner's thread. */
struct reader_answer {
	struct list link; /* the sink's, while it keeps it */
	store_read_fn *done;
	void *ctx;
	int rc;
	bool more;
	struct err err;
};

/* Takes an answer over and wakes the owner. Called on a reader's thread, or inside submit when the
 * queue is full; it must not call back into the pool. */
typedef void reader_sink_fn(void *ctx, struct reader_answer *answer);

struct reader_sink {
	reader_sink_fn *push;
	void *ctx;
	struct str holder; /* this process's incarnation: leases of any other are dead; must stay */
};

struct reader_pool;

/* path must exist and have its schema. vfs NULL: the default one. */
NODISCARD int reader_pool_new(struct reader_pool **out, const char *path, const char *vfs,
			      size_t count, struct reader_sink sink, struct err *e);
/* From the owner's thread. The query is copied, its texts must stay until done. */
void reader_pool_submit(struct reader_pool *p, const struct store_query *q, store_row_fn *row,
			store_read_fn *done, void *ctx);
/* Finishes what was submitted (every answer reaches the sink), ends the threads. */
void reader_pool_free(struct reader_pool **p);

/* On the owner's thread: calls done and frees the answer. */
void reader_answer_deliver(struct reader_answer *answer);

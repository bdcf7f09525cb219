/* batch - many items, one transaction, one sync.
 * Items are added while the transaction is open; commit settles the fate of all of them at once. */
#pragma once
#include "store/sqlite/completion.h"
#include "store/sqlite/tx.h"

enum { BATCH_ITEMS_MAX = 1024, BATCH_BYTES_MAX = 4 * 1024 * 1024 };

/* An item on its way through the store. Its owner fills item, fn and ctx; deliver frees it. */
struct batch_job {
	struct completion completion; /* first: a job is its own completion */
	struct batch_job *next;
	const struct store_item *item;
	store_append_fn *fn;
	void *ctx, *owner;
	char *kept;                 /* a replay's texts; freed with the job */
	struct store_result result; /* err only when rc is negative */
};

struct batch_list {
	struct batch_job *first, *last;
};
/* Puts more behind l. */
void batch_list_join(struct batch_list *l, struct batch_list more);
/* Takes the first job off; NULL when there is none. */
struct batch_job *batch_list_take(struct batch_list *l);

struct batch {
	struct tx tx;
	struct head_cache heads;
	struct batch_list jobs;
	size_t items, bytes;
	int code;         /* of SQLite; once it is not success, nothing more is written */
	bool doubtful;    /* the last failure leaves in doubt what the disk holds: write no more */
	struct err error; /* the last failure's sentence */
};

/* db has its schema; it and incarnation must stay. */
NODISCARD int batch_init(struct batch *b, struct db *db, struct str incarnation, struct err *e);
void batch_release(struct batch *b);

/* Opens the transaction. The jobs of the last batch must be taken. */
void batch_begin(struct batch *b);
/* Is there no room for another item, or no use? */
bool batch_is_full(const struct batch *b);
/* Writes one item, unless the batch has failed already; the job is part of it in any case. */
void batch_add(struct batch *b, struct batch_job *job);
/* Commits. Afterwards every job has its result and no transaction is open. */
void batch_finish(struct batch *b);

/* sqlite - the store in one SQLite database: the default adapter.
 * One writer thread, a few reader threads, WAL with synchronous=FULL. The directory belongs to one
 * process at a time; inside it only SQLite touches the database's files. */
#pragma once
#include "store/store.h"

struct store_sqlite_config {
	const char *directory;  /* must exist; holds perdure.db and perdure.lock */
	struct str incarnation; /* unlike that of any process before: leases of others are dead */
	size_t readers;         /* 0: two */
	int64_t checkpoint_idle_pages, checkpoint_forced_pages; /* 0: the usual */

	/* for tests */
	const char *vfs;         /* NULL: the default one */
	const char *synchronous; /* NULL: FULL, which is the only setting that keeps the promise */
};

/* Takes the directory's lock, brings the schema up to date and starts the threads. ERR_CONFLICT when
 * another process holds the directory (it is named) or a newer program wrote the database. */
NODISCARD int store_sqlite_open(struct store **out, const struct store_sqlite_config *cfg,
				struct store_owner owner, struct err *e);

/* read - answers one query of the port on one connection.
 * The caller has opened the snapshot; rows go to its callback as they come from SQLite, so memory
 * does not grow with the page. One file per subject: read_session.c, read_event.c, read_item.c,
 * read_queue.c, read_record.c, read_search.c. */
#pragma once
#include "base/arena.h"
#include "base/buf.h"
#include "store/sqlite/db.h"
#include "store/store.h"

struct read_part; /* read_item's own */

struct read {
	struct db *db;
	struct str holder;           /* the incarnation that lives; a lease of any other is dead */
	struct arena scratch;        /* one row's */
	struct buf payload, content; /* one row's, when they live in blobs */
	struct sha256_ctx hash;

	/* the query being answered */
	const struct store_query *q;
	store_row_fn *row;
	void *ctx;
	int64_t sid;                  /* of the query's session, once found */
	const struct read_part *part; /* of a transcript, being read; NULL: all of it */
	size_t given;
	bool more;    /* there was a row behind the last one */
	bool stopped; /* the callback has had enough */
};

/* db and holder must stay. */
void read_init(struct read *r, struct db *db, struct str holder);
void read_release(struct read *r);
/* q has passed store_query_check. *more is set on success. */
NODISCARD int read_run(struct read *r, const struct store_query *q, store_row_fn *row, void *ctx,
		       bool *more, struct err *e);

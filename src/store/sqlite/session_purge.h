/* session_purge - removes what a purged session leaves behind, a slice at a time.
 *
 * The item that asks for it takes the session's row away and keeps its number in the table purge. From then
 * on nobody finds the session; its events with their entries of the search index, its projections, its keys
 * and the blobs that nobody else has follow in transactions of some milliseconds each. At the end the search
 * index is merged and the write-ahead log emptied, because deleted words and rows stay in them
 * (docs/decisions/0042). All of it is found in the tables again after a kill. */
#pragma once
#include "store/sqlite/tx.h"

enum {
	SESSION_PURGE_EVENTS = 500, /* a step has at most so many, ... */
	SESSION_PURGE_BYTES = 512 * 1024,
	SESSION_PURGE_ROWS = 2000,
	SESSION_PURGE_KEYS = 5000, /* looked at */
	SESSION_PURGE_CHUNKS = 8,  /* of a blob */
	SESSION_PURGE_MERGE_PAGES = 64,
};

struct session_purge {
	struct db *db;   /* the writer's */
	int64_t key_sid; /* whose keys are being looked for; 0: nobody's */
	int64_t key_row; /* up to here they were */
};

/* In an item's transaction. ERR_CONFLICT when the session is not deleted, or a fork reads its rows. */
NODISCARD int session_purge_begin(struct tx *t, const struct head *head, struct err *e);
/* Is something left to be done? */
NODISCARD int session_purge_find(struct db *writer, bool *due, struct err *e);
/* One slice. *due: there is more. *blocked: a reader is in the way, try again later. */
NODISCARD int session_purge_step(struct session_purge *p, bool *due, bool *blocked, struct err *e);

/* search_index - keeps the full-text table behind the log.
 * Runs on the writer's connection when it has nothing else to do. Only what people can see is
 * indexed: messages, their edits and summaries. The table keeps no text of its own, so whoever
 * purges an event must take its entry out before, with the same text (FTS5's 'delete' command);
 * an entry that stays behind finds no event and is never shown. */
#pragma once
#include "base/err.h"
#include "store/sqlite/db.h"

enum { SEARCH_INDEX_STEP_MAX = 1000 };

/* Indexes the next events, at most max (SEARCH_INDEX_STEP_MAX when larger), and moves the cursor, in
 * one transaction of its own. *indexed_to: the change it stands behind now; at the log's end unless
 * there is more to do. On failure nothing has changed. */
NODISCARD int search_index_step(struct db *writer, size_t max, int64_t *indexed_to, struct err *e);
/* Inside a transaction: what the events of a session up to a seq said is taken out of the index, as far as it
 * got in. Returns the SQLite code. */
NODISCARD int search_index_forget(struct db *writer, int64_t sid, int64_t to_seq);

/* tx - what the parts of one write transaction share: the connection, the cached heads, scratch
 * memory, and how a failure of SQLite is told from a refusal.
 *
 * A refusal (an item breaks a rule) is an ERR_* and leaves no trace. A failure of SQLite is noted in
 * failed as well: it concerns the whole batch, and the writer decides what follows from it. */
#pragma once
#include "base/arena.h"
#include "base/sha256.h"
#include "store/sqlite/db.h"
#include "store/sqlite/head.h"

struct tx {
	struct db *db;
	struct head_cache *heads;
	struct str incarnation; /* who holds the leases taken here */
	struct sha256_ctx hash;
	struct arena scratch; /* one item's; reset by the next */
	int64_t last_change;  /* the change cursor behind the last event written */
	int64_t last_sid;
	int64_t newest_ms;       /* the time: of the newest event that came by */
	int64_t first_expiry_ms; /* no key expires before this */
	bool purges;             /* something is left of purged sessions (session_purge) */
	int failed;              /* the first SQLite code that was not success; SQLITE_OK: none */
};

/* The prepared form of a string literal, without bindings. NULL when SQLite failed: binding to NULL
 * is harmless, and tx_run, tx_row and tx_exists report it. */
sqlite3_stmt *tx_prepare(struct tx *t, const char *sql);
/* Runs st to its end. */
NODISCARD int tx_run(struct tx *t, sqlite3_stmt *st, struct err *e);
/* Steps to the next row. When there is none *found is false and st is reset; a caller that wants
 * no more rows resets it. */
NODISCARD int tx_row(struct tx *t, sqlite3_stmt *st, bool *found, struct err *e);
/* Is there a row? Resets st. */
NODISCARD int tx_exists(struct tx *t, sqlite3_stmt *st, bool *out, struct err *e);
/* Runs a statement without bindings; returns the SQLite code and notes nothing. */
int tx_command(struct tx *t, const char *sql);
/* Rows that the last tx_run changed. */
int tx_changed(const struct tx *t);

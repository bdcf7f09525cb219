/* db - one SQLite connection: how it is opened, its statements, and what its errors mean to us.
 * Private to the sqlite adapter. Debian's SQLite (3.40) has the WAL-reset bug, so exactly one
 * connection writes and checkpoints; readers never do either. Nothing else in the process may open
 * the database file: closing it would drop SQLite's locks. */
#pragma once
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include "base/err.h"
#include "base/str.h"
#include "base/vec.h"

enum db_mode { DB_WRITER, DB_READER };

struct db_statement {
	const char *sql;
	sqlite3_stmt *st;
};

struct db {
	sqlite3 *handle;
	VEC(struct db_statement) statements; /* prepared once, found by their text's address */
};

/* WAL, synchronous=FULL, automatic checkpoints off; a reader is read-only and query_only. vfs NULL:
 * the default one. */
NODISCARD int
db_open(struct db *db, const char *path, enum db_mode mode, const char *vfs, struct err *e);
void db_close(struct db *db);
/* Gives back pages that it keeps for the next use, if they are more than this. */
enum { DB_SHRUNK_BYTES = 1024 * 1024 };
void db_shrink(struct db *db);

/* The prepared form of sql, reset and without bindings. sql must be a string literal (it is found by
 * address). NULL with *rc set to the SQLite code on failure. */
sqlite3_stmt *db_prepare(struct db *db, const char *sql, int *rc);
/* Runs sql to its end, ignoring rows. Returns the SQLite code. */
int db_run(struct db *db, const char *sql);
/* The same for one statement that gives no rows and is run often: a literal, prepared once. */
int db_command(struct db *db, const char *sql);

/* Maps a SQLite code to our error: FULL → ERR_NO_SPACE, IOERR → ERR_IO, CORRUPT/NOTADB →
 * ERR_CORRUPT, BUSY/LOCKED → ERR_UNAVAILABLE, CONSTRAINT → ERR_CONFLICT. what says what was tried. */
int db_fail(const struct db *db, int rc, const char *what, struct err *e);

/* Binds and columns as views; an empty view binds NULL with bind_opt, '' with bind_text. */
void db_bind_text(sqlite3_stmt *st, int at, struct str text);
void db_bind_opt(sqlite3_stmt *st, int at, struct str text);
void db_bind_blob(sqlite3_stmt *st, int at, const void *ptr, size_t len);
struct str db_text(sqlite3_stmt *st, int column);

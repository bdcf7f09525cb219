/* sqlite_fill - a database as the write side would leave it, made from core/replay alone: what reads
 * and checks are tested against does not depend on the code that writes. */
#pragma once
#include "harness.h"
#include "replay_log.h"
#include "store/sqlite/db.h"
#include "store/store.h"

struct fill {
	char dir[64]; /* of its own, under TMPDIR */
	char path[96];
	struct db db; /* the writing connection */
};

/* A fresh directory with an empty database that has its tables. */
void fill_open(struct fill *f);
/* Closes, and removes the directory. */
void fill_close(struct fill *f);

/* The session with its log and all projections; its instants are those of replay_log. Payloads
 * beyond large bytes go to blobs (0: none does). */
void fill_session(struct fill *f, const char *id, const char *script, size_t large);
/* Runs SQL; fails the test when SQLite does not like it. */
void fill_run(struct fill *f, const char *sql);

/* The page as one line: rows separated by blanks, '+' behind it when there is more, or the error.
 *   session ID · event SEQ · change SESSION/SEQ (also for search) · input ID[@CONTENT_SEQ]
 *   call ID:STATE · item SEQ[@CONTENT_SEQ] · record ID · key ANSWER */
void fill_show(struct fill *f, const struct store_query *q, struct buf *out);

struct fill_query {
	const char *name;
	struct store_query q;
	const char *want;
};
/* Compares the pages, on one reading connection. */
void fill_check(struct fill *f, const struct fill_query *row);

/* checkpoint - when does the write-ahead log move into the database, and how hard do we try?
 * Only the writer asks and acts: one connection writes and checkpoints (docs/decisions/0010). */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "store/sqlite/db.h"

enum {
	CHECKPOINT_IDLE_PAGES = 1000,    /* more than this: when nothing else is to be done */
	CHECKPOINT_FORCED_PAGES = 16000, /* more than this: now, waiting for readers */
	CHECKPOINT_READER_WAIT_MS = 100,
};

struct checkpoint {
	int64_t idle_pages, forced_pages;
	int64_t pages; /* in the log after the last commit */
	int64_t moved; /* of those, already in the database */
	int64_t most;  /* pages since the file was last cut: what it takes on the disk */
};

/* 0 thresholds mean the usual ones. Watches db's commits: c must stay where it is. */
void checkpoint_init(struct checkpoint *c, struct db *db, int64_t idle_pages, int64_t forced_pages);

enum checkpoint_need { CHECKPOINT_NONE, CHECKPOINT_WHEN_IDLE, CHECKPOINT_NOW };
enum checkpoint_need checkpoint_need(const struct checkpoint *c);
/* The file is larger than it needs to be. */
bool checkpoint_wants_cut(const struct checkpoint *c);
/* One of SQLITE_CHECKPOINT_*. Returns the SQLite code; a reader in the way is no failure. */
int checkpoint_run(struct checkpoint *c, struct db *db, int mode);
/* Moves everything and cuts the file, unless a reader stands in the way: nobody is waited for. Returns as checkpoint_run. */
int checkpoint_cut(struct checkpoint *c, struct db *db);

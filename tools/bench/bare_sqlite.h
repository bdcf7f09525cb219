/* bare_sqlite - what SQLite itself allows: a loop on one thread that writes the rows of the store's
 * messages (same schema, same indexes, same pragmas, same checkpoints) in groups of a fixed size,
 * with no queue, no checks, no replay and no hashing. */
#pragma once
#include <sqlite3.h>
#include <stdint.h>
#include "store/migrate.h"

struct bare_sqlite {
	sqlite3 *db;
	sqlite3_stmt *begin, *commit, *event, *key, *session;
	int64_t made;
	int64_t heads[2000]; /* of each session */
};

/* steps: the SQL that makes the tables, up to version 0. */
void bare_sqlite_init(struct bare_sqlite *b, const char *directory, const struct migration *steps);
void bare_sqlite_release(struct bare_sqlite *b);
/* Messages per second in transactions of `group` each. */
double bare_sqlite_per_second(struct bare_sqlite *b, int group);

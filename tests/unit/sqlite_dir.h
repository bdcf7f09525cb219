/* sqlite_dir - a directory of a test's own, and a store in it. */
#pragma once
#include "harness.h"
#include "store/sqlite/sqlite.h"

struct sqlite_dir {
	char path[64];
	char file[96]; /* the database */
};

void sqlite_dir_init(struct sqlite_dir *d);
/* Removes it with all that is in it. */
void sqlite_dir_release(struct sqlite_dir *d);
/* Fails the test when it does not open. cfg NULL: the usual. */
struct store *sqlite_dir_open(struct sqlite_dir *d, const struct store_sqlite_config *cfg);

/* view - a database as a store that can only be read; for the offline check.
 * No threads: queries run in store_dispatch, all of them on one connection that never writes and
 * never checkpoints. The caller holds the directory's lock. */
#pragma once
#include "base/err.h"
#include "store/store.h"

/* ERR_NOT_FOUND when there is no database at path, ERR_CONFLICT when a newer program wrote it. */
NODISCARD int
store_sqlite_view(struct store **out, const char *path, struct store_owner owner, struct err *e);

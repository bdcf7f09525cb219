/* schema - the database's tables are there and of the version this program knows. */
#pragma once
#include "store/sqlite/db.h"

enum { SCHEMA_PURGES = 3 }; /* since then sessions are purged */

NODISCARD int schema_version(struct db *db, int64_t *out, struct err *e);
/* db is the writing connection. ERR_CONFLICT when a newer program wrote the database. */
NODISCARD int schema_prepare(struct db *db, struct err *e);
/* ERR_CONFLICT likewise, of any connection; an older schema is accepted as it is. */
NODISCARD int schema_check(struct db *db, struct err *e);

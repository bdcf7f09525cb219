/* migrate - brings a database from the schema it has to the schema this program knows.
 * The steps are the numbered files under schema/, embedded at build time (tools/embed_sql); a
 * backend says how to ask for the version and how to take one step. */
#pragma once
#include <stdint.h>
#include "base/err.h"

struct migration {
	int64_t version; /* from 1, without gaps; 0 ends a table */
	const char *name, *sql;
};
extern const struct migration MIGRATE_SQLITE[];

struct migrate_backend {
	void *db;
	/* 0 for an empty database. */
	int (*version)(void *db, int64_t *version, struct err *e);
	/* All of step's SQL and its version in one durable transaction. */
	int (*apply)(void *db, const struct migration *step, struct err *e);
};

/* Takes the missing steps in order. A database with a newer schema than the last step is refused
 * with ERR_CONFLICT and left alone. */
NODISCARD int
migrate_run(const struct migrate_backend *b, const struct migration *steps, struct err *e);
/* The same refusal for a reader, which takes no steps. */
NODISCARD int
migrate_check(const struct migrate_backend *b, const struct migration *steps, struct err *e);

#include "store/sqlite/schema.h"

#include "base/failpoint.h"
#include "store/migrate.h"

int
schema_version(struct db *db, int64_t *out, struct err *e)
{
	int rc;
	sqlite3_stmt *st = db_prepare(db, "PRAGMA user_version", &rc);

	if (st)
		rc = sqlite3_step(st);
	if (rc != SQLITE_ROW)
		return db_fail(db, rc, "reading the schema version", e);
	*out = sqlite3_column_int64(st, 0);
	sqlite3_reset(st);
	return 0;
}

static int
version(void *ctx, int64_t *out, struct err *e)
{
	return schema_version(ctx, out, e);
}

static int
run_step(struct db *db, const struct migration *step)
{
	char pragma[64];
	int rc = db_run(db, "BEGIN IMMEDIATE");

	if (rc == SQLITE_OK)
		rc = db_run(db, step->sql);
	snprintf(pragma, sizeof pragma, "PRAGMA user_version=%lld", (long long)step->version);
	if (rc == SQLITE_OK)
		rc = db_run(db, pragma);
	if (FAILPOINT("migrate.before_commit"))
		rc = SQLITE_FULL;
	if (rc == SQLITE_OK)
		rc = db_run(db, "COMMIT");
	if (FAILPOINT("migrate.after_commit"))
		rc = SQLITE_IOERR_FSYNC;
	return rc;
}

static int
apply(void *ctx, const struct migration *step, struct err *e)
{
	struct db *db = ctx;
	int rc = run_step(db, step);

	if (rc == SQLITE_OK)
		return 0;
	rc = db_fail(db, rc, step->name, e);
	if (!sqlite3_get_autocommit(db->handle))
		IGNORE(db_run(db, "ROLLBACK")); /* closing would do the same */
	return rc;
}

int
schema_prepare(struct db *db, struct err *e)
{
	const struct migrate_backend b = { .db = db, .version = version, .apply = apply };

	return migrate_run(&b, MIGRATE_SQLITE, e);
}

int
schema_check(struct db *db, struct err *e)
{
	const struct migrate_backend b = { .db = db, .version = version };

	return migrate_check(&b, MIGRATE_SQLITE, e);
}

#include "store/sqlite/key_purge.h"

#include "base/failpoint.h"

static const char FIRST[] = "SELECT min(expires_at) FROM key";
static const char FORGET[] = "DELETE FROM key WHERE rowid IN (SELECT rowid FROM key"
			     " WHERE expires_at <= ?1 ORDER BY expires_at LIMIT ?2)";

static int
find_first(struct db *db, int64_t *out)
{
	int code = SQLITE_OK;
	sqlite3_stmt *st = db_prepare(db, FIRST, &code);

	if (!st)
		return code;
	code = sqlite3_step(st);
	if (code == SQLITE_ROW)
		*out = sqlite3_column_type(st, 0) == SQLITE_NULL ? INT64_MAX
								 : sqlite3_column_int64(st, 0);
	sqlite3_reset(st);
	return code == SQLITE_ROW ? SQLITE_OK : code;
}

int
key_purge_first(struct db *writer, int64_t *first_ms, struct err *e)
{
	int code = find_first(writer, first_ms);

	return code == SQLITE_OK ? 0 : db_fail(writer, code, "look for expired keys", e);
}

static int
forget(struct db *db, int64_t now_ms, size_t max)
{
	int code = SQLITE_OK;
	sqlite3_stmt *st = db_prepare(db, FORGET, &code);

	if (!st)
		return code;
	sqlite3_bind_int64(st, 1, now_ms);
	sqlite3_bind_int64(st, 2, (int64_t)max);
	code = sqlite3_step(st);
	sqlite3_reset(st);
	if (code == SQLITE_DONE && FAILPOINT("key_purge.before_commit"))
		return SQLITE_IOERR;
	return code == SQLITE_DONE ? SQLITE_OK : code;
}

int
key_purge_step(struct db *writer, int64_t now_ms, size_t max, int64_t *first_ms, struct err *e)
{
	int64_t first = INT64_MAX;
	int code = db_command(writer, "BEGIN IMMEDIATE"), rc = 0;

	if (code == SQLITE_OK)
		code = forget(writer, now_ms, max);
	if (code == SQLITE_OK)
		code = find_first(writer, &first);
	if (code == SQLITE_OK)
		code = db_command(writer, "COMMIT");
	if (code == SQLITE_OK)
		*first_ms = first;
	else
		rc = db_fail(writer, code, "forget expired keys", e);
	if (rc != 0 && !sqlite3_get_autocommit(writer->handle))
		db_command(writer, "ROLLBACK"); /* the next BEGIN would tell */
	return rc;
}

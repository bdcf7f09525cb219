#include "store/sqlite/tx.h"

static int
fail(struct tx *t, int code, struct err *e)
{
	if (t->failed == SQLITE_OK)
		t->failed = code;
	return db_fail(t->db, t->failed, "the store could not write", e);
}

sqlite3_stmt *
tx_prepare(struct tx *t, const char *sql)
{
	int code = SQLITE_OK;
	sqlite3_stmt *st = db_prepare(t->db, sql, &code);

	if (!st && t->failed == SQLITE_OK)
		t->failed = code;
	return st;
}

int
tx_row(struct tx *t, sqlite3_stmt *st, bool *found, struct err *e)
{
	int code, rc = 0;

	*found = false;
	if (!st)
		return fail(t, t->failed, e);
	code = sqlite3_step(st);
	if (code == SQLITE_ROW) {
		*found = true;
		return 0;
	}
	if (code != SQLITE_DONE)
		rc = fail(t, code, e);
	sqlite3_reset(st);
	return rc;
}

int
tx_run(struct tx *t, sqlite3_stmt *st, struct err *e)
{
	bool found = true;
	int rc = 0;

	while (rc == 0 && found)
		rc = tx_row(t, st, &found, e);
	return rc;
}

int
tx_exists(struct tx *t, sqlite3_stmt *st, bool *out, struct err *e)
{
	int rc = tx_row(t, st, out, e);

	sqlite3_reset(st);
	return rc;
}

int
tx_command(struct tx *t, const char *sql)
{
	return db_command(t->db, sql);
}

int
tx_changed(const struct tx *t)
{
	return sqlite3_changes(t->db->handle);
}

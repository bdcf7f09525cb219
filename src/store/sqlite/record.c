#include "store/sqlite/record.h"

/* 0: absent. */
static int
version_of(struct tx *t, const struct store_record *r, int64_t *out, struct err *e)
{
	sqlite3_stmt *st = tx_prepare(t, "SELECT version FROM record WHERE kind=?1 AND id=?2");
	bool found;
	int rc;

	db_bind_text(st, 1, r->kind);
	db_bind_text(st, 2, r->id);
	rc = tx_row(t, st, &found, e);
	*out = rc == 0 && found ? sqlite3_column_int64(st, 0) : 0;
	if (rc == 0 && found)
		sqlite3_reset(st);
	return rc;
}

static int
record_remove(struct tx *t, const struct store_record *r, struct err *e)
{
	sqlite3_stmt *st = tx_prepare(t, "DELETE FROM record WHERE kind=?1 AND id=?2");

	db_bind_text(st, 1, r->kind);
	db_bind_text(st, 2, r->id);
	return tx_run(t, st, e);
}

static int
record_write(struct tx *t, const struct store_record *r, int64_t version, struct err *e)
{
	sqlite3_stmt *st = tx_prepare(
		t, "INSERT INTO record (kind, id, owner, due_at, body, version)"
		   " VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (kind, id) DO UPDATE SET"
		   " owner=?3, due_at=?4, body=?5, version=?6");

	db_bind_text(st, 1, r->kind);
	db_bind_text(st, 2, r->id);
	db_bind_opt(st, 3, r->owner);
	if (r->due_at_ms != 0)
		sqlite3_bind_int64(st, 4, r->due_at_ms);
	db_bind_text(st, 5, r->body);
	sqlite3_bind_int64(st, 6, version);
	return tx_run(t, st, e);
}

int
record_put(struct tx *t, const struct store_put *put, struct err *e)
{
	const struct store_record *r = &put->record;
	int64_t version;
	int rc = version_of(t, r, &version, e);

	if (rc != 0)
		return rc;
	if (put->if_version != STORE_VERSION_ANY && put->if_version != version)
		return err_set(e, ERR_CONFLICT, STR_FMT " " STR_FMT " has version %lld, not %lld",
			       STR_ARG(r->kind), STR_ARG(r->id), (long long)version,
			       (long long)put->if_version);
	return put->remove ? record_remove(t, r, e) : record_write(t, r, version + 1, e);
}

int
record_is_owned(struct tx *t, struct str kind, struct str owner, bool *out, struct err *e)
{
	sqlite3_stmt *st = tx_prepare(t, "SELECT 1 FROM record WHERE kind=?1 AND owner=?2 LIMIT 1");

	db_bind_text(st, 1, kind);
	db_bind_text(st, 2, owner);
	return tx_exists(t, st, out, e);
}

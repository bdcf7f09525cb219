/* read_record - records of their own, and the keys that make a repeat recognisable. */
#include "store/sqlite/key_digest.h"
#include "store/sqlite/read_private.h"

#define SELECT_RECORDS "SELECT kind, id, owner, due_at, body, version FROM record WHERE kind = ?1"

/* ?1 kind, ?2 id to start behind, ?3 limit, ?4 owner, ?5 due up to, ?6 due time to start behind */
static const char GET[] = SELECT_RECORDS " AND id = ?2";
static const char BY_ID[] = SELECT_RECORDS " AND id > ?2 ORDER BY id LIMIT ?3";
static const char BY_OWNER[] = SELECT_RECORDS " AND owner = ?4 AND id > ?2 ORDER BY id LIMIT ?3";
static const char BY_ID_DOWN[] = SELECT_RECORDS " AND id < ?2 ORDER BY id DESC LIMIT ?3";
static const char BY_OWNER_DOWN[] =
	SELECT_RECORDS " AND owner = ?4 AND id < ?2 ORDER BY id DESC LIMIT ?3";
static const char BY_DUE[] =
	SELECT_RECORDS " AND due_at IS NOT NULL AND due_at <= ?5 AND (due_at, id) > (?6, ?2)"
		       " AND (?4 IS NULL OR owner = ?4) ORDER BY due_at, id LIMIT ?3";
static const char KEY[] = "SELECT request, answer, expires_at FROM key WHERE digest = ?1";

static int
make_record(struct read *r, sqlite3_stmt *st, struct err *e)
{
	struct column c = { .st = st };
	struct store_record record = { .kind = column_text(&c) };

	(void)e;
	record.id = column_text(&c);
	record.owner = column_text(&c);
	record.due_at_ms = column_int(&c); /* NULL reads as 0 */
	record.body = column_text(&c);
	record.version = column_int(&c);
	read_give(r, &(struct store_row){ .record = &record });
	return 0;
}

int
read_record_get(struct read *r, struct err *e)
{
	sqlite3_stmt *st;
	int rc = read_prepare(r, GET, &st, e);

	if (rc != 0)
		return rc;
	db_bind_text(st, 1, r->q->record_kind);
	db_bind_text(st, 2, r->q->record_id);
	return read_each(r, st, make_record, e);
}

int
read_record_list(struct read *r, struct err *e)
{
	const struct store_query *q = r->q;
	bool owned = q->record_owner.len > 0, down = q->descending && q->due_until_ms == 0;
	/* No id begins with this byte: everything stands before it. */
	struct str top = STR("\xff");
	const char *sql = q->due_until_ms > 0 ? BY_DUE
			  : down              ? (owned ? BY_OWNER_DOWN : BY_ID_DOWN)
					      : (owned ? BY_OWNER : BY_ID);
	sqlite3_stmt *st;
	int rc = read_prepare(r, sql, &st, e);

	if (rc != 0)
		return rc;
	db_bind_text(st, 1, q->record_kind);
	db_bind_text(st, 2, down && q->record_id.len == 0 ? top : q->record_id);
	sqlite3_bind_int64(st, 3, read_limit(r));
	if (owned || sql == BY_DUE)
		db_bind_opt(st, 4, q->record_owner);
	if (sql == BY_DUE) {
		sqlite3_bind_int64(st, 5, q->due_until_ms);
		sqlite3_bind_int64(st, 6, q->after);
	}
	return read_each(r, st, make_record, e);
}

/* Only half of the request's hash is stored; the other half of key.request is zero. */
static int
make_key(struct read *r, sqlite3_stmt *st, struct err *e)
{
	struct column c = { .st = st };
	struct store_key key = { .kind = r->q->key_kind,
				 .scope = r->q->key_scope,
				 .name = r->q->key_name };
	struct str request = column_bytes(&c);

	if (request.len != KEY_DIGEST_BYTES)
		return err_set(e, ERR_CORRUPT, "key " STR_FMT ": its row is damaged",
			       STR_ARG(key.name));
	memcpy(key.request.bytes, request.ptr, request.len);
	key.answer = column_text(&c);
	key.expires_at_ms = column_int(&c);
	read_give(r, &(struct store_row){ .key = &key });
	return 0;
}

int
read_record_key(struct read *r, struct err *e)
{
	const struct store_query *q = r->q;
	struct key_digest digest;
	sqlite3_stmt *st;
	int rc = read_prepare(r, KEY, &st, e);

	if (rc != 0)
		return rc;
	digest = key_digest_of(&r->hash, q->key_kind, q->key_scope, q->key_name);
	db_bind_blob(st, 1, digest.bytes, sizeof digest.bytes);
	return read_each(r, st, make_key, e);
}

#include "store/sqlite/read.h"

#include "store/sqlite/read_private.h"

void
read_init(struct read *r, struct db *db, struct str holder)
{
	*r = (struct read){ .db = db, .holder = holder };
	arena_init(&r->scratch);
	buf_init(&r->payload, STORE_PAYLOAD_MAX);
	buf_init(&r->content, STORE_PAYLOAD_MAX);
	sha256_init(&r->hash);
}

void
read_release(struct read *r)
{
	arena_release(&r->scratch);
	buf_release(&r->payload);
	buf_release(&r->content);
	sha256_release(&r->hash);
}

int
read_prepare(struct read *r, const char *sql, sqlite3_stmt **out, struct err *e)
{
	int rc = SQLITE_OK;
	sqlite3_stmt *st = db_prepare(r->db, sql, &rc);

	if (!st)
		return db_fail(r->db, rc, "prepare a read", e);
	*out = st;
	return 0;
}

int64_t
read_limit(const struct read *r)
{
	return (int64_t)r->q->limit + 1;
}

int64_t
read_before(const struct read *r)
{
	return r->q->before > 0 ? r->q->before : INT64_MAX;
}

void
read_give(struct read *r, const struct store_row *row)
{
	r->given++;
	r->stopped = !r->row(r->ctx, row);
}

int
read_each(struct read *r, sqlite3_stmt *st, read_make_fn *make, struct err *e)
{
	int step = SQLITE_ROW, rc = 0;

	while (rc == 0 && !r->stopped && (step = sqlite3_step(st)) == SQLITE_ROW) {
		if (r->q->limit > 0 && r->given == r->q->limit) {
			r->more = true;
			break;
		}
		arena_reset(&r->scratch);
		rc = make(r, st, e);
	}
	if (rc == 0 && step != SQLITE_ROW && step != SQLITE_DONE)
		rc = db_fail(r->db, step, "read", e);
	sqlite3_reset(st); /* the step's error again, already told */
	return rc;
}

static const char FIND_SID[] = "SELECT sid FROM session WHERE id = ?1";

int
read_find_sid(struct read *r, struct err *e)
{
	sqlite3_stmt *st;
	int rc = read_prepare(r, FIND_SID, &st, e), step;

	if (rc != 0)
		return rc;
	db_bind_text(st, 1, r->q->session);
	step = sqlite3_step(st);
	r->sid = step == SQLITE_ROW ? sqlite3_column_int64(st, 0) : 0;
	if (step != SQLITE_ROW && step != SQLITE_DONE)
		rc = db_fail(r->db, step, "find a session", e);
	sqlite3_reset(st);
	return rc;
}

static int
dispatch(struct read *r, struct err *e)
{
	switch (r->q->kind) {
	case STORE_GET_SESSION: return read_session_get(r, e);
	case STORE_LIST_SESSIONS: return read_session_list(r, e);
	case STORE_LIST_EVENTS: return read_event_list(r, e);
	case STORE_LIST_PENDING: return read_queue_pending(r, e);
	case STORE_LIST_QUEUE: return read_queue_all(r, e);
	case STORE_LIST_CALLS: return read_queue_calls(r, e);
	case STORE_LIST_ITEMS: return read_item_list(r, e);
	case STORE_LIST_CHANGES: return read_event_changes(r, e);
	case STORE_GET_RECORD: return read_record_get(r, e);
	case STORE_LIST_RECORDS: return read_record_list(r, e);
	case STORE_FIND_KEY: return read_record_key(r, e);
	case STORE_SEARCH: return read_search(r, e);
	}
	return err_set(e, ERR_INVALID, "no such query: %d", (int)r->q->kind);
}

/* A blob may be 64 MiB; the next row will rarely need as much. */
static void
shrink(struct buf *b)
{
	if (b->cap > 1024 * 1024)
		buf_release(b);
}

int
read_run(struct read *r, const struct store_query *q, store_row_fn *row, void *ctx, bool *more,
	 struct err *e)
{
	int rc;

	r->q = q;
	r->row = row;
	r->ctx = ctx;
	r->given = 0;
	r->more = r->stopped = false;
	rc = dispatch(r, e);
	shrink(&r->payload);
	shrink(&r->content);
	if (rc == 0)
		*more = r->more;
	return rc;
}

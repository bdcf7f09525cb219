/* read_queue - what a session waits for: its pending inputs and the calls of its open turn. */
#include "store/sqlite/read_private.h"

static const char PENDING[] =
	"SELECT e.seq, e.id, e.kind, e.created_at, e.meta, ifnull(x.content_seq, e.seq)"
	" FROM event e INDEXED BY event_by_seq"
	" LEFT JOIN edit x ON x.sid = e.sid AND x.seq = e.seq WHERE e.sid = ?1"
	" AND e.seq >= max(?2 + 1, (SELECT queue_from FROM session WHERE sid = ?1))"
	" AND (e.processed IS NULL) = 1 ORDER BY e.seq LIMIT ?3";
static const char CALLS[] = "SELECT id, seq, kind, state, client, answer_id, closed_seq FROM call"
			    " WHERE sid = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3";

static int
read_meta(struct read *r, struct str text, struct input_meta *out, struct err *e)
{
	struct json_doc doc;
	struct err inner;

	if (json_parse(&r->scratch, text, &JSON_LIMITS_DEFAULT, &doc, &inner) != 0 ||
	    input_meta_read(json_root(&doc), &r->scratch, out, &inner) != 0)
		return err_set(e, ERR_CORRUPT, "its meta: %s", inner.text);
	return 0;
}

static int
make_input(struct read *r, sqlite3_stmt *st, struct err *e)
{
	struct column c = { .st = st };
	struct input_row in = { .seq = column_int(&c) };
	int rc;

	in.id = column_text(&c);
	in.kind = column_enum(&c, EVENT_KINDS);
	in.created_at_ms = column_int(&c);
	rc = read_meta(r, column_text(&c), &in.meta, e);
	in.content_seq = column_int(&c);
	if (rc == 0 && c.bad)
		rc = err_set(e, ERR_CORRUPT, "its row is damaged");
	if (rc != 0)
		return err_prefix(e, rc, "session " STR_FMT ", pending input of seq %lld: ",
				  STR_ARG(r->q->session), (long long)in.seq);
	read_give(r, &(struct store_row){ .input = &in });
	return 0;
}

static int
make_call(struct read *r, sqlite3_stmt *st, struct err *e)
{
	struct column c = { .st = st };
	struct call_row call = { .id = column_text(&c) };

	call.seq = column_int(&c);
	call.kind = column_enum(&c, EVENT_KINDS);
	call.state = column_enum(&c, CALL_CLOSED + 1);
	call.client_side = column_bool(&c);
	call.answer_id = column_text(&c);
	call.closed_seq = column_int(&c);
	if (c.bad)
		return err_set(e, ERR_CORRUPT,
			       "session " STR_FMT ", call of seq %lld: its row is damaged",
			       STR_ARG(r->q->session), (long long)call.seq);
	read_give(r, &(struct store_row){ .call = &call });
	return 0;
}

static int
list(struct read *r, const char *sql, read_make_fn *make, struct err *e)
{
	sqlite3_stmt *st;
	int rc = read_find_sid(r, e);

	if (rc != 0 || r->sid == 0)
		return rc;
	rc = read_prepare(r, sql, &st, e);
	if (rc != 0)
		return rc;
	sqlite3_bind_int64(st, 1, r->sid);
	sqlite3_bind_int64(st, 2, r->q->after);
	sqlite3_bind_int64(st, 3, read_limit(r));
	return read_each(r, st, make, e);
}

int
read_queue_pending(struct read *r, struct err *e)
{
	return list(r, PENDING, make_input, e);
}

int
read_queue_all(struct read *r, struct err *e)
{
	int rc = read_session_get(r, e);

	return rc == 0 ? read_queue_pending(r, e) : rc;
}

int
read_queue_calls(struct read *r, struct err *e)
{
	return list(r, CALLS, make_call, e);
}

/* read_event - pages of one session's log, or of all logs behind the change cursor. */
#include "store/sqlite/read_private.h"

#define SELECT_EVENTS      "SELECT " READ_EVENT_COLUMNS " FROM event e WHERE e.sid = ?1"
#define BETWEEN_WITH_KINDS " AND e.seq > ?2 AND e.seq < ?3 AND (?4 = 0 OR ?4 >> e.kind & 1)"

static const char ASCENDING[] = SELECT_EVENTS BETWEEN_WITH_KINDS " ORDER BY e.seq LIMIT ?5";
static const char DESCENDING[] = SELECT_EVENTS BETWEEN_WITH_KINDS " ORDER BY e.seq DESC LIMIT ?5";
static const char CHANGES[] = "SELECT " READ_EVENT_COLUMNS ", s.id, s.agent_id FROM event e"
			      " CROSS JOIN session s ON s.sid = e.sid"
			      " WHERE e.n > ?1 AND (?2 = 0 OR ?2 >> e.kind & 1)"
			      " ORDER BY e.n LIMIT ?3";
static const char POSITION[] =
	"SELECT (s.phase <> 0) + (SELECT count(*) FROM event p INDEXED BY event_by_seq"
	" WHERE p.sid = ?1 AND p.seq >= s.queue_from AND p.seq < ?2"
	" AND (p.processed IS NULL) = 1 AND p.kind IN (?3, ?4, ?5)) FROM session s WHERE s.sid = "
	"?1";
static const char CHUNKS[] = "SELECT bytes FROM blob WHERE digest = ?1 ORDER BY chunk";

/* The bytes as received, put together again. */
static int
fetch_blob(struct read *r, struct str digest, struct buf *out, struct err *e)
{
	sqlite3_stmt *st;
	int rc = read_prepare(r, CHUNKS, &st, e), step;

	if (rc != 0)
		return rc;
	buf_clear(out);
	db_bind_blob(st, 1, digest.ptr, digest.len);
	while ((step = sqlite3_step(st)) == SQLITE_ROW)
		buf_put(out, sqlite3_column_blob(st, 0), (size_t)sqlite3_column_bytes(st, 0));
	if (step != SQLITE_DONE)
		rc = db_fail(r->db, step, "read a blob", e);
	sqlite3_reset(st);
	if (rc == 0 && out->len == 0)
		rc = err_set(e, ERR_CORRUPT, "its payload's blob is missing");
	return rc == 0 ? buf_check(out, "a blob", e) : rc;
}

int
read_event_take(struct read *r, struct column *c, struct buf *large, struct store_event *out,
		struct err *e)
{
	struct event *ev = &out->ev;
	struct str blob;
	int rc = 0;

	*out = (struct store_event){ .change = column_int(c) };
	ev->seq = column_int(c);
	ev->id = column_text(c);
	ev->kind = column_enum(c, EVENT_KINDS);
	ev->author = column_enum(c, AUTHOR_SYSTEM + 1);
	ev->created_at_ms = column_int(c);
	ev->turn = column_text(c);
	ev->meta = column_text(c);
	ev->payload = column_bytes(c);
	blob = column_bytes(c);
	column_hash(c, &out->hash);
	out->processed_at_ms = column_int(c); /* NULL reads as 0 */
	if (c->bad)
		rc = err_set(e, ERR_CORRUPT, "its row is damaged");
	if (rc == 0 && blob.len > 0) {
		rc = fetch_blob(r, blob, large, e);
		ev->payload = buf_str(large);
	}
	return rc == 0 ? 0 : err_prefix(e, rc, "seq %lld: ", (long long)ev->seq);
}

/* What no trigger is that waits has none; what was fetched for one stays as it is. */
static int
find_position(struct read *r, struct store_event *event, struct err *e)
{
	sqlite3_stmt *st;
	int rc, step;

	if (event->processed_at_ms != 0 ||
	    (event->ev.kind != EVENT_USER_MESSAGE && event->ev.kind != EVENT_USER_DEFINE_OUTCOME &&
	     event->ev.kind != EVENT_SCHEDULE_FIRED))
		return 0;
	rc = read_prepare(r, POSITION, &st, e);
	if (rc != 0)
		return rc;
	sqlite3_bind_int64(st, 1, r->sid);
	sqlite3_bind_int64(st, 2, event->ev.seq);
	sqlite3_bind_int(st, 3, EVENT_USER_MESSAGE);
	sqlite3_bind_int(st, 4, EVENT_USER_DEFINE_OUTCOME);
	sqlite3_bind_int(st, 5, EVENT_SCHEDULE_FIRED);
	step = sqlite3_step(st);
	if (step == SQLITE_ROW)
		event->position = sqlite3_column_int64(st, 0);
	else if (step != SQLITE_DONE)
		rc = db_fail(r->db, step, "count the queue", e);
	sqlite3_reset(st);
	return rc;
}

static int
make(struct read *r, sqlite3_stmt *st, struct err *e)
{
	struct column c = { .st = st };
	struct store_event event;
	int rc = read_event_take(r, &c, &r->payload, &event, e);

	if (rc == 0)
		rc = find_position(r, &event, e);
	if (rc != 0)
		return err_prefix(e, rc, "session " STR_FMT ": ", STR_ARG(r->q->session));
	event.session = r->q->session;
	read_give(r, &(struct store_row){ .event = &event });
	return 0;
}

int
read_event_list(struct read *r, struct err *e)
{
	sqlite3_stmt *st;
	int rc = read_find_sid(r, e);

	if (rc != 0 || r->sid == 0)
		return rc;
	rc = read_prepare(r, r->q->descending ? DESCENDING : ASCENDING, &st, e);
	if (rc != 0)
		return rc;
	sqlite3_bind_int64(st, 1, r->sid);
	sqlite3_bind_int64(st, 2, r->q->after);
	sqlite3_bind_int64(st, 3, read_before(r));
	sqlite3_bind_int64(st, 4, (int64_t)r->q->kinds);
	sqlite3_bind_int64(st, 5, read_limit(r));
	return read_each(r, st, make, e);
}

static int
make_change(struct read *r, sqlite3_stmt *st, struct err *e)
{
	struct column c = { .st = st };
	struct store_event event;
	int rc = read_event_take(r, &c, &r->payload, &event, e);

	if (rc != 0)
		return rc;
	event.session = column_text(&c);
	event.agent = column_text(&c);
	read_give(r, &(struct store_row){ .event = &event });
	return 0;
}

int
read_event_changes(struct read *r, struct err *e)
{
	sqlite3_stmt *st;
	int rc = read_prepare(r, CHANGES, &st, e);

	if (rc != 0)
		return rc;
	sqlite3_bind_int64(st, 1, r->q->after);
	sqlite3_bind_int64(st, 2, (int64_t)r->q->kinds);
	sqlite3_bind_int64(st, 3, read_limit(r));
	return read_each(r, st, make_change, e);
}

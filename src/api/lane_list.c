/* lane_list - lanes in pages, newest activity first: the sessions that the caller may see, as far as a
 * lane is in them now. A lane is active when something was said in its session. */
#include "api/handlers.h"
#include "api/lane_json.h"
#include "api/page_query.h"
#include "api/session_load.h"

enum {
	LIMIT_DEFAULT = 50,
	LIMIT_MAX = 200,
	MINUTES_MAX = 5256000,
	MINUTE_MS = 60 * 1000,
	ANSWER_MAX = 16 * 1024 * 1024,
};

struct listing {
	struct exchange *x;
	struct store_query q;
	int64_t limit;
	struct cursor cursor;
	bool has_cursor, more;
	struct store_session *sessions; /* that were a lane's once */
	size_t session_count, at;
	struct buf out;
	int64_t written;
	/* the record in hand */
	struct str lane, body;
};

static void
finish(struct listing *l, int rc, const struct err *err)
{
	struct exchange *x = l->x;
	struct buf out = l->out; /* l dies with the exchange */

	if (rc != 0) {
		exchange_fail(x, rc, err);
	} else {
		page_query_close(x, &out, l->more ? &l->cursor : NULL);
		exchange_json(x, 200, buf_str(&out), false);
	}
	buf_release(&out);
}

static void
write_lane(struct listing *l)
{
	struct lane_entry entry;
	struct jw w;

	if (!lane_json_read(l->body, l->x->arena, &entry))
		return; /* the check of the data directory finds it */
	lane_entry_count(&entry, &l->sessions[l->at].row.counters);
	if (l->written++ > 0)
		buf_putc(&l->out, ',');
	jw_init(&w, &l->out);
	lane_json_write(&w, l->lane, &entry);
}

/* ---- the lane of each session ---- */

static void read_lane(struct listing *l);

static bool
on_lane_row(void *ctx, const struct store_row *row)
{
	struct listing *l = ctx;

	l->lane = arena_str(l->x->arena, row->record->id);
	l->body = arena_str(l->x->arena, row->record->body);
	return false;
}

static void
on_lane(void *ctx, int rc, bool more, const struct err *err)
{
	struct listing *l = ctx;

	(void)more;
	if (rc != 0 && rc != ERR_NOT_FOUND) { /* the session may be gone by now */
		finish(l, rc, err);
		return;
	}
	if (rc == 0 && l->body.len > 0)
		write_lane(l);
	l->cursor.a = l->sessions[l->at].row.counters.last_activity_ms;
	l->cursor.id = l->sessions[l->at].id;
	l->at++;
	read_lane(l);
}

static void
read_lane(struct listing *l)
{
	struct store_query q = { .kind = STORE_LIST_RECORDS,
				 .record_kind = RECORD_LANE,
				 .limit = 1 };

	if (l->at == l->session_count || l->written == l->limit) {
		l->more |= l->at < l->session_count;
		finish(l, 0, NULL);
		return;
	}
	q.session = q.record_owner = l->sessions[l->at].id;
	l->lane = l->body = (struct str){ 0 };
	engine_read(l->x->engine, &l->x->caller, &q, on_lane_row, on_lane, l);
}

/* ---- the sessions ---- */

static bool
on_session_row(void *ctx, const struct store_row *row)
{
	struct listing *l = ctx;

	l->cursor.a = row->session->row.counters.last_activity_ms;
	l->cursor.id = arena_str(l->x->arena, row->session->id);
	if (row->session->lane_key.len > 0)
		l->sessions[l->session_count++] = session_load_copy(l->x->arena, row->session);
	return true;
}

static void
on_sessions(void *ctx, int rc, bool more, const struct err *err)
{
	struct listing *l = ctx;

	l->more = more;
	if (rc != 0)
		finish(l, rc, err);
	else
		read_lane(l);
}

static int
read_query(struct listing *l, struct err *e)
{
	struct exchange *x = l->x;
	int64_t minutes = 0;
	struct str session = { 0 };
	int rc = exchange_query_int(x, "limit", 1, LIMIT_MAX, &l->limit, e);

	if (rc == 0)
		rc = exchange_query_int(x, "active_minutes", 1, MINUTES_MAX, &minutes, e);
	if (rc == 0)
		rc = exchange_query_str(x, "session_id", &session, e);
	if (rc == 0)
		rc = page_query_cursor(x, 'l', &l->cursor, &l->has_cursor, e);
	if (rc != 0)
		return rc;
	l->q.kind = session.len > 0 ? STORE_GET_SESSION : STORE_LIST_SESSIONS;
	l->q.session = session;
	if (minutes > 0)
		l->q.filter.active_since_ms =
			host_now_ms(engine_host(x->engine)) - minutes * MINUTE_MS;
	l->q.filter.lifecycles = 1u << LIFECYCLE_ACTIVE | 1u << LIFECYCLE_INACTIVE;
	l->q.cursor_ms = l->has_cursor ? l->cursor.a : 0;
	l->q.cursor_id = l->has_cursor ? l->cursor.id : (struct str){ 0 };
	l->q.limit = LIMIT_MAX;
	return 0;
}

void
lane_list_route(struct exchange *x)
{
	struct listing *l = ARENA_NEW(x->arena, struct listing);
	struct err e;
	int rc;

	*l = (struct listing){ .x = x, .limit = LIMIT_DEFAULT };
	rc = read_query(l, &e);
	if (rc != 0) {
		exchange_fail(x, rc, &e);
		return;
	}
	l->sessions = ARENA_ARRAY(x->arena, LIMIT_MAX, struct store_session);
	buf_init(&l->out, ANSWER_MAX);
	buf_put_str(&l->out, STR("{\"data\":["));
	engine_read(x->engine, &x->caller, &l->q, on_session_row, on_sessions, l);
}

/* ---- was there ever one? ---- */

struct asking {
	struct exchange *x;
	bool any;
};

static bool
on_any_row(void *ctx, const struct store_row *row)
{
	struct asking *a = ctx;

	(void)row;
	a->any = true;
	return false;
}

static void
on_any(void *ctx, int rc, bool more, const struct err *err)
{
	struct asking *a = ctx;

	(void)more;
	if (rc != 0)
		exchange_fail(a->x, rc, err);
	else
		exchange_json(a->x, 200,
			      a->any ? STR("{\"type\":\"lanes_any\",\"has_any\":true}")
				     : STR("{\"type\":\"lanes_any\",\"has_any\":false}"),
			      false);
}

void
lane_any_route(struct exchange *x)
{
	struct asking *a = ARENA_NEW(x->arena, struct asking);
	struct store_query q = { .kind = STORE_LIST_SESSIONS, .limit = 1 };

	a->x = x;
	engine_read(x->engine, &x->caller, &q, on_any_row, on_any, a);
}

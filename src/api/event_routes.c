/* event_routes - sending events to a session, and its log in pages. */
#include "api/event_routes.h"

#include "api/event_json.h"
#include "api/handlers.h"
#include "api/page_query.h"
#include "api/session_routes.h"

enum {
	LIMIT_DEFAULT = 100,
	ANSWER_MAX = 512 * 1024 * 1024, /* a batch may hold several large payloads */
	PAGE_BYTES = 4 * 1024 * 1024,   /* a page ends behind the event that passes it */
};

/* ---- sending ---- */

/* Events in a row as {"data":[...]}. */
static void
put_event(struct buf *out, const struct event_view *view)
{
	if (out->len == 0)
		buf_put_str(out, STR("{\"data\":["));
	else
		buf_putc(out, ',');
	event_json_write(out, view);
}

static void
answer_events(struct exchange *x, struct buf *out, bool replayed)
{
	if (out->len == 0)
		buf_put_str(out, STR("{\"data\":["));
	buf_put_str(out, STR("]}"));
	exchange_json(x, 200, buf_str(out), replayed);
}

/* The first answer again: its events as the log has them. */
struct replay {
	struct exchange *x;
	struct buf out;
};

static bool
on_replay_row(void *ctx, const struct store_row *row)
{
	struct replay *r = ctx;

	put_event(&r->out, &(struct event_view){ .ev = &row->event->ev,
						 .processed_at_ms = row->event->processed_at_ms,
						 .position = row->event->position });
	return true;
}

static void
on_replay_read(void *ctx, int rc, bool more, const struct err *err)
{
	struct replay *r = ctx;
	struct buf out = r->out;

	(void)more;
	if (rc != 0)
		exchange_fail(r->x, rc, err);
	else
		answer_events(r->x, &out, true);
	buf_release(&out);
}

static void
answer_replay(struct exchange *x, const struct engine_answer *answer)
{
	struct replay *r = ARENA_NEW(x->arena, struct replay);
	struct store_query q = {
		.kind = STORE_LIST_EVENTS,
		.session = x->captures[0],
		.after = answer->first_seq - 1,
		.limit = answer->event_count,
	};

	r->x = x;
	buf_init(&r->out, ANSWER_MAX);
	engine_read(x->engine, &x->caller, &q, on_replay_row, on_replay_read, r);
}

static void
on_sent(void *ctx, const struct engine_answer *answer)
{
	struct exchange *x = ctx;
	struct buf *out;

	if (answer->rc != 0) {
		session_fail(x, answer);
		return;
	}
	if (answer->replayed && answer->first_seq > 0) {
		answer_replay(x, answer);
		return;
	}
	out = exchange_buf(x);
	for (size_t i = 0; i < answer->event_count && answer->events; i++)
		put_event(out, &(struct event_view){ .ev = &answer->events[i],
						     .processed_at_ms = event_json_accepted_at(
							     &answer->events[i]) });
	answer_events(x, out, answer->replayed);
}

void
event_send_route(struct exchange *x)
{
	struct json events = { 0 };
	const struct json_field fields[] = { { "events", JSON_WANT_ARRAY, true, &events } };
	struct err e UNSET;
	int rc = json_fields(x->body, fields, ARRAY_LEN(fields), &e);

	if (rc != 0) {
		exchange_fail(x, rc, &e);
		return;
	}
	x->call.done = on_sent;
	engine_send(x->engine, &x->call, x->captures[0], events);
}

/* ---- listing ---- */

/* A place in the log that the query names by seq or by the id of an event. */
struct place {
	const char *name;
	struct str id;
	int64_t seq; /* -1: not given, or not found yet */
};
enum { PLACE_AFTER, PLACE_BEFORE, PLACE_AROUND, PLACES };

struct listing {
	struct exchange *x;
	struct str session;
	struct place places[PLACES];
	size_t missing; /* places whose event is still looked for */
	struct cursor cursor;
	bool has_cursor, descending;
	int64_t limit, count;
	int64_t from_ms, until_ms;
	uint64_t kinds;
	int64_t last_seq; /* the last row that was looked at */
	bool cut;
	struct buf out;
};

static void
listing_fail(struct listing *l, int rc, const struct err *e)
{
	struct buf out = l->out;

	exchange_fail(l->x, rc, e);
	buf_release(&out);
}

static bool
on_list_row(void *ctx, const struct store_row *row)
{
	struct listing *l = ctx;
	const struct store_event *ev = row->event;
	int64_t at_ms = ev->processed_at_ms != 0 ? ev->processed_at_ms : ev->ev.created_at_ms;

	if (l->count == l->limit || l->out.len >= PAGE_BYTES) {
		l->cut = true;
		return false;
	}
	l->last_seq = ev->ev.seq;
	if (at_ms < l->from_ms || at_ms > l->until_ms)
		return true;
	put_event(&l->out, &(struct event_view){ .ev = &ev->ev,
						 .processed_at_ms = ev->processed_at_ms,
						 .position = ev->position });
	l->count++;
	return true;
}

static void
on_listed(void *ctx, int rc, bool more, const struct err *err)
{
	struct listing *l = ctx;
	struct exchange *x = l->x;
	struct buf out = l->out;

	if (rc != 0) {
		listing_fail(l, rc, err);
		return;
	}
	if (out.len == 0)
		buf_put_str(&out, STR("{\"data\":["));
	l->cursor.a = l->last_seq;
	page_query_close(x, &out, l->cut || more ? &l->cursor : NULL);
	exchange_json(x, 200, buf_str(&out), false);
	buf_release(&out);
}

/* The page stands in the middle around its event, and goes on from there in its direction. */
static void
apply_around(const struct listing *l, struct store_query *q)
{
	int64_t half = l->limit / 2, at = l->places[PLACE_AROUND].seq;

	if (at < 0)
		return;
	if (l->descending && (q->before == 0 || q->before > at + half + 1))
		q->before = at + half + 1;
	if (!l->descending && q->after < at - half - 1)
		q->after = at - half - 1;
}

static void
read_listing(struct listing *l)
{
	bool by_time = l->from_ms != INT64_MIN || l->until_ms != INT64_MAX;
	struct store_query q = {
		.kind = STORE_LIST_EVENTS,
		.session = l->session,
		.after = l->places[PLACE_AFTER].seq > 0 ? l->places[PLACE_AFTER].seq : 0,
		.before = l->places[PLACE_BEFORE].seq > 0 ? l->places[PLACE_BEFORE].seq : 0,
		.descending = l->descending,
		.kinds = l->kinds,
		.limit = by_time ? STORE_PAGE_ROWS_MAX : (size_t)l->limit,
	};

	apply_around(l, &q);
	if (l->has_cursor && l->descending)
		q.before = l->cursor.a;
	else if (l->has_cursor)
		q.after = l->cursor.a;
	l->last_seq = l->descending ? q.before : q.after;
	engine_read(l->x->engine, &l->x->caller, &q, on_list_row, on_listed, l);
}

/* Ids have no index: they are looked for from the end, where readers usually are. */
static void locate(struct listing *l);

static bool
on_locate_row(void *ctx, const struct store_row *row)
{
	struct listing *l = ctx;

	l->last_seq = row->event->ev.seq;
	for (size_t i = 0; i < PLACES; i++) {
		struct place *p = &l->places[i];

		if (p->id.len == 0 || p->seq >= 0 || !str_eq(p->id, row->event->ev.id))
			continue;
		p->seq = l->last_seq;
		l->missing--;
	}
	return l->missing > 0;
}

static void
on_located(void *ctx, int rc, bool more, const struct err *err)
{
	struct listing *l = ctx;
	struct err e;

	if (rc != 0) {
		listing_fail(l, rc, err);
	} else if (l->missing == 0) {
		read_listing(l);
	} else if (more) {
		locate(l);
	} else {
		const struct place *p = l->places;

		while (p->id.len == 0 || p->seq >= 0)
			p++;
		listing_fail(l,
			     err_set(&e, ERR_INVALID, "%s: the session has no such event", p->name),
			     &e);
	}
}

static void
locate(struct listing *l)
{
	struct store_query q = {
		.kind = STORE_LIST_EVENTS,
		.session = l->session,
		.before = l->last_seq,
		.descending = true,
		.limit = STORE_PAGE_ROWS_MAX,
	};

	engine_read(l->x->engine, &l->x->caller, &q, on_locate_row, on_located, l);
}

/* A number is a seq, a word the id of an event. */
static int
read_place(struct listing *l, struct place *p, struct err *e)
{
	struct str text = { 0 };
	int rc = exchange_query_str(l->x, p->name, &text, e);

	p->seq = -1;
	if (rc != 0 || !text.ptr)
		return rc;
	if (str_to_int(text, &p->seq))
		return p->seq >= 0 ? 0
				   : err_set(e, ERR_INVALID, "%s: must not be negative", p->name);
	p->seq = -1;
	if (text.len < 5 || text.len > STORE_ID_MAX || !str_contains(text, STR("_")))
		return err_set(e, ERR_INVALID, "%s: must be a seq or the id of an event", p->name);
	p->id = text;
	l->missing++;
	return 0;
}

static int
read_listing_query(struct listing *l, struct err *e)
{
	static const char *const NAMES[PLACES] = { "after", "before", "around" };
	int rc = exchange_query_int(l->x, "limit", 1, STORE_PAGE_ROWS_MAX, &l->limit, e);

	for (size_t i = 0; i < PLACES && rc == 0; i++) {
		l->places[i].name = NAMES[i];
		rc = read_place(l, &l->places[i], e);
	}
	if (rc == 0)
		rc = page_query_order(l->x, &l->descending, e);
	if (rc == 0)
		rc = page_query_kinds(l->x, "types", UINT64_MAX, &l->kinds, e);
	if (rc == 0)
		rc = page_query_range(l->x, "created_at", &l->from_ms, &l->until_ms, e);
	return rc == 0 ? page_query_cursor(l->x, 'e', &l->cursor, &l->has_cursor, e) : rc;
}

void
event_list_session(struct exchange *x, struct str session)
{
	struct listing *l = ARENA_NEW(x->arena, struct listing);
	struct err e;
	int rc;

	*l = (struct listing){ .x = x,
			       .session = session,
			       .limit = LIMIT_DEFAULT,
			       .from_ms = INT64_MIN,
			       .until_ms = INT64_MAX };
	buf_init(&l->out, ANSWER_MAX);
	rc = read_listing_query(l, &e);
	if (rc != 0)
		exchange_fail(x, rc, &e);
	else if (l->missing > 0)
		locate(l);
	else
		read_listing(l);
}

void
event_list_route(struct exchange *x)
{
	event_list_session(x, x->captures[0]);
}

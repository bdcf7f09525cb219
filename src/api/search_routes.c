/* search_routes - all words of a text, in what people and agents said; newest first. */
#include "api/event_json.h"
#include "api/handlers.h"
#include "api/page_query.h"

enum {
	LIMIT_DEFAULT = 20,
	LIMIT_MAX = 100,
	PAGE_BYTES = 4 * 1024 * 1024,
	ANSWER_MAX = 256 * 1024 * 1024
};

struct search {
	struct exchange *x;
	struct store_query q;
	struct cursor cursor;
	bool has_cursor, cut;
	int64_t limit, count, last_change;
	struct buf out;
};

static bool
on_row(void *ctx, const struct store_row *row)
{
	struct search *s = ctx;
	struct event_view view = { .ev = &row->event->ev,
				   .processed_at_ms = row->event->processed_at_ms,
				   .session_id = row->event->session };

	if (s->count == s->limit || s->out.len >= PAGE_BYTES) {
		s->cut = true;
		return false;
	}
	if (s->count++ > 0)
		buf_putc(&s->out, ',');
	event_json_write(&s->out, &view);
	s->last_change = row->event->change;
	return true;
}

static void
on_read(void *ctx, int rc, bool more, const struct err *err)
{
	struct search *s = ctx;
	struct exchange *x = s->x;
	struct buf out = s->out;

	if (rc != 0) {
		exchange_fail(x, rc, err);
	} else {
		s->cursor.a = s->last_change;
		page_query_close(x, &out, s->cut || more ? &s->cursor : NULL);
		exchange_json(x, 200, buf_str(&out), false);
	}
	buf_release(&out);
}

static int
read_query(struct search *s, struct err *e)
{
	struct exchange *x = s->x;
	int rc = exchange_query_int(x, "limit", 1, LIMIT_MAX, &s->limit, e);

	if (rc == 0)
		rc = exchange_query_str(x, "q", &s->q.text, e);
	if (rc == 0 && (s->q.text.len == 0 || s->q.text.len > STORE_KEY_MAX))
		rc = err_set(e, ERR_INVALID, "q: must be a text of 1 to %d bytes", STORE_KEY_MAX);
	if (rc == 0)
		rc = exchange_query_str(x, "session_id", &s->q.session, e);
	if (rc == 0)
		rc = exchange_query_str(x, "agent_id", &s->q.filter.agent_id, e);
	if (rc == 0)
		rc = exchange_query_str(x, "workspace_id", &s->q.filter.workspace_id, e);
	if (rc == 0)
		rc = page_query_kinds(x, "types", UINT64_MAX, &s->q.kinds, e);
	if (rc == 0)
		rc = page_query_cursor(x, 'f', &s->cursor, &s->has_cursor, e);
	return rc;
}

void
session_search_route(struct exchange *x)
{
	struct search *s = ARENA_NEW(x->arena, struct search);
	struct err e;
	int rc;

	s->x = x;
	s->limit = LIMIT_DEFAULT;
	s->q.kind = STORE_SEARCH;
	rc = read_query(s, &e);
	if (rc != 0) {
		exchange_fail(x, rc, &e);
		return;
	}
	s->q.before = s->has_cursor ? s->cursor.a : 0;
	s->q.limit = (size_t)s->limit;
	buf_init(&s->out, ANSWER_MAX);
	buf_put_str(&s->out, STR("{\"data\":["));
	engine_read(x->engine, &x->caller, &s->q, on_row, on_read, s);
}

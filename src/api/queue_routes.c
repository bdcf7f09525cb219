/* queue_routes - the messages that wait, in the order they came; one of them edited or cancelled. */
#include "api/handlers.h"
#include "api/message_json.h"
#include "api/page_query.h"
#include "base/timestamp.h"

enum { LIMIT_DEFAULT = 50, LIMIT_MAX = 200, ANSWER_MAX = 64 * 1024 * 1024 };

struct entry {
	struct str id;
	int64_t seq, content_seq, created_at_ms;
	enum event_kind kind;
	enum busy_mode busy;
};

struct queue {
	struct exchange *x;
	struct cursor cursor;
	bool has_cursor, cut;
	bool turn_open; /* then the first of them waits too */
	int64_t ahead;  /* entries before this page */
	int64_t limit;
	struct entry *entries;
	size_t count, at;
	struct str message_id, content; /* JSON, of the entry at hand */
	struct buf out;
};

static void
finish(struct queue *q, int rc, const struct err *err)
{
	struct buf out = q->out;
	struct exchange *x = q->x;

	if (rc != 0) {
		exchange_fail(x, rc, err);
	} else {
		if (q->count > 0)
			q->cursor.a = q->entries[q->count - 1].seq;
		q->cursor.b = q->ahead + (int64_t)q->count;
		page_query_close(x, &out, q->cut ? &q->cursor : NULL);
		exchange_json(x, 200, buf_str(&out), false);
	}
	buf_release(&out);
}

static void
write_entry(struct queue *q)
{
	const struct entry *entry = &q->entries[q->at];
	char at[TIMESTAMP_TEXT_MAX];
	struct jw w;

	if (q->at > 0)
		buf_putc(&q->out, ',');
	jw_init(&w, &q->out);
	jw_object(&w);
	jw_field_str(&w, "type", STR("queued_message"));
	if (q->message_id.len > 0)
		jw_field_raw(&w, "message_id", q->message_id);
	else
		jw_field_str(&w, "message_id", entry->id);
	jw_field_str(&w, "event_id", entry->id);
	jw_field_str(&w, "event_type", str_of(event_type(entry->kind)));
	jw_field_int(&w, "seq", entry->seq);
	jw_field_int(&w, "position", q->ahead + (int64_t)q->at + (q->turn_open ? 1 : 0));
	jw_field_str(&w, "busy", str_of(busy_mode_name(entry->busy)));
	jw_field_raw(&w, "content", q->content.len > 0 ? q->content : STR("[]"));
	jw_field_str(&w, "created_at", timestamp_format(entry->created_at_ms, at));
	jw_end_object(&w);
}

/* ---- the content of each ---- */

static void read_content(struct queue *q);

/* The entry's own event, and the edit that replaced its content. */
static bool
on_content_row(void *ctx, const struct store_row *row)
{
	struct queue *q = ctx;
	const struct entry *entry = &q->entries[q->at];
	const struct event *ev = &row->event->ev;
	struct arena *a = q->x->arena;
	struct json_doc doc;
	struct json v;

	if (json_parse(a, ev->payload, &EVENT_PAYLOAD_LIMITS, &doc, NULL) != 0)
		return true;
	if (ev->seq == entry->seq && json_find(json_root(&doc), STR("message_id"), &v))
		q->message_id = arena_str(a, json_raw(v));
	if (ev->seq == entry->content_seq && json_find(json_root(&doc), STR("content"), &v))
		q->content = arena_str(a, json_raw(v));
	return ev->seq < entry->content_seq;
}

static void
on_content(void *ctx, int rc, bool more, const struct err *err)
{
	struct queue *q = ctx;

	(void)more;
	if (rc != 0) {
		finish(q, rc, err);
		return;
	}
	write_entry(q);
	q->at++;
	read_content(q);
}

static void
read_content(struct queue *q)
{
	const struct entry *entry = &q->entries[q->at];
	struct store_query query = {
		.kind = STORE_LIST_EVENTS,
		.session = q->x->captures[0],
		.kinds = UINT64_C(1) << EVENT_INPUT_EDITED,
		.limit = STORE_PAGE_ROWS_MAX,
	};

	if (q->at == q->count) {
		finish(q, 0, NULL);
		return;
	}
	q->message_id = q->content = (struct str){ 0 };
	query.kinds |= UINT64_C(1) << entry->kind;
	query.after = entry->seq - 1;
	query.before = entry->content_seq + 1;
	engine_read(q->x->engine, &q->x->caller, &query, on_content_row, on_content, q);
}

/* ---- who waits ---- */

static bool
on_pending_row(void *ctx, const struct store_row *row)
{
	struct queue *q = ctx;
	const struct input_row *in = row->input;

	if (in->meta.class != INPUT_TRIGGER)
		return true;
	if (q->count == (size_t)q->limit) {
		q->cut = true;
		return false;
	}
	q->entries[q->count++] = (struct entry){
		.id = arena_str(q->x->arena, in->id),
		.seq = in->seq,
		.content_seq = in->content_seq,
		.created_at_ms = in->created_at_ms,
		.kind = in->kind,
		.busy = in->meta.busy,
	};
	return true;
}

static void
on_pending(void *ctx, int rc, bool more, const struct err *err)
{
	struct queue *q = ctx;

	q->cut |= more;
	if (rc != 0)
		finish(q, rc, err);
	else
		read_content(q);
}

static bool
on_session_row(void *ctx, const struct store_row *row)
{
	((struct queue *)ctx)->turn_open = row->session->row.state.phase != TURN_NONE;
	return true;
}

static void
on_session(void *ctx, int rc, bool more, const struct err *err)
{
	struct queue *q = ctx;
	struct store_query query = {
		.kind = STORE_LIST_PENDING,
		.session = q->x->captures[0],
		.after = q->has_cursor ? q->cursor.a : 0,
		.limit = STORE_PAGE_ROWS_MAX,
	};

	(void)more;
	if (rc != 0)
		finish(q, rc, err);
	else
		engine_read(q->x->engine, &q->x->caller, &query, on_pending_row, on_pending, q);
}

void
queue_list_route(struct exchange *x)
{
	struct queue *q = ARENA_NEW(x->arena, struct queue);
	struct store_query query = { .kind = STORE_GET_SESSION,
				     .session = x->captures[0],
				     .limit = 1 };
	struct err e;
	int rc;

	q->x = x;
	q->limit = LIMIT_DEFAULT;
	rc = exchange_query_int(x, "limit", 1, LIMIT_MAX, &q->limit, &e);
	if (rc == 0)
		rc = page_query_cursor(x, 'q', &q->cursor, &q->has_cursor, &e);
	if (rc != 0) {
		exchange_fail(x, rc, &e);
		return;
	}
	q->ahead = q->has_cursor ? q->cursor.b : 0;
	q->entries = ARENA_ARRAY(x->arena, (size_t)q->limit, struct entry);
	buf_init(&q->out, ANSWER_MAX);
	buf_put_str(&q->out, STR("{\"data\":["));
	engine_read(x->engine, &x->caller, &query, on_session_row, on_session, q);
}

/* ---- one of them ---- */

static void
answer_changed(struct exchange *x, const struct engine_answer *answer, const char *id_name,
	       struct str type)
{
	struct buf *out;
	struct jw w;

	if (answer->rc != 0) {
		exchange_fail(x, answer->rc, answer->err);
		return;
	}
	out = exchange_buf(x);
	jw_init(&w, out);
	jw_object(&w);
	jw_field_str(&w, "type", type);
	jw_field_str(&w, id_name, x->captures[1]);
	jw_end_object(&w);
	exchange_json(x, 200, buf_str(out), answer->replayed);
}

static void
on_edited(void *ctx, const struct engine_answer *answer)
{
	answer_changed(ctx, answer, "message_id", STR("queued_message"));
}

static void
on_cancelled(void *ctx, const struct engine_answer *answer)
{
	answer_changed(ctx, answer, "id", STR("queued_message_deleted"));
}

void
queue_edit_route(struct exchange *x)
{
	struct json text = { 0 };
	const struct json_field fields[] = { { "text", JSON_WANT_STRING, true, &text } };
	struct err e;
	int rc = json_fields(x->body, fields, ARRAY_LEN(fields), &e);

	if (rc != 0) {
		exchange_fail(x, rc, &e);
		return;
	}
	x->call.done = on_edited;
	engine_queue_edit(x->engine, &x->call, x->captures[0], x->captures[1],
			  json_str(text, x->arena));
}

void
queue_cancel_route(struct exchange *x)
{
	x->call.done = on_cancelled;
	engine_queue_cancel(x->engine, &x->call, x->captures[0], x->captures[1]);
}

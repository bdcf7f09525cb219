/* message_routes - saying something to a session, and what was said. */
#include "api/handlers.h"
#include "api/message_json.h"
#include "api/message_turn.h"
#include "api/page_query.h"
#include "api/session_routes.h"
#include "base/utf8.h"

enum {
	LIST_DEFAULT = 50,
	LIST_MAX = 200,
	PAGE_BYTES = 4 * 1024 * 1024, /* a page ends behind the message that passes it */
	ANSWER_MAX = 256 * 1024 * 1024,
};
static const int64_t TIMEOUT_DEFAULT_MS = 120 * 1000, TIMEOUT_MAX_MS = 24 * 3600 * 1000;

/* ---- posting ---- */

enum post_mode { POST_DEFAULT, POST_APPEND, POST_WAIT, POST_STREAM };

struct post {
	struct exchange *x;
	enum post_mode mode;
	int64_t timeout_ms; /* 0: not given */
	struct engine_message message;
	struct message_posted posted;
	bool found;
};

static void
answer_posted(struct post *p)
{
	struct exchange *x = p->x;
	struct buf *out;
	struct jw w;

	if (p->mode == POST_WAIT) {
		message_turn_wait(x, &p->posted,
				  p->timeout_ms > 0 ? p->timeout_ms : TIMEOUT_DEFAULT_MS);
		return;
	}
	if (p->mode == POST_STREAM) {
		message_turn_stream(x, &p->posted, p->timeout_ms);
		return;
	}
	out = exchange_buf(x);
	jw_init(&w, out);
	jw_object(&w);
	message_posted_write(&p->posted, &w);
	jw_end_object(&w);
	exchange_json(x, 200, buf_str(out), p->posted.replayed);
}

/* The sender's own id, else the event's: what the queue goes by. */
static void
name_message(struct post *p, struct str event_id)
{
	p->posted.event_id = event_id;
	p->posted.message_id = p->message.message_id.len > 0 ? p->message.message_id : event_id;
	p->found = true;
}

static bool
on_first_row(void *ctx, const struct store_row *row)
{
	struct post *p = ctx;

	name_message(p, arena_str(p->x->arena, row->event->ev.id));
	return false;
}

static void
on_first_read(void *ctx, int rc, bool more, const struct err *err)
{
	struct post *p = ctx;
	struct err e;

	(void)more;
	if (rc == 0 && !p->found) {
		rc = err_set(&e, ERR_NOT_FOUND, "the first answer's message is not kept any more");
		err = &e;
	}
	if (rc != 0)
		exchange_fail(p->x, rc, err);
	else
		answer_posted(p);
}

/* A repeat: the first answer names its message by seq only. */
static void
read_first(struct post *p)
{
	struct store_query q = {
		.kind = STORE_LIST_EVENTS,
		.session = p->posted.session,
		.after = p->posted.seq - 1,
		.limit = 1,
	};

	engine_read(p->x->engine, &p->x->caller, &q, on_first_row, on_first_read, p);
}

static void
on_posted(void *ctx, const struct engine_answer *answer)
{
	struct post *p = ctx;
	size_t last = answer->event_count - 1; /* an interrupt may stand before the message */

	if (answer->rc != 0) {
		session_fail(p->x, answer);
		return;
	}
	p->posted.session = p->x->captures[0];
	p->posted.seq = answer->first_seq + (int64_t)last;
	p->posted.triggered = answer->triggered;
	p->posted.queue_position = answer->queue_position;
	p->posted.replayed = answer->replayed;
	if (!answer->events) {
		read_first(p);
		return;
	}
	name_message(p, arena_str(p->x->arena, answer->events[last].id));
	answer_posted(p);
}

struct post_fields {
	struct json text, mode, timeout, busy, sender, mentioned, attachments, metadata, message_id,
		model;
};

static int
take_fields(struct post *p, const struct post_fields *f, struct err *e)
{
	static const char *const MODES[] = { "default", "append", "wait", "stream" };
	static const char *const BUSY[] = { "queue", "steer", "interrupt", "collect", "reject" };
	struct engine_message *m = &p->message;
	size_t mode = POST_DEFAULT, busy = 0;
	int rc = json_take_str(f->text, p->x->arena, &m->text, e);

	if (rc == 0)
		rc = json_take_word(f->mode, MODES, ARRAY_LEN(MODES), &mode, e);
	if (rc == 0)
		rc = json_take_word(f->busy, BUSY, ARRAY_LEN(BUSY), &busy, e);
	if (rc == 0)
		rc = json_take_int(f->timeout, 1, TIMEOUT_MAX_MS, &p->timeout_ms, e);
	if (rc == 0)
		rc = json_take_bool(f->mentioned, &m->mentioned, e);
	if (rc == 0)
		rc = json_take_str(f->message_id, p->x->arena, &m->message_id, e);
	if (rc == 0)
		rc = json_take_str(f->model, p->x->arena, &m->model, e);
	if (rc == 0 && json_is_set(f->model) && m->model.len == 0)
		rc = json_fail(f->model, e, "must not be empty");
	if (rc == 0 && json_is_set(f->message_id) &&
	    (m->message_id.len == 0 || m->message_id.len > STORE_ID_MAX))
		rc = json_fail(f->message_id, e, "must have 1 to %d bytes", STORE_ID_MAX);
	if (rc == 0 && json_is_set(f->message_id) && utf8_is_blank(m->message_id))
		rc = json_fail(f->message_id, e, "must not be blank");
	p->mode = (enum post_mode)mode;
	m->append_only = p->mode == POST_APPEND;
	m->has_busy = json_is_set(f->busy);
	m->has_mentioned = json_is_set(f->mentioned);
	m->sender = f->sender;
	m->attachments = f->attachments;
	m->metadata = f->metadata;
	if (rc == 0 && m->has_busy && !busy_mode_parse(str_of(BUSY[busy]), &m->busy))
		rc = json_fail(f->busy, e, "is not known");
	return rc;
}

static int
read_post(struct post *p, struct err *e)
{
	struct post_fields f = { { 0 } };
	const struct json_field fields[] = {
		{ "text", JSON_WANT_STRING, false, &f.text },
		{ "mode", JSON_WANT_STRING, false, &f.mode },
		{ "timeout_ms", JSON_WANT_NUMBER, false, &f.timeout },
		{ "busy", JSON_WANT_STRING, false, &f.busy },
		{ "sender", JSON_WANT_OBJECT, false, &f.sender },
		{ "mentioned", JSON_WANT_BOOL, false, &f.mentioned },
		{ "attachments", JSON_WANT_ARRAY, false, &f.attachments },
		{ "metadata", JSON_WANT_OBJECT, false, &f.metadata },
		{ "message_id", JSON_WANT_STRING, false, &f.message_id },
		{ "model", JSON_WANT_STRING, false, &f.model },
	};
	int rc = json_fields(p->x->body, fields, ARRAY_LEN(fields), e);

	return rc == 0 ? take_fields(p, &f, e) : rc;
}

void
message_post_route(struct exchange *x)
{
	struct post *p = ARENA_NEW(x->arena, struct post);
	struct err e;
	int rc;

	p->x = x;
	rc = read_post(p, &e);
	if (rc != 0) {
		exchange_fail(x, rc, &e);
		return;
	}
	x->call.done = on_posted;
	x->call.ctx = p;
	engine_post(x->engine, &x->call, x->captures[0], &p->message);
}

/* ---- the transcript ---- */

struct transcript {
	struct exchange *x;
	struct cursor cursor;
	bool has_cursor, descending, cut;
	int64_t limit, count;
	struct item_row last; /* that was looked at */
	struct arena scratch;
	struct buf out;
};

static bool
on_item(void *ctx, const struct store_row *row)
{
	struct transcript *t = ctx;
	struct jw w;

	if (t->count == t->limit || t->out.len >= PAGE_BYTES) {
		t->cut = true;
		return false;
	}
	t->last = row->item->item;
	if (row->item->item.rewound)
		return true;
	if (t->count++ > 0)
		buf_putc(&t->out, ',');
	jw_init(&w, &t->out);
	message_json_write(&w, row->item, &t->scratch);
	arena_reset(&t->scratch);
	return true;
}

/* "<seq>" or, of a summary, "s<seq>", of an inherited one with ".<depth>" behind it: with the place,
 * what names a row. */
static void
name_last(struct transcript *t)
{
	t->cursor.a = t->last.at_seq;
	t->cursor.b = t->last.at_index;
	t->cursor.id = arena_printf(t->x->arena, "%s%lld", t->last.role == ITEM_SUMMARY ? "s" : "",
				    (long long)t->last.seq);
	if (t->last.depth > 0)
		t->cursor.id = arena_printf(t->x->arena, STR_FMT ".%d", STR_ARG(t->cursor.id),
					    (int)t->last.depth);
}

static int
find_last(struct transcript *t, struct err *e)
{
	struct str id, depth_text;
	bool inherited = str_cut(t->cursor.id, '.', &id, &depth_text);
	bool summary = str_starts(id, STR("s"));
	int64_t depth = 0;

	t->last = (struct item_row){ .at_seq = t->cursor.a,
				     .at_index = (int32_t)t->cursor.b,
				     .role = summary ? ITEM_SUMMARY : ITEM_USER };
	if (!str_to_int(str_slice(id, summary, id.len), &t->last.seq) ||
	    (inherited && (!str_to_int(depth_text, &depth) || depth < 1 || depth > INT32_MAX)))
		return err_set(e, ERR_INVALID, "page: is no cursor of this list");
	t->last.content_seq = t->last.seq;
	t->last.depth = (int32_t)depth;
	return 0;
}

static void
on_items(void *ctx, int rc, bool more, const struct err *err)
{
	struct transcript *t = ctx;
	struct exchange *x = t->x;
	struct buf out = t->out;

	arena_release(&t->scratch);
	if (rc != 0) {
		exchange_fail(x, rc, err);
	} else {
		name_last(t);
		page_query_close(x, &out, t->cut || more ? &t->cursor : NULL);
		exchange_json(x, 200, buf_str(&out), false);
	}
	buf_release(&out);
}

void
message_list_route(struct exchange *x)
{
	struct transcript *t = ARENA_NEW(x->arena, struct transcript);
	struct store_query q = { .kind = STORE_LIST_ITEMS,
				 .session = x->captures[0],
				 .all = true,
				 .limit = STORE_PAGE_ROWS_MAX };
	struct err e;
	int rc;

	t->x = x;
	t->limit = LIST_DEFAULT;
	rc = exchange_query_int(x, "limit", 1, LIST_MAX, &t->limit, &e);
	if (rc == 0)
		rc = page_query_order(x, &t->descending, &e);
	if (rc == 0)
		rc = page_query_cursor(x, 'm', &t->cursor, &t->has_cursor, &e);
	if (rc == 0 && t->has_cursor)
		rc = find_last(t, &e);
	if (rc != 0) {
		exchange_fail(x, rc, &e);
		return;
	}
	q.descending = t->descending;
	if (t->has_cursor)
		q.after_item = t->last;
	arena_init(&t->scratch);
	buf_init(&t->out, ANSWER_MAX);
	buf_put_str(&t->out, STR("{\"data\":["));
	engine_read(x->engine, &x->caller, &q, on_item, on_items, t);
}

/* turn_rig_read - what the rig shows of the store: logs as text, rows, records. */
#include "turn_rig.h"

#include "engine/access.h"

struct reading {
	struct rig *r;
	struct replay *replay;
	struct buf *out;
	int64_t from;
	bool done, found;
	size_t count;
	enum event_kind kind;
	struct str id;
	struct store_session *row;
	char failure[ERR_TEXT_MAX];
	struct str body;
	struct event *event;
};

static struct str
field(struct rig *r, struct str payload, const char *name)
{
	struct json_doc doc;
	struct json v;

	if (json_parse(&r->arena, arena_str(&r->arena, payload), &EVENT_PAYLOAD_LIMITS, &doc,
		       NULL) != 0 ||
	    !json_find(json_root(&doc), str_of(name), &v))
		return (struct str){ 0 };
	return json_type(v) == JSON_STRING ? json_str(v, &r->arena) : json_raw(v);
}

static struct str
text_of(struct rig *r, struct str payload)
{
	struct str blocks = field(r, payload, "content");
	static const size_t HEAD = sizeof "[{\"type\":\"text\",\"text\":\"" - 1;

	return blocks.len > HEAD + 3 ? str_slice(blocks, HEAD, blocks.len - 3) : (struct str){ 0 };
}

static void
show_stop(struct rig *r, struct str payload, struct buf *out)
{
	struct str reason = field(r, payload, "stop_reason"), limit = field(r, reason, "limit");

	buf_printf(out, ":" STR_FMT, STR_ARG(field(r, reason, "type")));
	if (limit.len > 0)
		buf_printf(out, "/" STR_FMT, STR_ARG(limit));
	if (!str_eq(field(r, payload, "consumes"), STR("[]")))
		buf_puts(out, "+");
}

static void
show(struct rig *r, const struct event *ev, struct buf *out)
{
	struct str head, tail, error;

	str_cut(str_of(event_type(ev->kind)), '.', &head, &tail);
	buf_printf(out, "%s" STR_FMT, out->len > 0 ? " " : "", STR_ARG(tail));
	if (ev->kind == EVENT_AGENT_MESSAGE)
		buf_printf(out, "%s\"" STR_FMT "\"",
			   field(r, ev->payload, "interrupted").len > 0 ? "!" : "",
			   STR_ARG(text_of(r, ev->payload)));
	else if (ev->kind == EVENT_STATUS_IDLE)
		show_stop(r, ev->payload, out);
	else if (ev->kind == EVENT_AGENT_TOOL_RESULT || ev->kind == EVENT_AGENT_MCP_TOOL_RESULT)
		buf_printf(out, ":" STR_FMT, STR_ARG(field(r, ev->payload, "outcome")));
	else if (ev->kind == EVENT_STATUS_RESCHEDULED)
		buf_printf(out, ":" STR_FMT "#" STR_FMT, STR_ARG(field(r, ev->payload, "reason")),
			   STR_ARG(field(r, ev->payload, "attempt")));
	else if (ev->kind == EVENT_SESSION_ERROR) {
		error = field(r, ev->payload, "error");
		buf_printf(out, ":" STR_FMT, STR_ARG(field(r, error, "type")));
	}
}

static bool
on_log_row(void *ctx, const struct store_row *row)
{
	struct reading *w = ctx;
	struct err e;

	if (replay_apply(w->replay, &row->event->ev, &e) != 0) {
		snprintf(w->failure, sizeof w->failure, "%s", e.text);
		return false;
	}
	if (row->event->ev.seq >= w->from)
		show(w->r, &row->event->ev, w->out);
	if (row->event->ev.kind == w->kind)
		w->id = arena_str(&w->r->arena, row->event->ev.id);
	return true;
}

static void
on_read(void *ctx, int rc, bool more, const struct err *err)
{
	struct reading *w = ctx;

	(void)more;
	if (rc != 0)
		snprintf(w->failure, sizeof w->failure, "%s", err->text);
	w->done = true;
}

static void
read_until_done(struct rig *r, const struct store_query *q, store_row_fn *row, struct reading *w)
{
	r->real->read(r->store, q, row, on_read, w); /* past the faults */
	rig_settle_until(r, &w->done);
	if (w->failure[0] != '\0')
		fail_msg("%s", w->failure);
}

static void
read_log(struct rig *r, const char *session, struct reading *w)
{
	w->r = r;
	w->replay = replay_new();
	read_until_done(r,
			&(struct store_query){ .kind = STORE_LIST_EVENTS,
					       .session = str_of(session),
					       .limit = STORE_PAGE_ROWS_MAX },
			on_log_row, w);
	replay_free(&w->replay);
}

struct str
rig_log(struct rig *r, const char *session, int64_t from)
{
	struct buf out;
	struct reading w = { .out = &out, .from = from };
	struct str text;

	buf_init(&out, 1 << 20);
	read_log(r, session, &w);
	text = arena_str(&r->arena, buf_str(&out));
	buf_release(&out);
	return text;
}

struct str
rig_event_id(struct rig *r, const char *session, enum event_kind kind)
{
	struct reading w = { .from = INT64_MAX, .kind = kind };

	read_log(r, session, &w);
	return w.id;
}

static bool
on_session_row(void *ctx, const struct store_row *row)
{
	struct reading *w = ctx;

	w->row = ARENA_NEW(&w->r->arena, struct store_session);
	access_copy_session(&w->r->arena, row->session, w->row);
	return false;
}

struct store_session *
rig_row(struct rig *r, const char *session)
{
	struct reading w = { .r = r };

	read_until_done(r,
			&(struct store_query){
				.kind = STORE_GET_SESSION, .session = str_of(session), .limit = 1 },
			on_session_row, &w);
	assert_non_null(w.row);
	return w.row;
}

int64_t
rig_head(struct rig *r, const char *session)
{
	return rig_row(r, session)->row.head_seq;
}

static bool
on_pending_row(void *ctx, const struct store_row *row)
{
	struct reading *w = ctx;

	w->from += row->input != NULL;
	return true;
}

size_t
rig_pending(struct rig *r, const char *session)
{
	struct reading w = { .r = r };

	read_until_done(r,
			&(struct store_query){ .kind = STORE_LIST_PENDING,
					       .session = str_of(session),
					       .limit = STORE_PAGE_ROWS_MAX },
			on_pending_row, &w);
	return (size_t)w.from;
}

static bool
on_event_row(void *ctx, const struct store_row *row)
{
	struct reading *w = ctx;

	w->event = ARENA_NEW(&w->r->arena, struct event);
	*w->event = row->event->ev;
	w->event->id = arena_str(&w->r->arena, w->event->id);
	w->event->payload = arena_str(&w->r->arena, w->event->payload);
	return false;
}

const struct event *
rig_event_at(struct rig *r, const char *session, int64_t seq)
{
	struct reading w = { .r = r };

	read_until_done(r,
			&(struct store_query){ .kind = STORE_LIST_EVENTS,
					       .session = str_of(session),
					       .after = seq - 1,
					       .limit = 1 },
			on_event_row, &w);
	assert_non_null(w.event);
	return w.event;
}

static bool
on_record_row(void *ctx, const struct store_row *row)
{
	struct reading *w = ctx;

	w->found = true;
	w->body = arena_str(&w->r->arena, row->record->body);
	return false;
}

static struct reading
read_record(struct rig *r, struct str kind, const char *id)
{
	struct reading w = { .r = r };

	read_until_done(r,
			&(struct store_query){ .kind = STORE_GET_RECORD,
					       .record_kind = kind,
					       .record_id = str_of(id),
					       .limit = 1 },
			on_record_row, &w);
	return w;
}

struct str
rig_record(struct rig *r, struct str kind, const char *id)
{
	return read_record(r, kind, id).body;
}

bool
rig_has_record(struct rig *r, struct str kind, const char *id)
{
	return read_record(r, kind, id).found;
}

static bool
on_counted_row(void *ctx, const struct store_row *row)
{
	(void)row;
	((struct reading *)ctx)->count++;
	return true;
}

size_t
rig_count_records(struct rig *r, struct str kind, const char *owner)
{
	struct reading w = { .r = r };

	read_until_done(r,
			&(struct store_query){ .kind = STORE_LIST_RECORDS,
					       .record_kind = kind,
					       .record_owner = str_of(owner),
					       .limit = STORE_PAGE_ROWS_MAX },
			on_counted_row, &w);
	return w.count;
}

void
rig_await_log(struct rig *r, const char *session, int64_t from, const char *want)
{
	enum { STEPS_MAX = 400, STEP_MS = 500 };

	for (int i = 0; i < STEPS_MAX; i++) {
		if (str_eq(rig_log(r, session, from), str_of(want)))
			return;
		virtual_host_advance(&r->host, STEP_MS);
	}
	check_str("log", rig_log(r, session, from), str_of(want));
}

void
rig_await_preview(struct rig *r, const char *text)
{
	enum { STEPS_MAX = 500 };

	for (int i = 0; i < STEPS_MAX && !str_contains(buf_str(&r->previews), str_of(text)); i++)
		virtual_host_settle(&r->host);
	assert_true(str_contains(buf_str(&r->previews), str_of(text)));
}

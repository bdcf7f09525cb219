#include "api/message_turn.h"

#include <stdlib.h>

#include "api/event_json.h"
#include "api/log_follow.h"
#include "api/message_wait.h"
#include "api/stream_hub.h"
#include "base/xalloc.h"

enum {
	PAGE_BYTES = 64 * 1024,
	PAGE_MAX = STORE_PAYLOAD_MAX + 2 * PAGE_BYTES,
	ANSWER_MAX = 256 * 1024 * 1024,
	STARTS_MAX = 64, /* status_running events to look through for a turn's first */
};

struct message_turn {
	struct log_follow follow;
	struct message_wait fold;
	struct loop *loop;
	struct timeout timeout;
	struct arena arena; /* the texts of posted */
	struct message_posted posted;
	struct exchange *x; /* wait: to be answered; NULL: a stream, or answered */
	int64_t start_seq;  /* wait: of a turn that ran before the message joined it */

	bool streams;
	struct sse_stream sse;
	struct stream_member member;
	struct stream_hub *hub;
	struct buf page;
};

static struct message_turn *
turn_of(struct log_follow *f)
{
	return LIST_OWNER(f, struct message_turn, follow);
}

void
message_posted_write(const struct message_posted *m, struct jw *w)
{
	jw_field_str(w, "type", STR("message"));
	jw_field_str(w, "session_id", m->session);
	jw_field_str(w, "message_id", m->message_id);
	jw_field_str(w, "event_id", m->event_id);
	jw_field_bool(w, "triggered", m->triggered);
	if (m->queue_position >= 0)
		jw_field_int(w, "queue_position", m->queue_position);
	else
		jw_field_null(w, "queue_position");
}

/* ---- the end ---- */

static void
on_free(struct log_follow *f)
{
	struct message_turn *t = turn_of(f);

	if (t->streams)
		http_request_release(t->sse.request);
	message_wait_release(&t->fold);
	arena_release(&t->arena);
	buf_release(&t->page);
	free(t);
}

static void
leave(struct message_turn *t)
{
	timeout_cancel(&t->timeout);
	if (t->streams)
		stream_hub_leave(&t->member);
	log_follow_stop(&t->follow, on_free);
}

static void
answer(struct message_turn *t)
{
	struct exchange *x = TAKE(t->x);
	struct buf out;
	struct jw w;

	buf_init(&out, ANSWER_MAX);
	jw_init(&w, &out);
	jw_object(&w);
	message_posted_write(&t->posted, &w);
	message_wait_write(&t->fold, &w, &t->arena);
	jw_end_object(&w);
	exchange_json(x, 200, buf_str(&out), t->posted.replayed);
	buf_release(&out);
}

static void
fail(struct message_turn *t, int rc, const struct err *err)
{
	if (t->streams)
		sse_end(&t->sse);
	else
		exchange_fail(TAKE(t->x), rc, err);
	leave(t);
}

/* ---- a turn that the message joined: its texts from the beginning ---- */

static void read_whole_turn(struct message_turn *t);

static bool
on_whole_row(void *ctx, const struct store_row *row)
{
	struct message_turn *t = ctx;

	t->start_seq = row->event->ev.seq;
	message_wait_apply(&t->fold, &row->event->ev);
	return !message_wait_is_over(&t->fold);
}

static void
on_whole_page(void *ctx, int rc, bool more, const struct err *err)
{
	struct message_turn *t = ctx;

	if (rc != 0) {
		fail(t, rc, err);
	} else if (more && !message_wait_is_over(&t->fold)) {
		read_whole_turn(t);
	} else {
		answer(t);
		leave(t);
	}
}

static void
read_whole_turn(struct message_turn *t)
{
	struct store_query q = {
		.kind = STORE_LIST_EVENTS,
		.session = t->posted.session,
		.after = t->start_seq,
		.limit = STORE_PAGE_ROWS_MAX,
	};

	engine_read(t->follow.en, &t->follow.caller, &q, on_whole_row, on_whole_page, t);
}

/* Back over the status_running events of the turn to its first. */
static bool
on_start_row(void *ctx, const struct store_row *row)
{
	struct message_turn *t = ctx;

	if (!str_eq(row->event->ev.turn, t->fold.turn))
		return false;
	t->start_seq = row->event->ev.seq - 1;
	return true;
}

static void
on_start(void *ctx, int rc, bool more, const struct err *err)
{
	struct message_turn *t = ctx;

	(void)more;
	if (rc != 0) {
		fail(t, rc, err);
		return;
	}
	message_wait_rewind(&t->fold);
	read_whole_turn(t);
}

static void
read_start(struct message_turn *t)
{
	struct store_query q = {
		.kind = STORE_LIST_EVENTS,
		.session = t->posted.session,
		.before = t->fold.consumed_seq,
		.kinds = UINT64_C(1) << EVENT_STATUS_RUNNING,
		.descending = true,
		.limit = STARTS_MAX,
	};

	t->start_seq = t->posted.seq;
	engine_read(t->follow.en, &t->follow.caller, &q, on_start_row, on_start, t);
}

/* The turn is idle, or the message will never run. */
static void
complete(struct message_turn *t)
{
	timeout_cancel(&t->timeout);
	if (t->streams) {
		sse_end(&t->sse);
		leave(t);
	} else if (t->fold.joined) {
		engine_unwatch(&t->follow.watch);
		read_start(t);
	} else {
		answer(t);
		leave(t);
	}
}

/* ---- following ---- */

static bool
on_row(struct log_follow *f, const struct store_event *ev)
{
	struct message_turn *t = turn_of(f);
	struct event_view view = { .ev = &ev->ev, .processed_at_ms = ev->processed_at_ms };

	if (message_wait_apply(&t->fold, &ev->ev) && t->streams)
		event_json_frame(&t->page, &view, ev->ev.seq);
	return !message_wait_is_over(&t->fold) && t->page.len < PAGE_BYTES;
}

static void
on_page(struct log_follow *f)
{
	struct message_turn *t = turn_of(f);
	bool pushed = t->page.len > 0;

	if (pushed) {
		struct net_bytes *bytes = net_bytes_copy(buf_str(&t->page));

		IGNORE(sse_send(&t->sse, bytes)); /* a stream that is over says so itself */
		net_bytes_unref(bytes);
		buf_clear(&t->page);
	}
	if (message_wait_is_over(&t->fold))
		complete(t);
	else if (!pushed)
		log_follow_next(f);
}

static void
on_live(struct log_follow *f)
{
	engine_preview_so_far(&f->watch);
}

static void
on_event(struct log_follow *f, const struct store_event *ev)
{
	struct message_turn *t = turn_of(f);

	if (message_wait_apply(&t->fold, &ev->ev) && t->streams)
		IGNORE(sse_send(&t->sse, event_frames_event(stream_hub_frames(t->hub), ev, false)));
	if (message_wait_is_over(&t->fold))
		complete(t);
}

static void
on_preview(struct log_follow *f, const struct engine_preview *p)
{
	struct message_turn *t = turn_of(f);
	struct net_bytes *frame;

	if (t->fold.state != MESSAGE_RUNS)
		return;
	if (p->event_kind == EVENT_AGENT_MESSAGE && p->kind == PREVIEW_END)
		buf_clear(&t->fold.partial);
	else if (p->event_kind == EVENT_AGENT_MESSAGE)
		message_wait_preview(&t->fold, p->event_id, p->text);
	if (!t->streams)
		return;
	frame = event_frames_preview(stream_hub_frames(t->hub), p, false);
	if (frame)
		IGNORE(sse_send(&t->sse, frame));
}

static void
on_over(struct log_follow *f, int rc, const struct err *err)
{
	struct err e;

	if (rc == 0) {
		rc = err_set(&e, ERR_UNAVAILABLE,
			     "the server is shutting down; the message is stored and its turn "
			     "goes on afterwards");
		err = &e;
	}
	fail(turn_of(f), rc, err);
}

static const struct log_follow_ops FOLLOW = {
	.row = on_row,
	.page = on_page,
	.live = on_live,
	.event = on_event,
	.preview = on_preview,
	.over = on_over,
};

/* ---- time ---- */

static void
write_timeout(struct message_turn *t, struct buf *out)
{
	struct jw w;

	jw_init(&w, out);
	jw_object(&w);
	jw_field_str(&w, "error_code", STR("turn_not_finished"));
	jw_field_str(&w, "session_id", t->posted.session);
	jw_field_str(&w, "event_id", t->posted.event_id);
	jw_field_str(&w, "text", message_wait_text(&t->fold, &t->arena));
	jw_end_object(&w);
}

static void
send_timeout_frame(struct message_turn *t)
{
	struct sse_event event = {
		.name = STR("error"),
		.data = STR("{\"type\":\"error\",\"error\":{\"type\":\"timeout_error\",\"message\":"
			    "\"the turn is not finished; it goes on\"}}"),
	};
	struct net_bytes *frame;

	if (sse_frame(&event, &frame, NULL) != 0)
		return;
	IGNORE(sse_send(&t->sse, frame));
	net_bytes_unref(frame);
}

static void
on_timeout(struct timeout *timeout)
{
	struct message_turn *t = LIST_OWNER(timeout, struct message_turn, timeout);
	struct api_problem p = { .status = 504,
				 .type = "timeout_error",
				 .message = STR("the turn is not finished; it goes on") };
	struct buf details;

	if (t->follow.state == LOG_FOLLOW_READING) { /* the fold is a reader's just now */
		loop_timeout_set(t->loop, timeout, 1);
		return;
	}
	if (t->streams) {
		send_timeout_frame(t);
		sse_end(&t->sse);
		leave(t);
		return;
	}
	buf_init(&details, ANSWER_MAX);
	write_timeout(t, &details);
	p.details = buf_str(&details);
	exchange_problem(TAKE(t->x), &p);
	buf_release(&details);
	leave(t);
}

/* ---- the beginning ---- */

static struct message_turn *
turn_new(struct exchange *x, const struct message_posted *m)
{
	struct message_turn *t = xcalloc(1, sizeof *t);

	arena_init(&t->arena);
	t->posted = *m;
	t->posted.session = arena_str(&t->arena, m->session);
	t->posted.message_id = arena_str(&t->arena, m->message_id);
	t->posted.event_id = arena_str(&t->arena, m->event_id);
	message_wait_init(&t->fold, m->event_id);
	timeout_init(&t->timeout, on_timeout);
	buf_init(&t->page, PAGE_MAX);
	t->hub = api_hub(x->api);
	t->loop = api_loop(x->api);
	log_follow_init(&t->follow, x->engine, &x->caller, t->posted.session, &FOLLOW);
	return t;
}

void
message_turn_wait(struct exchange *x, const struct message_posted *m, int64_t timeout_ms)
{
	struct message_turn *t = turn_new(x, m);

	t->x = x;
	if (!m->triggered) {
		answer(t);
		on_free(&t->follow);
		return;
	}
	loop_timeout_set(t->loop, &t->timeout, timeout_ms);
	log_follow_start(&t->follow, m->seq);
}

static void
on_gone(void *context, enum http_gone why)
{
	struct message_turn *t = context;

	(void)why;
	sse_leave(&t->sse);
	leave(t);
}

static void
on_drained(void *context)
{
	struct message_turn *t = context;

	log_follow_next(&t->follow);
}

static void
on_dead(struct stream_member *m)
{
	struct message_turn *t = LIST_OWNER(m, struct message_turn, member);

	sse_end(&t->sse);
	leave(t);
}

static void
send_posted(struct message_turn *t)
{
	struct net_bytes *frame;
	struct buf data;
	struct jw w;

	buf_init(&data, ANSWER_MAX);
	jw_init(&w, &data);
	jw_object(&w);
	message_posted_write(&t->posted, &w);
	jw_end_object(&w);
	if (sse_frame(&(struct sse_event){ .name = STR("message"), .data = buf_str(&data) }, &frame,
		      NULL) == 0) {
		IGNORE(sse_send(&t->sse, frame));
		net_bytes_unref(frame);
	}
	buf_release(&data);
}

void
message_turn_stream(struct exchange *x, const struct message_posted *m, int64_t timeout_ms)
{
	struct message_turn *t = turn_new(x, m);
	struct http_header headers[EXCHANGE_HEADERS];
	size_t n = exchange_headers(x, headers);
	struct http_request *r = x->request;

	t->streams = true;
	t->member = (struct stream_member){ .caller = &t->follow.caller, .on_dead = on_dead };
	http_request_own(r, &(struct http_owner){ on_gone, on_drained, t });
	sse_open(api_sse(x->api), &t->sse, r, headers, n);
	exchange_leave(x);
	stream_hub_join(t->hub, &t->member);
	send_posted(t);
	if (http_request_is_over(r) || !t->posted.triggered) {
		sse_end(&t->sse);
		leave(t);
		return;
	}
	if (timeout_ms > 0)
		loop_timeout_set(t->loop, &t->timeout, timeout_ms);
	log_follow_start(&t->follow, t->posted.seq);
}

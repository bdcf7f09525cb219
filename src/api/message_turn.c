#include "api/message_turn.h"

#include <stdlib.h>

#include "api/event_out.h"
#include "api/log_follow.h"
#include "api/message_wait.h"
#include "base/xalloc.h"

enum {
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

	bool rereads; /* wait: the whole turn is being read, and t is its reader's */
	bool streams;
	struct event_out out; /* when it does */
	struct message_told told;
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
		event_out_release(&t->out);
	reply_stream_release(&t->told.reply);
	message_wait_release(&t->fold);
	arena_release(&t->arena);
	free(t);
}

static void
leave(struct message_turn *t)
{
	timeout_cancel(&t->timeout);
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
	if (t->posted.form) {
		t->posted.form->answer(&t->posted, &t->fold, &w, &t->arena);
	} else {
		message_posted_write(&t->posted, &w);
		message_wait_write(&t->fold, &w, &t->arena);
	}
	jw_end_object(&w);
	exchange_json(x, 200, buf_str(&out), t->posted.replayed);
	buf_release(&out);
}

static void
fail(struct message_turn *t, int rc, const struct err *err)
{
	if (!t->streams) {
		exchange_fail(TAKE(t->x), rc, err);
	} else {
		if (t->posted.form) {
			t->posted.form->fail(&t->posted, str_of(err->text), &t->out);
			event_out_send_page(&t->out);
		}
		event_out_end(&t->out, EVENT_OUT_INTERRUPTED);
	}
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
		if (t->posted.form)
			t->posted.form->end(&t->posted, &t->fold, &t->told, &t->out);
		event_out_send_page(&t->out);
		event_out_end(&t->out, EVENT_OUT_ENDED);
		leave(t);
	} else if (t->fold.joined) {
		engine_unwatch(&t->follow.watch);
		t->rereads = true;
		read_start(t);
	} else {
		answer(t);
		leave(t);
	}
}

/* ---- following ---- */

static void
put_event(struct message_turn *t, const struct store_event *ev)
{
	if (t->posted.form)
		t->posted.form->event(&t->told, &ev->ev, &t->out);
	else
		event_out_put_event(&t->out, ev);
}

static void
send_event(struct message_turn *t, const struct store_event *ev)
{
	if (t->posted.form) {
		put_event(t, ev);
		event_out_send_page(&t->out);
	} else {
		event_out_send_event(&t->out, ev);
	}
}

static void
send_preview(struct message_turn *t, const struct engine_preview *p)
{
	if (t->posted.form) {
		t->posted.form->preview(&t->told, p, &t->out);
		event_out_send_page(&t->out);
	} else {
		event_out_send_preview(&t->out, p);
	}
}

static bool
on_row(struct log_follow *f, const struct store_event *ev)
{
	struct message_turn *t = turn_of(f);

	if (message_wait_apply(&t->fold, &ev->ev) && t->streams)
		put_event(t, ev);
	return !message_wait_is_over(&t->fold) && !event_out_page_is_full(&t->out);
}

static void
on_page(struct log_follow *f)
{
	struct message_turn *t = turn_of(f);
	bool sent = event_out_send_page(&t->out);

	if (message_wait_is_over(&t->fold))
		complete(t);
	else if (!sent)
		log_follow_next(f);
}

static void
on_live(struct log_follow *f)
{
	engine_preview_so_far(&f->watch);
}

static bool
on_event(struct log_follow *f, const struct store_event *ev)
{
	struct message_turn *t = turn_of(f);

	if (!event_out_has_room(&t->out, ev->ev.payload.len))
		return false;
	if (message_wait_apply(&t->fold, &ev->ev) && t->streams)
		send_event(t, ev);
	if (message_wait_is_over(&t->fold))
		complete(t);
	return true;
}

static bool
on_preview(struct log_follow *f, const struct engine_preview *p)
{
	struct message_turn *t = turn_of(f);

	if (t->fold.state != MESSAGE_RUNS)
		return true;
	if (!event_out_has_room(&t->out, p->text.len))
		return false;
	if (p->event_kind == EVENT_AGENT_MESSAGE && p->kind == PREVIEW_END)
		buf_clear(&t->fold.partial);
	else if (p->event_kind == EVENT_AGENT_MESSAGE)
		message_wait_preview(&t->fold, p->event_id, p->text);
	if (t->streams)
		send_preview(t, p);
	return true;
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

#define NOT_FINISHED "the turn is not finished; it goes on"

static void
end_by_timeout(struct message_turn *t)
{
	static const struct str FRAME =
		STR("{\"type\":\"error\",\"error\":{\"type\":\"timeout_error\",\"message\":"
		    "\"" NOT_FINISHED "\"}}");

	if (t->posted.form) {
		t->posted.form->fail(&t->posted, STR(NOT_FINISHED), &t->out);
		event_out_send_page(&t->out);
	} else {
		event_out_send_other(&t->out, "error", FRAME);
	}
	event_out_end(&t->out, EVENT_OUT_ENDED);
}

static void
on_timeout(struct timeout *timeout)
{
	struct message_turn *t = LIST_OWNER(timeout, struct message_turn, timeout);
	struct api_problem p = { .status = 504,
				 .type = "timeout_error",
				 .message = STR(NOT_FINISHED) };
	struct buf details;

	if (t->follow.state == LOG_FOLLOW_READING) { /* the fold is a reader's just now */
		loop_timeout_set(t->loop, timeout, 1);
		return;
	}
	if (t->streams) {
		end_by_timeout(t);
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
	if (m->reset_reason.ptr)
		t->posted.reset_reason = arena_str(&t->arena, m->reset_reason);
	t->told.arena = &t->arena;
	reply_stream_init(&t->told.reply, ANSWER_MAX);
	message_wait_init(&t->fold, m->event_id);
	timeout_init(&t->timeout, on_timeout);
	t->loop = api_loop(x->api);
	log_follow_init(&t->follow, x->engine, &x->caller, t->posted.session, &FOLLOW);
	return t;
}

/* The turn goes on; nobody waits for it any more. */
static void
turn_on_left(void *ctx)
{
	struct message_turn *t = ctx;

	if (t->rereads)
		return; /* it is answered presently, to nobody */
	exchange_drop(TAKE(t->x));
	leave(t);
}

void
message_turn_wait(struct exchange *x, const struct message_posted *m, int64_t timeout_ms)
{
	struct message_turn *t;

	if (exchange_is_left(x)) {
		exchange_drop(x);
		return;
	}
	t = turn_new(x, m);
	t->x = x;
	exchange_await_leaving(x, turn_on_left, t);
	if (!m->triggered) {
		answer(t);
		on_free(&t->follow);
		return;
	}
	loop_timeout_set(t->loop, &t->timeout, timeout_ms);
	log_follow_start(&t->follow, m->seq);
}

static void
on_out_over(struct event_out *o)
{
	leave(LIST_OWNER(o, struct message_turn, out));
}

static void
on_room(struct event_out *o)
{
	log_follow_next(&LIST_OWNER(o, struct message_turn, out)->follow);
}

static const struct event_out_ops OUT = { on_out_over, on_room };

static void
send_posted(struct message_turn *t)
{
	struct buf data;
	struct jw w;

	if (t->posted.form) {
		t->posted.form->begin(&t->posted, &t->out);
		event_out_send_page(&t->out);
		return;
	}
	buf_init(&data, ANSWER_MAX);
	jw_init(&w, &data);
	jw_object(&w);
	message_posted_write(&t->posted, &w);
	jw_end_object(&w);
	event_out_send_other(&t->out, "message", buf_str(&data));
	buf_release(&data);
}

void
message_turn_stream(struct exchange *x, const struct message_posted *m, int64_t timeout_ms)
{
	struct message_turn *t = turn_new(x, m);

	t->streams = true;
	event_out_open(&t->out, x, &t->follow.caller, false, &OUT);
	send_posted(t);
	if (event_out_is_over(&t->out) || !t->posted.triggered) {
		complete(t);
		return;
	}
	if (timeout_ms > 0)
		loop_timeout_set(t->loop, &t->timeout, timeout_ms);
	log_follow_start(&t->follow, t->posted.seq);
}

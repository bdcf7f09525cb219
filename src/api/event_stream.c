/* event_stream - one session's log, or that of all sessions the caller may see, as a stream.
 *
 * A stream is a log_follow whose pages are rendered to frames on a reader's thread and sent when the
 * client has taken the page before, and whose live events are frames that all streams share. It ends
 * with its session, its token, its client, or when the client is too slow; it never skips. */
#include "api/event_stream.h"

#include <stdlib.h>

#include "api/event_out.h"
#include "api/handlers.h"
#include "api/log_follow.h"
#include "api/page_query.h"
#include "base/xalloc.h"

static const uint64_t PREVIEW_KINDS =
	UINT64_C(1) << EVENT_AGENT_MESSAGE | UINT64_C(1) << EVENT_AGENT_THINKING;

struct event_stream {
	struct log_follow follow;
	struct event_out out;
	uint64_t previews;
	bool complete;   /* the page holds the session's last event */
	bool terminated; /* when the stream began: ends when it has caught up */
	char session[];
};

/* What a client asked for. */
struct wants {
	int64_t after;
	bool has_after;
	uint64_t previews, kinds;
	bool terminated; /* what was found: nothing more will come */
};

static struct event_stream *
stream_of(struct log_follow *f)
{
	return LIST_OWNER(f, struct event_stream, follow);
}

static bool
is_for_all(const struct event_stream *s)
{
	return s->follow.session.len == 0;
}

/* ---- the end ---- */

static void
on_free(struct log_follow *f)
{
	struct event_stream *s = stream_of(f);

	event_out_release(&s->out);
	free(s);
}

static void
finish(struct event_stream *s, enum event_out_end why)
{
	event_out_end(&s->out, why);
	log_follow_stop(&s->follow, on_free);
}

static void
on_out_over(struct event_out *o)
{
	log_follow_stop(&LIST_OWNER(o, struct event_stream, out)->follow, on_free);
}

static void
on_room(struct event_out *o)
{
	log_follow_next(&LIST_OWNER(o, struct event_stream, out)->follow);
}

static const struct event_out_ops OUT = { on_out_over, on_room };

/* ---- pages ---- */

/* Nothing of a session comes behind these. */
static bool
ends_session(enum event_kind kind)
{
	return kind == EVENT_SESSION_DELETED || kind == EVENT_STATUS_TERMINATED;
}

static bool
on_row(struct log_follow *f, const struct store_event *ev)
{
	struct event_stream *s = stream_of(f);

	if (is_for_all(s) && ev->session.len == 0)
		return true; /* not the caller's: only its number is told */
	event_out_put_event(&s->out, ev);
	s->complete = !is_for_all(s) && ends_session(ev->ev.kind);
	return !s->complete && !event_out_page_is_full(&s->out);
}

static void
on_gap(struct log_follow *f, int64_t from, int64_t to)
{
	event_out_put_gap(&stream_of(f)->out, from, to);
}

static void
on_page(struct log_follow *f)
{
	struct event_stream *s = stream_of(f);
	bool sent = event_out_send_page(&s->out);

	if (s->complete)
		finish(s, EVENT_OUT_ENDED);
	else if (!sent)
		log_follow_next(f);
}

/* ---- live ---- */

static void
on_live(struct log_follow *f)
{
	struct event_stream *s = stream_of(f);

	event_out_forget_page(&s->out);
	if (s->terminated)
		finish(s, EVENT_OUT_ENDED);
	else if (s->previews != 0)
		engine_preview_so_far(&f->watch);
}

static bool
on_event(struct log_follow *f, const struct store_event *ev)
{
	struct event_stream *s = stream_of(f);

	if (!event_out_has_room(&s->out, ev->ev.payload.len))
		return false;
	event_out_send_event(&s->out, ev);
	if (!is_for_all(s) && ends_session(ev->ev.kind))
		finish(s, EVENT_OUT_ENDED);
	return true;
}

static bool
on_preview(struct log_follow *f, const struct engine_preview *p)
{
	struct event_stream *s = stream_of(f);

	if (!(s->previews >> p->event_kind & 1))
		return true;
	if (!event_out_has_room(&s->out, p->text.len))
		return false;
	event_out_send_preview(&s->out, p);
	return true;
}

static void
on_over(struct log_follow *f, int rc, const struct err *err)
{
	(void)rc; /* the client comes back and is told then */
	(void)err;
	finish(stream_of(f), EVENT_OUT_INTERRUPTED);
}

static const struct log_follow_ops FOLLOW = {
	.row = on_row,
	.gap = on_gap,
	.page = on_page,
	.live = on_live,
	.event = on_event,
	.preview = on_preview,
	.over = on_over,
};
static const struct log_follow_ops FOLLOW_WITHOUT_PREVIEWS = {
	.row = on_row,
	.gap = on_gap,
	.page = on_page,
	.live = on_live,
	.event = on_event,
	.over = on_over,
};

/* ---- the beginning ---- */

static int
read_wants(struct exchange *x, struct wants *out, struct err *e)
{
	struct str last = exchange_header(x, STR("last-event-id"));
	int rc = page_query_kinds(x, "event_deltas", PREVIEW_KINDS, &out->previews, e);

	out->after = -1;
	if (rc == 0)
		rc = page_query_kinds(x, "types", UINT64_MAX, &out->kinds, e);
	if (rc == 0)
		rc = exchange_query_int(x, "after", 0, INT64_MAX, &out->after, e);
	if (rc == 0 && last.len > 0 && (!str_to_int(last, &out->after) || out->after < 0))
		rc = err_set(e, ERR_INVALID,
			     "Last-Event-ID: must be the id of a frame, a whole number");
	out->has_after = out->after >= 0;
	return rc;
}

/* From here on the request is the stream's, and the exchange is gone. */
static struct event_stream *
open_stream(struct exchange *x, struct str session, const struct wants *w)
{
	struct event_stream *s = xcalloc(1, sizeof *s + session.len);

	if (session.len > 0)
		memcpy(s->session, session.ptr, session.len);
	log_follow_init(&s->follow, x->engine, &x->caller, (struct str){ s->session, session.len },
			w->previews != 0 ? &FOLLOW : &FOLLOW_WITHOUT_PREVIEWS);
	s->follow.kinds = w->kinds;
	s->previews = w->previews;
	event_out_open(&s->out, x, &s->follow.caller, session.len == 0, &OUT);
	return s;
}

/* head: where the log ends, as far as it must be known to judge the cursor.
 * w is a copy: what stands in the exchange's memory goes when the stream opens. */
static void
start(struct exchange *x, struct str session, struct wants w, int64_t head)
{
	struct event_stream *s = open_stream(x, session, &w);

	s->terminated = w.terminated;
	if (event_out_is_over(&s->out)) {
		finish(s, EVENT_OUT_INTERRUPTED);
	} else if (w.has_after && w.after <= head) {
		log_follow_start(&s->follow, w.after);
	} else {
		if (w.has_after)
			event_out_send_reset(&s->out, head);
		log_follow_start_live(&s->follow, head);
		on_live(&s->follow);
	}
}

/* A session that the caller may see, before the first byte is answered. */
struct look {
	struct exchange *x;
	struct str session;
	struct wants wants;
	bool found;
	int64_t head;
};

static bool
on_session(void *ctx, const struct store_row *row)
{
	struct look *look = ctx;

	look->found = !row->session->row.deleted;
	look->head = row->session->row.head_seq;
	look->wants.terminated = row->session->row.state.lifecycle == LIFECYCLE_TERMINATED;
	return true;
}

static void
on_looked(void *ctx, int rc, bool more, const struct err *err)
{
	struct look *look = ctx;
	struct err e;

	(void)more;
	if (rc == 0 && !look->found) {
		rc = err_set(&e, ERR_NOT_FOUND, "there is no such session");
		err = &e;
	}
	if (rc != 0)
		exchange_fail(look->x, rc, err);
	else
		start(look->x, look->session, look->wants, look->head);
}

void
event_stream_session(struct exchange *x, struct str session)
{
	struct look *look = ARENA_NEW(x->arena, struct look);
	struct store_query q = { .kind = STORE_GET_SESSION, .session = session, .limit = 1 };
	struct err e;
	int rc = read_wants(x, &look->wants, &e);

	if (rc != 0) {
		exchange_fail(x, rc, &e);
		return;
	}
	look->x = x;
	look->session = session;
	engine_read(x->engine, &x->caller, &q, on_session, on_looked, look);
}

void
event_stream_route(struct exchange *x)
{
	event_stream_session(x, x->captures[0]);
}

/* The change that the cursor names, or one behind it, must be there: else it is not of this store. */
static bool
on_change(void *ctx, const struct store_row *row)
{
	struct look *look = ctx;

	look->head = row->event->change;
	return false;
}

static void
on_cursor_looked(void *ctx, int rc, bool more, const struct err *err)
{
	struct look *look = ctx;
	int64_t head = engine_change_head(look->x->engine);

	(void)more;
	if (rc != 0)
		exchange_fail(look->x, rc, err);
	else
		start(look->x, (struct str){ 0 }, look->wants, look->head > 0 ? INT64_MAX : head);
}

void
event_firehose_route(struct exchange *x)
{
	struct look *look = ARENA_NEW(x->arena, struct look);
	struct store_query q = { .kind = STORE_LIST_CHANGES, .limit = 1 };
	struct err e;
	int rc = read_wants(x, &look->wants, &e);

	look->x = x;
	q.after = look->wants.after - 1;
	if (rc != 0)
		exchange_fail(x, rc, &e);
	else if (look->wants.after > 0)
		engine_read(x->engine, &x->caller, &q, on_change, on_cursor_looked, look);
	else
		start(x, (struct str){ 0 }, look->wants, engine_change_head(x->engine));
}

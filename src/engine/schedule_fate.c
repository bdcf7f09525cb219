/* schedule_fate - what has become of the run that is open? Read from the log of its session, behind the
 * place where its trigger was written: who consumed the trigger, what that turn said, how it ended. */
#include "engine/schedule_private.h"

enum { PAGE_ROWS = 500, ERROR_MAX = 2000 };

#define KIND(k) (UINT64_C(1) << (k))

struct reading {
	struct schedule_look *look;
	schedule_fate_fn *done;
	int64_t after;
	struct arena scratch; /* of one event */
};

static void read_page(struct reading *r);

static void
reading_end(struct reading *r, int rc, const struct err *err)
{
	struct schedule_look *l = r->look;
	schedule_fate_fn *done = r->done;

	arena_release(&r->scratch);
	done(l, rc, err);
}

/* ---- one event ---- */

static struct json
member(struct json v, const char *name)
{
	struct json found = { 0 };

	IGNORE(json_find(v, str_of(name), &found)); /* stays absent */
	return found;
}

static bool
names(struct json ids, struct str id)
{
	for (struct json_iter it = json_iter(ids); json_is_set(ids) && json_next(&it);)
		if (json_str_eq(it.value, id))
			return true;
	return false;
}

static void
on_consumed(struct schedule_look *l, const struct event *ev, struct json payload)
{
	if (l->fate.turn.len == 0 && names(member(payload, "consumes"), l->state.run.event_id))
		l->fate.turn = arena_str(&l->arena, ev->turn);
}

static void
on_cancelled(struct schedule_look *l, struct json payload)
{
	bool all = json_type(member(payload, "all")) == JSON_TRUE;

	if (l->fate.turn.len > 0 || (!all && !names(member(payload, "ids"), l->state.run.event_id)))
		return;
	l->fate.ended = l->fate.cancelled = true;
}

static void
on_said(struct reading *r, struct json payload)
{
	struct schedule_fate *f = &r->look->fate;
	struct json content = member(payload, "content");

	for (struct json_iter it = json_iter(content); json_is_set(content) && json_next(&it);) {
		struct str text = json_str(member(it.value, "text"), &r->scratch);

		if (text.len == 0)
			continue;
		if (buf_str(&f->said).len > 0)
			buf_puts(&f->said, "\n\n");
		buf_put_str(&f->said, text);
	}
}

static void
on_error(struct reading *r, struct json payload)
{
	struct str text = json_str(member(member(payload, "error"), "message"), &r->scratch);

	r->look->fate.error = arena_str(
		&r->look->arena, str_slice(text, 0, text.len < ERROR_MAX ? text.len : ERROR_MAX));
}

static void
on_idle(struct reading *r, struct json payload)
{
	struct schedule_fate *f = &r->look->fate;
	struct json reason = member(payload, "stop_reason");
	enum stop_kind stop = STOP_NONE;

	if (!stop_kind_parse(json_str(member(reason, "type"), &r->scratch),
			     json_str(member(reason, "limit"), &r->scratch), &stop) ||
	    stop == STOP_REQUIRES_ACTION)
		return;
	f->ended = true;
	f->stop = stop;
	f->by_person = json_count(member(payload, "consumes")) > 0;
}

static bool
on_event_row(void *ctx, const struct store_row *row)
{
	struct reading *r = ctx;
	const struct event *ev = &row->event->ev;
	struct schedule_look *l = r->look;
	struct json payload = { 0 };
	struct json_doc doc;
	bool ours;

	r->after = ev->seq;
	arena_reset(&r->scratch);
	if (json_parse(&r->scratch, ev->payload, &EVENT_PAYLOAD_LIMITS, &doc, NULL) == 0)
		payload = json_root(&doc);
	ours = l->fate.turn.len > 0 && str_eq(ev->turn, l->fate.turn);
	switch ((int)ev->kind) {
	case EVENT_STATUS_RUNNING:
	case EVENT_INPUT_CONSUMED: on_consumed(l, ev, payload); break;
	case EVENT_INPUT_CANCELLED: on_cancelled(l, payload); break;
	case EVENT_AGENT_MESSAGE:
		if (ours)
			on_said(r, payload);
		break;
	case EVENT_SESSION_ERROR:
		if (ours)
			on_error(r, payload);
		break;
	case EVENT_STATUS_IDLE:
		if (ours)
			on_idle(r, payload);
		break;
	default: /* status_terminated: of its turn, or before it had one */
		l->fate.ended = true;
		l->fate.stop = STOP_TERMINATED;
	}
	return !l->fate.ended;
}

/* ---- the log ---- */

static void
on_events(void *ctx, int rc, bool more, const struct err *err)
{
	struct reading *r = ctx;

	if (rc != 0 || !more || r->look->fate.ended)
		reading_end(r, rc, err);
	else
		read_page(r);
}

static void
read_page(struct reading *r)
{
	store_read(r->look->en->store,
		   &(struct store_query){
			   .kind = STORE_LIST_EVENTS,
			   .session = r->look->session,
			   .after = r->after,
			   .kinds = KIND(EVENT_STATUS_RUNNING) | KIND(EVENT_INPUT_CONSUMED) |
				    KIND(EVENT_INPUT_CANCELLED) | KIND(EVENT_AGENT_MESSAGE) |
				    KIND(EVENT_SESSION_ERROR) | KIND(EVENT_STATUS_IDLE) |
				    KIND(EVENT_STATUS_TERMINATED),
			   .limit = PAGE_ROWS },
		   on_event_row, on_events, r);
}

static bool
on_session_row(void *ctx, const struct store_row *row)
{
	struct reading *r = ctx;

	r->look->fate.found = !row->session->row.deleted;
	r->look->fate.head_seq = row->session->row.head_seq;
	return false;
}

static void
on_session(void *ctx, int rc, bool more, const struct err *err)
{
	struct reading *r = ctx;
	struct schedule_fate *f = &r->look->fate;

	(void)more;
	if (rc == 0 && !f->found) /* whoever deleted it wants nothing more of the run */
		f->ended = f->cancelled = true;
	if (rc != 0 || f->ended)
		reading_end(r, rc, err);
	else
		read_page(r);
}

void
schedule_fate_read(struct schedule_look *l, schedule_fate_fn *done)
{
	struct reading *r = ARENA_NEW(&l->arena, struct reading);
	struct buf said = l->fate.said;

	buf_clear(&said);
	l->fate = (struct schedule_fate){ .said = said };
	*r = (struct reading){ .look = l, .done = done, .after = l->state.run.since_seq };
	arena_init(&r->scratch);
	store_read(l->en->store,
		   &(struct store_query){
			   .kind = STORE_GET_SESSION, .session = l->session, .limit = 1 },
		   on_session_row, on_session, r);
}

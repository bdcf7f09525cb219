/* queue_change - one message that waits, changed or taken back before its turn begins.
 * Commands of engine.h: engine_queue_edit, engine_queue_cancel. */
#include <stdlib.h>

#include "base/vec.h"
#include "base/xalloc.h"
#include "core/event_make.h"
#include "engine/access.h"
#include "engine/commit.h"
#include "engine/repeat.h"

/* What is looked through for a message whose turn has begun: to say so instead of "not found". */
enum { LOOKED_BACK = 1000 };

struct queue_change {
	struct engine *en;
	struct engine_call call;
	struct engine_caller caller;
	struct str session, message; /* message: the sender's id for it, or the event's */
	bool edits;
	struct str text; /* of an edit */
	struct arena arena;
	VEC(struct str) waiting; /* event ids */
	struct str event;        /* the one that is meant; empty: not found yet */
	bool pending;            /* it waits */
	bool is_message;
};

static void
change_end(struct queue_change *q, const struct engine_answer *answer)
{
	q->call.done(q->call.ctx, answer);
	vec_release(&q->waiting);
	arena_release(&q->arena);
	free(q);
}

static void
change_fail(struct queue_change *q, int rc, const struct err *err)
{
	change_end(q, &(struct engine_answer){ .rc = rc, .err = err });
}

static void
on_changed(void *ctx, const struct commit_result *result)
{
	const struct store_result *r = result->store;
	struct queue_change *q = ctx;
	struct err e;

	if (r->rc == ERR_CONFLICT)
		change_fail(q, err_set(&e, ERR_CONFLICT, "its turn has begun, or it was cancelled"),
			    &e);
	else if (r->rc < 0)
		change_fail(q, r->rc, &r->err);
	else
		change_end(q, &(struct engine_answer){ .id = q->session,
						       .replayed = r->rc == STORE_REPLAYED,
						       .first_seq = r->first_seq,
						       .queue_position = -1 });
}

static struct str
content_of(struct queue_change *q)
{
	struct buf out;
	struct str text;
	struct jw w;

	buf_init(&out, STORE_PAYLOAD_MAX);
	jw_init(&w, &out);
	jw_array(&w);
	jw_object(&w);
	jw_field_str(&w, "type", STR("text"));
	jw_field_str(&w, "text", q->text);
	jw_end_object(&w);
	jw_end_array(&w);
	text = arena_str(&q->arena, buf_str(&out));
	buf_release(&out);
	return text;
}

static void
submit(struct queue_change *q)
{
	struct commit *c = commit_new(q->en, q->session);
	struct buf payload;

	commit_require(c)->pending = (struct str_list){ &q->event, 1 };
	buf_init(&payload, STORE_PAYLOAD_MAX);
	if (q->edits) {
		event_make_input_edited(&payload, q->event, content_of(q));
		commit_append_made(c, EVENT_INPUT_EDITED, STR(""), &payload);
	} else {
		event_make_input_cancelled(&payload, (struct str_list){ &q->event, 1 });
		commit_append_made(c, EVENT_INPUT_CANCELLED, STR(""), &payload);
	}
	commit_repeat(c, q->call.repeat, STR("{}"));
	commit_submit(c, on_changed, q);
}

/* ---- which one is meant? ---- */

static bool
is_named(struct queue_change *q, const struct event *ev)
{
	struct json_doc doc;
	struct json v;

	if (str_eq(ev->id, q->message))
		return true;
	return json_parse(&q->arena, arena_str(&q->arena, ev->payload), &EVENT_PAYLOAD_LIMITS, &doc,
			  NULL) == 0 &&
	       json_find(json_root(&doc), STR("message_id"), &v) && json_str_eq(v, q->message);
}

/* From the newest back: a name that is used twice means the last one. */
static bool
on_message_row(void *ctx, const struct store_row *row)
{
	struct queue_change *q = ctx;
	const struct event *ev = &row->event->ev;

	if (!is_named(q, ev))
		return true;
	q->event = arena_str(&q->arena, ev->id);
	q->is_message = ev->kind == EVENT_USER_MESSAGE;
	for (size_t i = 0; i < q->waiting.len; i++)
		q->pending = q->pending || str_eq(q->waiting.ptr[i], q->event);
	return false;
}

static void
on_messages(void *ctx, int rc, bool more, const struct err *err)
{
	struct queue_change *q = ctx;
	struct err e;

	(void)more;
	if (rc == 0 && q->event.len == 0)
		rc = err_set(&e, ERR_NOT_FOUND, "there is no message " STR_FMT " in the queue",
			     STR_ARG(q->message));
	else if (rc == 0 && !q->pending)
		rc = err_set(&e, ERR_CONFLICT, "its turn has begun, or it was cancelled");
	else if (rc == 0 && q->edits && !q->is_message)
		rc = err_set(&e, ERR_CONFLICT, "only a message can be edited: cancel it instead");
	else if (rc != 0)
		e = *err;
	if (rc != 0)
		change_fail(q, rc, &e);
	else
		submit(q);
}

static bool
on_pending_row(void *ctx, const struct store_row *row)
{
	struct queue_change *q = ctx;

	if (row->input->meta.class == INPUT_TRIGGER)
		*vec_push(&q->waiting) = arena_str(&q->arena, row->input->id);
	return true;
}

static void
on_pending(void *ctx, int rc, bool more, const struct err *err)
{
	struct queue_change *q = ctx;

	(void)more;
	if (rc != 0) {
		change_fail(q, rc, err);
		return;
	}
	store_read(q->en->store,
		   &(struct store_query){ .kind = STORE_LIST_EVENTS,
					  .session = q->session,
					  .kinds = UINT64_C(1) << EVENT_USER_MESSAGE |
						   UINT64_C(1) << EVENT_USER_DEFINE_OUTCOME |
						   UINT64_C(1) << EVENT_SCHEDULE_FIRED,
					  .descending = true,
					  .limit = LOOKED_BACK },
		   on_message_row, on_messages, q);
}

static void
on_standing(void *ctx, int rc, const struct err *err, const struct store_session *session,
	    bool takes_part)
{
	struct queue_change *q = ctx;

	(void)session, (void)takes_part;
	if (rc != 0) {
		change_fail(q, rc, err);
		return;
	}
	store_read(q->en->store,
		   &(struct store_query){ .kind = STORE_LIST_PENDING,
					  .session = q->session,
					  .limit = STORE_PAGE_ROWS_MAX },
		   on_pending_row, on_pending, q);
}

static void
on_repeat(void *ctx, int rc, const struct err *err, const struct str *first)
{
	struct queue_change *q = ctx;

	if (rc != 0)
		change_fail(q, rc, err);
	else if (first)
		change_end(q, &(struct engine_answer){
				      .id = q->session, .replayed = true, .queue_position = -1 });
	else
		access_check(q->en, &q->caller, ACCESS_SESSION_CONTROL, q->session, on_standing, q);
}

static void
start(struct engine *en, const struct engine_call *call, const struct queue_change *what)
{
	struct queue_change *q;

	if (engine_is_closed(en, call))
		return;
	q = xcalloc(1, sizeof *q);
	*q = *what;
	q->en = en;
	q->call = *call;
	q->caller = *call->caller;
	arena_init(&q->arena);
	if (repeat_is_keyed(call->repeat))
		repeat_find(en, call->repeat, on_repeat, q);
	else
		on_repeat(q, 0, NULL, NULL);
}

void
engine_queue_edit(struct engine *en, const struct engine_call *call, struct str session,
		  struct str message, struct str text)
{
	struct err e;

	if (text.len == 0)
		engine_refuse(en, call, err_set(&e, ERR_INVALID, "text: must not be empty"), &e);
	else
		start(en, call,
		      &(struct queue_change){ .session = session,
					      .message = message,
					      .edits = true,
					      .text = text });
}

void
engine_queue_cancel(struct engine *en, const struct engine_call *call, struct str session,
		    struct str message)
{
	start(en, call, &(struct queue_change){ .session = session, .message = message });
}

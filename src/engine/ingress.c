#include "engine/ingress.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/xalloc.h"
#include "core/event_make.h"
#include "core/queue_policy.h"
#include "core/route_policy.h"
#include "core/session_key.h"
#include "engine/access.h"
#include "engine/allow_always.h"
#include "engine/answered.h"
#include "engine/busy_default.h"
#include "engine/override.h"
#include "engine/session_birth.h"
#include "engine/successor.h"
#include "engine/wake.h"
#include "engine/wake_queue.h"

/* How often an interrupt makes sure that it saw every wake before it. */
enum { HEAD_TRIES = 5 };

/* One request on its way: standing (unless the operator asks), commit, answer. */
struct arrival {
	struct engine *en;
	struct engine_call call;
	struct engine_caller caller;
	struct str session;
	enum access_verb verb;
	struct arena arena;
	struct json events;                   /* of engine_send; absent: a message */
	const struct engine_message *message; /* NULL: events */
	struct ingress_batch batch;
	struct ingress_facts facts;
	enum lifecycle lifecycle; /* the one it must find */
	bool in_room, takes_part, looked, sought;
	bool asks_busy; /* the message names no busy mode, and there is more than one default */
	struct str current;
	struct wake_list wakes; /* to be cancelled: an interrupt is among the events */
	int64_t head_seq;       /* where the log was before they were read; 0: not asked */
	int head_tries;
	int64_t first_seq; /* of a replay, whose place in the queue is looked up */
	int64_t ahead;
	bool still_waits, runs_one; /* runs_one: the open turn is ahead of everything */
};

/* It lives in its own arena. */
static void
arrival_free(struct arrival *a)
{
	struct arena arena = a->arena;

	arena_release(&arena);
}

static void
arrival_end(struct arrival *a, const struct engine_answer *answer)
{
	a->call.done(a->call.ctx, answer);
	arrival_free(a);
}

static void
arrival_fail(struct arrival *a, int rc, const struct err *err)
{
	arrival_end(a, &(struct engine_answer){ .rc = rc, .err = err, .current = a->current });
}

/* ---- the answer ---- */

/* Events of its own that a commit puts before those of the client. */
static size_t
own_events(const struct arrival *a)
{
	return a->lifecycle == LIFECYCLE_INACTIVE ? 1 : 0;
}

/* What a replay needs besides the seq of the first event. */
static struct str
remembered(struct arrival *a)
{
	return arena_printf(&a->arena, "{\"skip\":%zu,\"count\":%zu,\"triggered\":%s}",
			    own_events(a), a->batch.count, a->batch.has_trigger ? "true" : "false");
}

static bool
recall(struct arrival *a, struct str text, bool *triggered)
{
	struct json_doc doc;
	struct json v;
	int64_t skip, count;

	if (json_parse(&a->arena, text, &JSON_LIMITS_DEFAULT, &doc, NULL) != 0 ||
	    !json_find(json_root(&doc), STR("skip"), &v) || !json_int(v, &skip) ||
	    !json_find(json_root(&doc), STR("count"), &v) || !json_int(v, &count))
		return false;
	a->first_seq += skip;
	a->batch.count = (size_t)count;
	*triggered = json_find(json_root(&doc), STR("triggered"), &v) && json_type(v) == JSON_TRUE;
	return true;
}

static bool
on_waiting_row(void *ctx, const struct store_row *row)
{
	struct arrival *a = ctx;

	if (row->input->meta.class != INPUT_TRIGGER)
		return true;
	if (row->input->seq < a->first_seq) {
		a->ahead++;
		return true;
	}
	a->still_waits = row->input->seq < a->first_seq + (int64_t)a->batch.count;
	return false;
}

static void
on_waiting(void *ctx, int rc, bool more, const struct err *err)
{
	struct arrival *a = ctx;

	(void)rc, (void)more, (void)err; /* a place that cannot be told is one that runs */
	arrival_end(a, &(struct engine_answer){
			       .replayed = true,
			       .id = a->session,
			       .first_seq = a->first_seq,
			       .event_count = a->batch.count,
			       .triggered = true,
			       .queue_position = a->still_waits ? a->ahead + a->runs_one : 0,
		       });
}

static bool
on_phase_row(void *ctx, const struct store_row *row)
{
	struct arrival *a = ctx;

	a->runs_one = row->session->row.state.phase != TURN_NONE;
	return false;
}

static void
on_phase(void *ctx, int rc, bool more, const struct err *err)
{
	struct arrival *a = ctx;

	(void)rc, (void)more, (void)err;
	store_read(a->en->store,
		   &(struct store_query){ .kind = STORE_LIST_PENDING,
					  .session = a->session,
					  .limit = STORE_PAGE_ROWS_MAX },
		   on_waiting_row, on_waiting, a);
}

static void
answer_replay(struct arrival *a, const struct store_result *r)
{
	bool triggered = false;
	struct err e;

	a->first_seq = r->first_seq;
	if (!recall(a, r->answer, &triggered)) {
		arrival_fail(a, err_set(&e, ERR_CORRUPT, "a remembered answer cannot be read"), &e);
		return;
	}
	if (triggered)
		store_read(a->en->store,
			   &(struct store_query){
				   .kind = STORE_GET_SESSION, .session = a->session, .limit = 1 },
			   on_phase_row, on_phase, a);
	else
		arrival_end(a, &(struct engine_answer){ .replayed = true,
							.id = a->session,
							.first_seq = a->first_seq,
							.event_count = a->batch.count,
							.queue_position = -1 });
}

static int64_t
position(const struct arrival *a, int64_t waiting)
{
	if (!a->batch.has_trigger)
		return -1;
	return a->facts.busy == BUSY_INTERRUPT && waiting > 1 ? 1 : waiting;
}

static void submit(struct arrival *a);
static void look_closer(struct arrival *a, const struct err *why);
static void look_for_answer(struct arrival *a, const struct err *why);

/* Is it in the queue, or may it be? What does not get in for what waits there asks for that. */
static bool
asks_for_a_turn(const struct arrival *a, int rc)
{
	return a->batch.wakes &&
	       (rc == 0 || rc == STORE_REPLAYED || rc == ERR_LIMIT || rc == ERR_UNAVAILABLE);
}

static void
on_committed(void *ctx, const struct commit_result *result)
{
	struct arrival *a = ctx;
	const struct store_result *r = result->store;
	size_t extra = result->event_count - a->batch.count;

	if (asks_for_a_turn(a, r->rc))
		wake_asked(a->en, a->session);
	if (r->rc == STORE_REPLAYED) {
		answer_replay(a, r);
		return;
	}
	if (r->rc == ERR_CONFLICT && a->head_seq > 0) { /* perhaps a wake was queued meanwhile */
		submit(a);
		return;
	}
	if (r->rc == ERR_CONFLICT && !a->sought && a->batch.count == 1 &&
	    a->batch.inputs[0].class == INPUT_ANSWER) {
		look_for_answer(a, &r->err);
		return;
	}
	if (r->rc == ERR_CONFLICT && !a->looked) {
		look_closer(a, &r->err);
		return;
	}
	if (r->rc != 0) {
		arrival_fail(a, r->rc, &r->err);
		return;
	}
	arrival_end(a, &(struct engine_answer){
			       .id = a->session,
			       .first_seq = r->first_seq + (int64_t)extra,
			       .event_count = a->batch.count,
			       .events = result->events + extra,
			       .triggered = a->batch.has_trigger,
			       .queue_position = position(a, r->waiting),
		       });
}

/* ---- the commit ---- */

static void
require_queue(struct arrival *a, struct store_require *need)
{
	if (!a->batch.has_trigger)
		return;
	need->has_max_waiting = true;
	need->max_waiting = a->en->config.settings.queue_depth;
	need->idle = a->facts.busy == BUSY_REJECT;
}

/* Answers close a wait of the open turn: the call must still be open. */
static void
require_calls(struct arrival *a, struct store_require *need)
{
	struct str *ids = ARENA_ARRAY(&a->arena, a->batch.count + 1, struct str);

	for (size_t i = 0; i < a->batch.count; i++)
		if (a->batch.inputs[i].class == INPUT_ANSWER)
			ids[need->open_calls.len++] = a->batch.inputs[i].call;
	need->open_calls.ptr = ids;
}

static void
put_participant(struct arrival *a, struct commit *c)
{
	if (!a->takes_part)
		session_birth_join(c, a->session, a->caller.who.user_id, ACCESS_PARTICIPANT);
}

static void
submit_now(struct arrival *a)
{
	struct commit *c = commit_new(a->en, a->session);
	struct store_require *need = commit_require(c);

	need->lifecycles = 1u << a->lifecycle;
	need->has_head = a->head_seq > 0;
	need->head_seq = a->head_seq;
	require_queue(a, need);
	require_calls(a, need);
	if (a->lifecycle == LIFECYCLE_INACTIVE) {
		struct buf payload;

		buf_init(&payload, STORE_INLINE_MAX);
		event_make_lifecycle(&payload, LIFECYCLE_ACTIVE, STR("message"));
		commit_append_made(c, EVENT_SESSION_UPDATED, STR(""), &payload);
	}
	ingress_append(c, &a->batch);
	allow_always_put(c, a->session, &a->batch);
	put_participant(a, c);
	wake_queue_cancel(c, a->wakes);
	if ((a->call.repeat && a->call.repeat->key.len > 0) ||
	    (a->message && a->message->message_id.len > 0)) {
		struct str answer = remembered(a);

		commit_repeat(c, a->call.repeat, answer);
		if (a->message && a->message->message_id.len > 0)
			commit_key(c, &(struct store_key){ .kind = STORE_KEY_DEDUPE,
							   .scope = a->session,
							   .name = a->message->message_id,
							   .request = sha256_of(a->message->text),
							   .answer = answer });
	}
	commit_submit(c, on_committed, a);
}

static void
on_wakes(void *ctx, int rc, const struct err *err, const struct wake_list *wakes)
{
	struct arrival *a = ctx;

	a->wakes = *wakes;
	if (rc != 0) /* stopping what runs is not to wait for what does not */
		log_write(LOG_WARN, "wake.not_cancelled", LOG_STR("session", a->session),
			  LOG_STR("error", str_of(err->text)));
	submit_now(a);
}

static bool
on_head_row(void *ctx, const struct store_row *row)
{
	struct arrival *a = ctx;

	a->head_seq = row->session->row.head_seq;
	return false;
}

static void
on_head(void *ctx, int rc, bool more, const struct err *err)
{
	struct arrival *a = ctx;

	(void)more, (void)err;
	if (rc != 0)
		a->head_seq = 0;
	wake_queue_read(a->en, a->session, &a->arena, on_wakes, a);
}

static bool
has_interrupt(const struct arrival *a)
{
	for (size_t i = 0; i < a->batch.count; i++)
		if (a->batch.inputs[i].class == INPUT_CONTROL)
			return true;
	return false;
}

/* An interrupt cancels the wakes that are queued before it, in its own transaction: a log that grew since
 * they were read may have queued one more. One that grows all the time is not waited for. */
static void
submit(struct arrival *a)
{
	a->head_seq = 0;
	if (!has_interrupt(a))
		submit_now(a);
	else if (a->head_tries++ < HEAD_TRIES)
		store_read(a->en->store,
			   &(struct store_query){
				   .kind = STORE_GET_SESSION, .session = a->session, .limit = 1 },
			   on_head_row, on_head, a);
	else
		wake_queue_read(a->en, a->session, &a->arena, on_wakes, a);
}

/* ---- why was it refused? ---- */

static void
on_successor(void *ctx, int rc, const struct err *err, struct str current)
{
	struct arrival *a = ctx;
	struct err e;

	(void)err;
	a->current = arena_str(&a->arena, current);
	if (rc == 0 && current.len > 0)
		rc = err_set(&e, ERR_CONFLICT,
			     "the session is archived; the conversation goes on in " STR_FMT,
			     STR_ARG(a->current));
	else
		rc = err_set(&e, ERR_CONFLICT,
			     "the session is archived; resume it before you write to it");
	arrival_fail(a, rc, &e);
}

struct closer_look {
	struct arrival *a;
	struct err why;
};

static void
on_looked(void *ctx, int rc, const struct err *err, const struct store_session *session,
	  bool takes_part)
{
	struct closer_look *look = ctx;
	struct arrival *a = look->a;
	struct err why = look->why;

	(void)takes_part;
	free(look);
	if (rc != 0 && rc != ERR_CONFLICT) {
		arrival_fail(a, rc, err);
		return;
	}
	switch (session->row.state.lifecycle) {
	case LIFECYCLE_INACTIVE: /* whoever writes to it makes it active again */
	case LIFECYCLE_ACTIVE:
		if (a->lifecycle != session->row.state.lifecycle) {
			a->lifecycle = session->row.state.lifecycle;
			submit(a);
			return;
		}
		break;
	case LIFECYCLE_ARCHIVED: successor_find(a->en, a->session, on_successor, a); return;
	case LIFECYCLE_TERMINATED:
		err_set(&why, ERR_CONFLICT, "the session has ended for good");
		break;
	}
	arrival_fail(a, ERR_CONFLICT, &why);
}

static void
look_closer(struct arrival *a, const struct err *why)
{
	struct closer_look *look = xcalloc(1, sizeof *look);

	a->looked = true;
	*look = (struct closer_look){ a, *why };
	access_check(a->en, &a->caller, a->verb, a->session, on_looked, look);
}

static void
on_answered(void *ctx, int rc, const struct err *err, int64_t seq)
{
	struct closer_look *look = ctx;
	struct arrival *a = look->a;
	struct err why = look->why;

	free(look);
	if (rc != 0)
		arrival_fail(a, rc, err);
	else if (seq == 0)
		look_closer(a, &why);
	else
		arrival_end(a, &(struct engine_answer){ .replayed = true,
							.id = a->session,
							.first_seq = seq,
							.event_count = 1,
							.queue_position = -1 });
}

static void
look_for_answer(struct arrival *a, const struct err *why)
{
	struct closer_look *look = xcalloc(1, sizeof *look);

	a->sought = true;
	*look = (struct closer_look){ a, *why };
	answered_find(a->en, a->session, &a->batch.inputs[0], on_answered, look);
}

/* ---- standing ---- */

static void
on_always(void *ctx, int rc, const struct err *err)
{
	if (rc != 0)
		arrival_fail(ctx, rc, err);
	else
		submit(ctx);
}

static void
submit_all(struct arrival *a)
{
	if (allow_always_is_asked(&a->batch))
		allow_always_load(a->en, a->session, &a->batch, &a->arena, on_always, a);
	else
		submit(a);
}

static int
read_inputs(struct arrival *a, struct err *e)
{
	struct route_facts route = {
		.in_room = a->in_room,
		.sender_role = a->caller.who.role,
		.mentioned = !a->in_room ||
			     (a->message && a->message->has_mentioned && a->message->mentioned),
	};

	if (a->caller.who.kind == TOKEN_OWNER)
		route.sender_role = ROLE_OWNER;
	if (a->message && json_is_set(a->message->sender))
		route.sender_role = ROLE_USER; /* somebody the operator speaks for */
	a->facts.routed = route_policy_decide(&route).trigger;
	if (a->message)
		return ingress_read_message(a->en, &a->arena, a->message, &a->facts, &a->batch, e);
	return ingress_read(a->en, &a->arena, a->events, &a->facts, &a->batch, e);
}

static void
read_and_submit(struct arrival *a)
{
	struct err e;
	int rc = read_inputs(a, &e);

	if (rc != 0)
		arrival_fail(a, rc, &e);
	else
		submit_all(a);
}

static void
on_busy(void *ctx, int rc, const struct err *err, enum busy_mode busy)
{
	struct arrival *a = ctx;

	a->facts.busy = busy;
	if (rc != 0)
		arrival_fail(a, rc, err);
	else
		read_and_submit(a);
}

/* Also where everybody in the room has a session of their own. */
static bool
is_room(const struct store_session *session)
{
	struct session_key_parts lane;

	return session->group ||
	       (session_key_parse(session->lane_key, &lane) && lane.chat_type != SOURCE_DM);
}

/* Better now than in the middle of the night. */
static int
check_model(struct engine *en, struct str model, struct err *e)
{
	const struct engine_models *models = &en->config.models;
	struct provider *provider;
	struct str name;
	struct err why;

	if (model.len == 0 || models->find(models->ctx, model, &provider, &name, &why) == 0)
		return 0;
	return err_set(e, ERR_INVALID, "model: %s", why.text);
}

/* Which models there are is only for those who may choose among all of them. */
static int
check_choice(const struct arrival *a, const struct store_session *session, struct err *e)
{
	struct override as = { a->en, &a->caller, session->agent_id };
	int rc = 0;

	if (!a->message || a->message->model.len == 0)
		return 0;
	rc = override_check_model(&as, a->message->model, e);
	return rc == 0 ? check_model(a->en, a->message->model, e) : rc;
}

static void
on_standing(void *ctx, int rc, const struct err *err, const struct store_session *session,
	    bool takes_part)
{
	struct arrival *a = ctx;
	struct err e;

	/* what an archived session says is said by the closer look, with the one that is current */
	if (rc != 0 && !(rc == ERR_CONFLICT && session)) {
		arrival_fail(a, rc, err);
		return;
	}
	rc = check_choice(a, session, &e);
	if (rc != 0) {
		arrival_fail(a, rc, &e);
		return;
	}
	a->in_room = is_room(session);
	a->takes_part = takes_part || a->caller.who.kind == TOKEN_OWNER;
	a->lifecycle = session->row.state.lifecycle == LIFECYCLE_INACTIVE ? LIFECYCLE_INACTIVE
									  : LIFECYCLE_ACTIVE;
	if (a->asks_busy)
		busy_default_find(a->en, session, on_busy, a);
	else
		read_and_submit(a);
}

static struct arrival *
arrival_new(struct engine *en, const struct engine_call *call, struct str session)
{
	struct arrival *a;
	struct arena arena;

	arena_init_in(&arena, &en->arenas);
	a = ARENA_NEW(&arena, struct arrival);
	a->en = en;
	a->call = *call;
	a->caller = *call->caller;
	a->session = session;
	a->facts.sender = a->caller.who.user_id;
	a->arena = arena;
	return a;
}

/* The operator sees everything: what can be refused, the store's preconditions refuse. */
static void
arrival_start(struct arrival *a, enum access_verb verb, bool need_row)
{
	struct err e UNSET;
	int rc;

	a->verb = verb;
	if (a->caller.who.kind != TOKEN_OWNER || need_row) {
		access_check(a->en, &a->caller, verb, a->session, on_standing, a);
		return;
	}
	a->takes_part = true; /* owners need no record to see */
	rc = read_inputs(a, &e);
	if (rc == 0) {
		submit_all(a);
		return;
	}
	engine_refuse(a->en, &a->call, rc, &e);
	arrival_free(a);
}

/* ---- commands ---- */

void
engine_send(struct engine *en, const struct engine_call *call, struct str session,
	    struct json events)
{
	struct arrival *a;

	if (engine_is_closed(en, call))
		return;
	a = arrival_new(en, call, session);
	a->events = events;
	arrival_start(a, ingress_verb(events), false);
}

/* Who asks for an interrupt must be allowed to. A channel decides that for those it speaks for. */
static enum access_verb
message_verb(const struct arrival *a)
{
	return a->message->has_busy && a->message->busy == BUSY_INTERRUPT &&
			       a->caller.who.kind == TOKEN_USER
		       ? ACCESS_SESSION_CONTROL
		       : ACCESS_SESSION_POST;
}

void
engine_post(struct engine *en, const struct engine_call *call, struct str session,
	    const struct engine_message *message)
{
	struct arrival *a;
	struct err e;
	int rc;

	if (engine_is_closed(en, call))
		return;
	a = arrival_new(en, call, session);
	rc = ingress_check_message(message, &a->caller, &a->arena, &e);
	if (rc == 0 && a->caller.who.kind == TOKEN_OWNER) /* of others when they have standing */
		rc = check_model(en, message->model, &e);
	if (rc != 0) {
		engine_refuse(en, call, rc, &e);
		arrival_free(a);
		return;
	}
	a->message = message;
	a->facts.append_only = message->append_only;
	a->facts.busy = message->has_busy ? message->busy : en->config.settings.busy;
	a->asks_busy =
		!message->has_busy && !message->append_only && busy_default_is_particular(en);
	if (json_is_set(message->sender))
		a->facts.sender = json_raw(message->sender);
	arrival_start(a, message_verb(a), json_is_set(message->sender) || a->asks_busy);
}

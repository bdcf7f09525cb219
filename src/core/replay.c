#include "core/replay.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/xalloc.h"
#include "core/counters.h"
#include "core/preview.h"
#include "core/replay_private.h"

#define CLASS(c) (1u << (c))

int
replay_corrupt(const struct replay_step *s, struct err *e, const char *fmt, ...)
{
	char text[ERR_TEXT_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	return err_set(e, ERR_CORRUPT, "seq %lld (%s): %s", (long long)s->ev->seq,
		       event_type(s->ev->kind), text);
}

struct replay *
replay_new(void)
{
	struct replay *r = xcalloc(1, sizeof *r);

	arena_init(&r->kept);
	arena_init(&r->scratch);
	sha256_init(&r->hash);
	map_init(&r->input_by_id, 0);
	map_init(&r->item_by_id, 0);
	map_init(&r->inherited_by_id, 0);
	return r;
}

void
replay_free(struct replay **p)
{
	struct replay *r = *p;

	if (!r)
		return;
	map_release(&r->input_by_id);
	map_release(&r->item_by_id);
	map_release(&r->inherited_by_id);
	vec_release(&r->inputs);
	vec_release(&r->calls);
	vec_release(&r->items);
	vec_release(&r->item_ids);
	sha256_release(&r->hash);
	arena_release(&r->kept);
	arena_release(&r->scratch);
	free(r);
	*p = NULL;
}

struct str
replay_text(struct replay *r, const struct replay_step *s, const char *name)
{
	struct json v;

	return json_find(s->payload, str_of(name), &v) ? json_str(v, &r->scratch)
						       : (struct str){ 0 };
}

static int
move(struct replay *r, const struct replay_step *s, enum session_move m, struct err *e)
{
	struct err inner;

	if (session_move(&r->session.state, m, &inner) != 0)
		return replay_corrupt(s, e, "%s", inner.text);
	return 0;
}

/* The event names the open turn, or none when none is open. */
static int
check_turn(struct replay *r, const struct replay_step *s, struct err *e)
{
	struct str turn = replay_text(r, s, "turn_id");

	if (!str_eq(turn, r->session.turn))
		return replay_corrupt(s, e, "names turn '" STR_FMT "', but '" STR_FMT "' is open",
				      STR_ARG(turn), STR_ARG(r->session.turn));
	return 0;
}

static int
on_running(struct replay *r, const struct replay_step *s, struct err *e)
{
	bool opens = r->session.state.phase == TURN_NONE;
	struct json consumes, wakes;
	int rc;

	if (opens && json_find(s->payload, STR("consumes"), &consumes) &&
	    json_find(s->payload, STR("wakes"), &wakes) && json_count(consumes) == 0 &&
	    json_count(wakes) == 0)
		return replay_corrupt(s, e, "a turn that nothing started");
	rc = opens ? 0 : check_turn(r, s, e);
	if (rc == 0)
		rc = move(r, s, MOVE_START, e);
	if (rc != 0)
		return rc;
	if (opens) {
		r->session.turn = arena_str(&r->kept, replay_text(r, s, "turn_id"));
		r->session.turn_seq = s->ev->seq;
		r->session.attempt = 0;
		vec_clear(&r->calls);
	}
	return replay_input_consume(
		r, s, opens ? CLASS(INPUT_TRIGGER) | CLASS(INPUT_BOUND) : CLASS(INPUT_ANSWER), e);
}

static void
turn_ended(struct replay *r, const struct replay_step *s, enum stop_kind stop)
{
	replay_input_turn_ended(r, s);
	if (r->session.turn.len > 0)
		r->session.counters.completed_turns++;
	r->session.turn = (struct str){ 0 };
	r->session.turn_seq = 0;
	r->session.attempt = 0;
	r->session.last_stop = stop;
	vec_clear(&r->calls);
}

static enum stop_kind
stop_of(struct replay *r, const struct replay_step *s)
{
	struct json reason, type, limit;
	struct str word = { 0 };
	enum stop_kind kind = STOP_NONE;

	if (!json_find(s->payload, STR("stop_reason"), &reason) ||
	    !json_find(reason, STR("type"), &type))
		return kind;
	if (json_find(reason, STR("limit"), &limit))
		word = json_str(limit, &r->scratch);
	stop_kind_parse(json_str(type, &r->scratch), word, &kind);
	return kind;
}

static int
on_idle(struct replay *r, const struct replay_step *s, struct err *e)
{
	enum stop_kind stop = stop_of(r, s);
	bool parks = stop == STOP_REQUIRES_ACTION;
	int rc = check_turn(r, s, e);

	if (rc == 0)
		rc = replay_input_consume(r, s,
					  parks ? CLASS(INPUT_ANSWER)
						: CLASS(INPUT_ANSWER) | CLASS(INPUT_CONTROL),
					  e);
	if (rc == 0)
		rc = parks ? replay_call_check_park(r, s, e)
			   : replay_call_check_all_closed(r, s, e);
	if (rc == 0)
		rc = move(r, s, parks ? MOVE_PARK : MOVE_END, e);
	if (rc == 0 && parks)
		r->session.last_stop = stop;
	else if (rc == 0)
		turn_ended(r, s, stop);
	return rc;
}

static int
on_rescheduled(struct replay *r, const struct replay_step *s, struct err *e)
{
	struct json attempt;
	int rc = check_turn(r, s, e);

	if (rc == 0)
		rc = move(r, s, MOVE_RESCHEDULE, e);
	if (rc == 0 && json_find(s->payload, STR("attempt"), &attempt))
		json_int(attempt, &r->session.attempt);
	return rc;
}

static int
on_terminated(struct replay *r, const struct replay_step *s, struct err *e)
{
	int rc = check_turn(r, s, e);

	if (rc == 0)
		rc = replay_input_consume(r, s, CLASS(INPUT_ANSWER) | CLASS(INPUT_CONTROL), e);
	if (rc == 0)
		rc = move(r, s, MOVE_TERMINATE, e);
	if (rc == 0)
		turn_ended(r, s, STOP_TERMINATED);
	return rc;
}

static int
on_input_consumed(struct replay *r, const struct replay_step *s, struct err *e)
{
	int rc = check_turn(r, s, e);

	if (rc == 0 && r->session.state.phase != TURN_RUNNING)
		rc = replay_corrupt(s, e, "consumes outside a running turn");
	if (rc == 0)
		rc = replay_input_consume(
			r, s, CLASS(INPUT_TRIGGER) | CLASS(INPUT_BOUND) | CLASS(INPUT_ANSWER), e);
	return rc;
}

static int
set_lifecycle(struct replay *r, const struct replay_step *s, enum lifecycle to, struct err *e)
{
	switch (to) {
	case LIFECYCLE_ACTIVE:
		return move(r, s,
			    r->session.state.lifecycle == LIFECYCLE_ARCHIVED ? MOVE_UNARCHIVE
									     : MOVE_REACTIVATE,
			    e);
	case LIFECYCLE_INACTIVE: return move(r, s, MOVE_DEACTIVATE, e);
	case LIFECYCLE_ARCHIVED: return move(r, s, MOVE_ARCHIVE, e);
	case LIFECYCLE_TERMINATED: break;
	}
	return replay_corrupt(s, e, "only status_terminated terminates");
}

/* An event that names metadata holds all of it: who makes the event has applied the patch. */
static void
take_metadata(struct replay *r, const struct replay_step *s)
{
	struct json metadata;

	if (json_find(s->payload, STR("metadata"), &metadata))
		r->metadata = arena_str(&r->kept, json_raw(metadata));
}

static void
take_title(struct replay *r, const struct replay_step *s)
{
	struct json title;

	if (!json_find(s->payload, STR("title"), &title))
		return;
	r->session.title = arena_str(&r->kept, json_str(title, &r->scratch));
	r->session.title_source =
		title_source_of(r->session.title, replay_text(r, s, "title_source"));
}

static int
on_updated(struct replay *r, const struct replay_step *s, struct err *e)
{
	enum lifecycle to;

	take_metadata(r, s);
	take_title(r, s);
	if (!lifecycle_parse(replay_text(r, s, "lifecycle"), &to))
		return 0;
	return set_lifecycle(r, s, to, e);
}

static int
on_reset(struct replay *r, const struct replay_step *s, struct err *e)
{
	enum lifecycle to = LIFECYCLE_ARCHIVED;

	if (replay_input_has_pending_trigger(r))
		return replay_corrupt(s, e, "reset although a trigger is pending");
	if (!lifecycle_parse(replay_text(r, s, "lifecycle"), &to))
		return replay_corrupt(s, e, "lifecycle is missing");
	return set_lifecycle(r, s, to, e);
}

static void
count_message(struct replay *r, const struct replay_step *s)
{
	struct str line = preview_line(s->payload, PREVIEW_CHARS, &r->scratch);

	r->session.counters.messages++;
	if (line.len > 0 && line.len <= PREVIEW_BYTES) {
		memcpy(r->session.preview, line.ptr, line.len);
		r->session.preview[line.len] = '\0';
	}
	if (s->ev->kind == EVENT_USER_MESSAGE && r->session.fallback_title.len == 0)
		r->session.fallback_title =
			arena_str(&r->kept, preview_line(s->payload, PREVIEW_CHARS, &r->scratch));
}

/* What the agent made takes its own seq as its place. */
static int
on_agent(struct replay *r, const struct replay_step *s, enum item_role role, struct err *e)
{
	if (!str_eq(s->ev->turn, r->session.turn))
		return replay_corrupt(s, e, "belongs to another turn than the open one");
	replay_item_add(r, s, role);
	replay_item_place(r, s->id, s->ev->seq, 0);
	return 0;
}

static int
on_created(struct replay *r, const struct replay_step *s, struct err *e)
{
	if (s->ev->seq != 1)
		return replay_corrupt(s, e, "a session is created once, at seq 1");
	take_title(r, s);
	take_metadata(r, s);
	r->session.counters.last_activity_ms = s->ev->created_at_ms;
	return 0;
}

static int
on_input(struct replay *r, const struct replay_step *s, struct err *e)
{
	int rc = replay_input_arrive(r, s, e);

	if (rc == 0)
		r->session.counters.last_activity_ms = s->ev->created_at_ms;
	if (rc == 0 && s->ev->kind == EVENT_USER_MESSAGE)
		count_message(r, s);
	return rc;
}

static int
on_agent_event(struct replay *r, const struct replay_step *s, struct err *e)
{
	bool result = s->ev->kind == EVENT_AGENT_TOOL_RESULT ||
		      s->ev->kind == EVENT_AGENT_MCP_TOOL_RESULT;
	bool call = !result && s->ev->kind != EVENT_AGENT_MESSAGE &&
		    s->ev->kind != EVENT_AGENT_THINKING;
	int rc = on_agent(r, s, result ? ITEM_TOOL : ITEM_ASSISTANT, e);

	if (rc == 0 && result)
		rc = replay_call_result(r, s, e);
	if (rc == 0 && call)
		rc = replay_call_open(r, s, e);
	if (rc == 0 && s->ev->kind == EVENT_AGENT_MESSAGE)
		count_message(r, s);
	if (rc == 0)
		r->session.counters.last_activity_ms = s->ev->created_at_ms;
	return rc;
}

static int
dispatch(struct replay *r, const struct replay_step *s, struct err *e)
{
	switch (s->ev->kind) {
	case EVENT_USER_MESSAGE:
	case EVENT_USER_INTERRUPT:
	case EVENT_USER_TOOL_CONFIRMATION:
	case EVENT_USER_TOOL_RESULT:
	case EVENT_USER_CUSTOM_TOOL_RESULT:
	case EVENT_USER_DEFINE_OUTCOME:
	case EVENT_SYSTEM_MESSAGE:
	case EVENT_SCHEDULE_FIRED: return on_input(r, s, e);
	case EVENT_AGENT_MESSAGE:
	case EVENT_AGENT_THINKING:
	case EVENT_AGENT_TOOL_USE:
	case EVENT_AGENT_TOOL_RESULT:
	case EVENT_AGENT_CUSTOM_TOOL_USE:
	case EVENT_AGENT_MCP_TOOL_USE:
	case EVENT_AGENT_MCP_TOOL_RESULT: return on_agent_event(r, s, e);
	case EVENT_AGENT_CONTEXT_COMPACTED: return replay_item_compact(r, s, e);
	case EVENT_SESSION_CREATED: return on_created(r, s, e);
	case EVENT_STATUS_RUNNING: return on_running(r, s, e);
	case EVENT_STATUS_IDLE: return on_idle(r, s, e);
	case EVENT_STATUS_RESCHEDULED: return on_rescheduled(r, s, e);
	case EVENT_STATUS_TERMINATED: return on_terminated(r, s, e);
	case EVENT_INPUT_CONSUMED: return on_input_consumed(r, s, e);
	case EVENT_INPUT_EDITED: return replay_input_edit(r, s, e);
	case EVENT_INPUT_CANCELLED: return replay_input_cancel(r, s, e);
	case EVENT_SESSION_UPDATED: return on_updated(r, s, e);
	case EVENT_SESSION_RESET: return on_reset(r, s, e);
	case EVENT_SESSION_REWOUND: return replay_item_rewind(r, s, e);
	case EVENT_SESSION_FORKED: return replay_item_fork(r, s, e);
	case EVENT_SESSION_DELETED: r->session.deleted = true; return 0;
	case EVENT_MODEL_REQUEST_END:
		counters_add_request(&r->session.counters, s->payload);
		return 0;
	case EVENT_THREAD_CREATED:
	case EVENT_THREAD_STATUS_RUNNING:
	case EVENT_THREAD_STATUS_IDLE:
	case EVENT_THREAD_STATUS_RESCHEDULED:
	case EVENT_THREAD_STATUS_TERMINATED:
	case EVENT_SESSION_USAGE:
	case EVENT_SESSION_ERROR:
	case EVENT_SESSION_CHECKPOINT:
	case EVENT_MODEL_REQUEST_START:
	case EVENT_CHANNEL_MESSAGE_SENT: return 0; /* told, but nothing is projected from them */
	}
	return 0;
}

static int
check_envelope(struct replay *r, const struct replay_step *s, struct err *e)
{
	if (s->ev->seq != r->session.head_seq + 1)
		return replay_corrupt(s, e, "follows seq %lld", (long long)r->session.head_seq);
	if (s->ev->seq == 1 && s->ev->kind != EVENT_SESSION_CREATED)
		return replay_corrupt(s, e, "a log begins with session.created");
	if (r->session.deleted)
		return replay_corrupt(s, e, "after session.deleted nothing follows");
	if (s->ev->id.len == 0 || map_find(&r->input_by_id, s->ev->id) ||
	    map_find(&r->item_by_id, s->ev->id))
		return replay_corrupt(s, e, "its id is empty or taken");
	return 0;
}

int
replay_apply(struct replay *r, const struct event *ev, struct err *e)
{
	struct replay_step s = { .ev = ev };
	struct json_doc doc;
	struct err inner;
	enum event_kind kind;
	int rc = check_envelope(r, &s, e);

	if (rc != 0)
		return rc;
	arena_reset(&r->scratch);
	if (json_parse(&r->scratch, ev->payload, &EVENT_PAYLOAD_LIMITS, &doc, &inner) != 0 ||
	    event_check(json_root(&doc), &kind, &inner) != 0)
		return replay_corrupt(&s, e, "payload: %s", inner.text);
	if (kind != ev->kind)
		return replay_corrupt(&s, e, "its payload is of type %s", event_type(kind));
	s.payload = json_root(&doc);
	s.id = arena_str(&r->kept, ev->id);
	rc = dispatch(r, &s, e);
	if (rc != 0)
		return rc;
	r->session.head_hash = event_hash(&r->hash, &r->session.head_hash, ev);
	r->session.head_seq = ev->seq;
	return 0;
}

const struct session_row *
replay_session(const struct replay *r)
{
	return &r->session;
}

struct str
replay_metadata(const struct replay *r)
{
	return r->metadata;
}

const struct input_row *
replay_inputs(const struct replay *r, size_t *count)
{
	*count = r->inputs.len;
	return r->inputs.ptr;
}

const struct call_row *
replay_calls(const struct replay *r, size_t *count)
{
	*count = r->calls.len;
	return r->calls.ptr;
}

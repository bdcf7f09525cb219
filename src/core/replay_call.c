/* replay_call - the tool-call part of a replay: which calls of the open turn wait, run or are done. */
#include "core/replay_private.h"

static struct str
text_of(struct replay *r, struct json payload, const char *name)
{
	struct json v;

	return json_find(payload, str_of(name), &v) ? json_str(v, &r->scratch) : (struct str){ 0 };
}

static struct call_row *
call_find(struct replay *r, struct str id)
{
	for (size_t i = 0; i < r->calls.len; i++)
		if (str_eq(r->calls.ptr[i].id, id))
			return &r->calls.ptr[i];
	return NULL;
}

/* The field that names the call an answer or result belongs to. */
static const char *
call_field(enum event_kind kind)
{
	if (kind == EVENT_USER_CUSTOM_TOOL_RESULT)
		return "custom_tool_use_id";
	if (kind == EVENT_AGENT_MCP_TOOL_RESULT)
		return "mcp_tool_use_id";
	return "tool_use_id";
}

/* An allowed call has started once it is committed; an asked one waits for people; a client-side
 * one waits for its result (8). A call denied by policy only needs its result. */
static enum call_state
first_state(struct str permission, bool client_side)
{
	if (str_eq(permission, STR("ask")))
		return CALL_WAITS_APPROVAL;
	if (str_eq(permission, STR("deny")))
		return CALL_DENIED;
	return client_side ? CALL_WAITS_RESULT : CALL_STARTED;
}

int
replay_call_open(struct replay *r, const struct replay_step *s, struct err *e)
{
	bool client_side = s->ev->kind == EVENT_AGENT_CUSTOM_TOOL_USE ||
			   str_eq(text_of(r, s->payload, "executor"), STR("client"));

	if (r->session.state.phase != TURN_RUNNING)
		return replay_corrupt(s, e, "a tool call outside a running turn");
	*vec_push(&r->calls) = (struct call_row){
		.id = s->id,
		.seq = s->ev->seq,
		.kind = s->ev->kind,
		.client_side = client_side,
		.state = first_state(text_of(r, s->payload, "evaluated_permission"), client_side),
	};
	return 0;
}

int
replay_call_result(struct replay *r, const struct replay_step *s, struct err *e)
{
	struct call_row *call = call_find(r, text_of(r, s->payload, call_field(s->ev->kind)));

	if (!call)
		return replay_corrupt(s, e, "a result for a call the open turn does not have");
	if (call->state == CALL_CLOSED)
		return replay_corrupt(s, e, "a second result for one call (first at seq %lld)",
				      (long long)call->closed_seq);
	call->state = CALL_CLOSED;
	call->closed_seq = s->ev->seq;
	return 0;
}

int
replay_call_answer_arrives(struct replay *r, const struct replay_step *s, struct err *e)
{
	struct call_row *call = call_find(r, text_of(r, s->payload, call_field(s->ev->kind)));
	bool confirmation = s->ev->kind == EVENT_USER_TOOL_CONFIRMATION;

	if (!call)
		return replay_corrupt(s, e, "an answer to a call the open turn does not have");
	if (call->answer_id.len > 0)
		return replay_corrupt(s, e, "a second answer to one call");
	if (call->state != (confirmation ? CALL_WAITS_APPROVAL : CALL_WAITS_RESULT))
		return replay_corrupt(s, e, "an answer to a call that does not wait for it");
	call->answer_id = s->id;
	return 0;
}

int
replay_call_answer_consumed(struct replay *r, const struct replay_step *s, struct str answer_id,
			    struct err *e)
{
	for (size_t i = 0; i < r->calls.len; i++) {
		struct call_row *call = &r->calls.ptr[i];
		if (!str_eq(call->answer_id, answer_id))
			continue;
		call->answer_id = (struct str){ 0 };
		switch (call->state) {
		case CALL_WAITS_APPROVAL:
			call->state = call->client_side ? CALL_WAITS_RESULT : CALL_STARTED;
			return 0;
		case CALL_WAITS_RESULT:
			call->state = CALL_CLOSED;
			call->closed_seq = s->ev->seq;
			return 0;
		case CALL_STARTED:
		case CALL_DENIED:
		case CALL_CLOSED: return 0; /* closed from outside while the answer was pending */
		}
	}
	return replay_corrupt(s, e, "consumes an answer that no open call has");
}

int
replay_call_check_park(const struct replay *r, const struct replay_step *s, struct err *e)
{
	size_t waiting = 0;

	for (size_t i = 0; i < r->calls.len; i++) {
		enum call_state state = r->calls.ptr[i].state;
		if (state == CALL_STARTED || state == CALL_DENIED)
			return replay_corrupt(s, e, "parks while the call at seq %lld is not done",
					      (long long)r->calls.ptr[i].seq);
		waiting += state != CALL_CLOSED;
	}
	if (waiting == 0)
		return replay_corrupt(s, e, "parks although no call waits");
	return 0;
}

int
replay_call_check_all_closed(const struct replay *r, const struct replay_step *s, struct err *e)
{
	for (size_t i = 0; i < r->calls.len; i++)
		if (r->calls.ptr[i].state != CALL_CLOSED)
			return replay_corrupt(
				s, e, "ends the turn, but the call at seq %lld has no result",
				(long long)r->calls.ptr[i].seq);
	return 0;
}

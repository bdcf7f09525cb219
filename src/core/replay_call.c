/* replay_call - the tool-call part of a replay: which calls of the open turn wait, run or are done. */
#include "core/call_state.h"
#include "core/replay_private.h"

static struct call_row *
call_find(struct replay *r, struct str id)
{
	for (size_t i = 0; i < r->calls.len; i++)
		if (str_eq(r->calls.ptr[i].id, id))
			return &r->calls.ptr[i];
	return NULL;
}

int
replay_call_open(struct replay *r, const struct replay_step *s, struct err *e)
{
	bool client_side = call_state_is_client_side(s->ev->kind, s->payload);

	if (r->session.state.phase != TURN_RUNNING)
		return replay_corrupt(s, e, "a tool call outside a running turn");
	*vec_push(&r->calls) = (struct call_row){
		.id = s->id,
		.seq = s->ev->seq,
		.kind = s->ev->kind,
		.client_side = client_side,
		.state = call_state_first(s->payload, client_side),
	};
	return 0;
}

int
replay_call_result(struct replay *r, const struct replay_step *s, struct err *e)
{
	struct call_row *call = call_find(r, replay_text(r, s, call_state_field(s->ev->kind)));

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
	struct call_row *call = call_find(r, replay_text(r, s, call_state_field(s->ev->kind)));

	if (!call)
		return replay_corrupt(s, e, "an answer to a call the open turn does not have");
	if (call->answer_id.len > 0)
		return replay_corrupt(s, e, "a second answer to one call");
	if (!call_state_awaits(call->state, s->ev->kind))
		return replay_corrupt(s, e, "an answer to a call that does not wait for it");
	call->answer_id = s->id;
	return 0;
}

int
replay_call_answer_consumed(struct replay *r, const struct replay_step *s, struct str answer_id,
			    struct err *e)
{
	enum call_state was;

	for (size_t i = 0; i < r->calls.len; i++) {
		struct call_row *call = &r->calls.ptr[i];
		if (!str_eq(call->answer_id, answer_id))
			continue;
		call->answer_id = (struct str){ 0 };
		was = call->state;
		call->state = call_state_answered(was, call->client_side);
		if (call->state == CALL_CLOSED && was != CALL_CLOSED)
			call->closed_seq = s->ev->seq;
		return 0;
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

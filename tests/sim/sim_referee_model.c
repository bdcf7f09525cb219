/* sim_referee_model - what a model is shown: every call with its one result right behind it, every
 * message that its turn consumed, and none that still waits. */
#include "sim_node.h"
#include "sim_referee.h"

static bool
has_call(const struct message *m, struct str id)
{
	for (size_t i = 0; i < m->tool_call_count; i++)
		if (str_eq(m->tool_calls[i].id, id))
			return true;
	return false;
}

/* Results follow the answer that asked for them, one each, in any order. */
static void
judge_pairs(struct world *w, const struct provider_request *r)
{
	for (size_t i = 0; i < r->message_count; i++) {
		const struct message *m = &r->messages[i];
		size_t results = 0;

		if (m->role == MESSAGE_TOOL) {
			sim_fail(w, SIM_CLAUSE_TRANSCRIPT, "message %zu is the result of nothing",
				 i);
			return;
		}
		while (i + 1 < r->message_count && r->messages[i + 1].role == MESSAGE_TOOL) {
			const struct message *result = &r->messages[++i];

			results++;
			if (!has_call(m, result->tool_call_id))
				sim_fail(w, SIM_CLAUSE_TRANSCRIPT,
					 "message %zu is the result of another's call", i);
			for (size_t k = i - 1; k > i - results; k--)
				if (str_eq(r->messages[k].tool_call_id, result->tool_call_id))
					sim_fail(w, SIM_CLAUSE_TRANSCRIPT,
						 "call %.*s has two results",
						 STR_ARG(result->tool_call_id));
		}
		if (results != m->tool_call_count)
			sim_fail(w, SIM_CLAUSE_TRANSCRIPT, "%zu calls are followed by %zu results",
				 m->tool_call_count, results);
	}
}

static bool
shows(const struct provider_request *r, int64_t marker)
{
	for (size_t i = 0; i < r->message_count; i++) {
		struct str text = r->messages[i].content;
		int64_t number;

		if (r->messages[i].role == MESSAGE_USER && str_starts(text, STR("m")) &&
		    str_to_int(str_slice(text, 1, text.len), &number) && number == marker)
			return true;
	}
	return false;
}

static void
judge_inputs(struct world *w, const struct ref_session *s, const struct provider_request *r)
{
	for (size_t i = 0; i < s->inputs.len; i++) {
		const struct ref_input *in = &s->inputs.ptr[i];

		if (in->marker < 0 || in->class != INPUT_TRIGGER)
			continue;
		if (in->turn_used == s->turns.len - 1 && !shows(r, in->marker))
			sim_fail(w, in->busy == BUSY_STEER ? SIM_CLAUSE_STEER : SIM_CLAUSE_TRIGGER,
				 "the turn consumed m%lld, but its request does not show it",
				 (long long)in->marker);
		if (!in->gone && shows(r, in->marker))
			sim_fail(w, SIM_CLAUSE_TRIGGER, "m%lld still waits, but the model reads it",
				 (long long)in->marker);
	}
}

void
sim_referee_request(struct world *w, struct sim_node *node, const struct provider_request *request)
{
	int session = sim_session_index(request->cache_key);
	const struct ref_session *s;

	if (session == SIM_NONE)
		return;
	s = sim_referee_session(w, session);
	judge_pairs(w, request);
	if (s->holder != node)
		return; /* it has lost its lease and does not know yet */
	if (!s->open)
		sim_fail(w, SIM_CLAUSE_TERMINAL, "a model is asked for session %d without a turn",
			 session);
	else
		judge_inputs(w, s, request);
}

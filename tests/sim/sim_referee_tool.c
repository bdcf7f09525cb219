/* sim_referee_tool - what starts: once, after its call is in the log and nobody has to be asked. */
#include "sim_node.h"
#include "sim_referee.h"
#include "sim_tools.h"

static struct ref_call *
call_find(struct ref_session *s, struct str id)
{
	for (size_t i = s->calls.len; i > 0; i--)
		if (str_eq(s->calls.ptr[i - 1].id, id))
			return &s->calls.ptr[i - 1];
	return NULL;
}

void
sim_referee_tool(struct world *w, struct sim_node *node, const struct tool_request *request)
{
	int session = sim_session_index(request->place.session);
	struct ref_session *s = session == SIM_NONE ? NULL : &w->referee->sessions[session];
	struct ref_call *call = s ? call_find(s, request->id) : NULL;

	if (!call) {
		sim_fail(w, SIM_CLAUSE_START, "session %d: %.*s starts, but its call is in no log",
			 session, STR_ARG(request->name));
		return;
	}
	/* One that has lost its lease and does not know it yet may be late, but not again. */
	if (s->holder == node &&
	    (!s->open || call->turn != s->turns.len - 1 || call->state != REF_RUNS))
		sim_fail(w, SIM_CLAUSE_START, "session %d: %.*s starts, but may not", session,
			 STR_ARG(request->name));
	if (call->starts++ > 0 && (!sim_tools_may_repeat(request->name) ||
				   (s->holder == node && call->started_in == s->continuations)))
		sim_fail(w, SIM_CLAUSE_START, "session %d: %.*s starts again", session,
			 STR_ARG(request->name));
	if (call->starts > 1)
		sim_saw(w, SIM_SCENE_RUN_AGAIN);
	call->started_in = s->continuations;
}

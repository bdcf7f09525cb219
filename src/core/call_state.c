#include "core/call_state.h"

static bool
says(struct json payload, const char *name, struct str word)
{
	struct json v;

	return json_find(payload, str_of(name), &v) && json_str_eq(v, word);
}

bool
call_state_is_client_side(enum event_kind kind, struct json payload)
{
	return kind == EVENT_AGENT_CUSTOM_TOOL_USE || says(payload, "executor", STR("client"));
}

enum call_state
call_state_first(struct json payload, bool client_side)
{
	if (says(payload, "evaluated_permission", STR("ask")))
		return CALL_WAITS_APPROVAL;
	if (says(payload, "evaluated_permission", STR("deny")))
		return CALL_DENIED;
	return client_side ? CALL_WAITS_RESULT : CALL_STARTED;
}

const char *
call_state_field(enum event_kind kind)
{
	if (kind == EVENT_USER_CUSTOM_TOOL_RESULT)
		return "custom_tool_use_id";
	if (kind == EVENT_AGENT_MCP_TOOL_RESULT)
		return "mcp_tool_use_id";
	return "tool_use_id";
}

bool
call_state_awaits(enum call_state state, enum event_kind answer)
{
	return state ==
	       (answer == EVENT_USER_TOOL_CONFIRMATION ? CALL_WAITS_APPROVAL : CALL_WAITS_RESULT);
}

enum call_state
call_state_answered(enum call_state state, bool client_side)
{
	switch (state) {
	case CALL_WAITS_APPROVAL: return client_side ? CALL_WAITS_RESULT : CALL_STARTED;
	case CALL_WAITS_RESULT: return CALL_CLOSED;
	case CALL_STARTED:
	case CALL_DENIED:
	case CALL_CLOSED: break;
	}
	return state;
}

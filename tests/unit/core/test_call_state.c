#include "core/call_state.h"
#include "harness.h"

static const struct first_row {
	const char *name;
	enum event_kind kind;
	const char *payload;
	bool client_side;
	enum call_state want;
} FIRST[] = {
	{ "T8 an allowed call has started", EVENT_AGENT_TOOL_USE,
	  "{\"evaluated_permission\":\"allow\"}", false, CALL_STARTED },
	{ "T8 a call without a verdict has started", EVENT_AGENT_MCP_TOOL_USE, "{}", false,
	  CALL_STARTED },
	{ "T8 an asked call waits for people", EVENT_AGENT_TOOL_USE,
	  "{\"evaluated_permission\":\"ask\"}", false, CALL_WAITS_APPROVAL },
	{ "T8 an asked client-side call waits for people first", EVENT_AGENT_CUSTOM_TOOL_USE,
	  "{\"evaluated_permission\":\"ask\"}", true, CALL_WAITS_APPROVAL },
	{ "T8 a denied call needs only its result", EVENT_AGENT_TOOL_USE,
	  "{\"evaluated_permission\":\"deny\"}", false, CALL_DENIED },
	{ "T8 a custom call waits for its client", EVENT_AGENT_CUSTOM_TOOL_USE, "{}", true,
	  CALL_WAITS_RESULT },
	{ "T8 a call for a worker waits for its client", EVENT_AGENT_TOOL_USE,
	  "{\"executor\":\"client\"}", true, CALL_WAITS_RESULT },
};

static void
check_first(void **state)
{
	const struct first_row *r = *state;
	struct arena a;
	struct json_doc doc;
	struct err e = { 0 };
	bool client_side;

	arena_init(&a);
	if (json_parse(&a, str_of(r->payload), &JSON_LIMITS_DEFAULT, &doc, &e) != 0)
		fail_msg("%s", e.text);
	client_side = call_state_is_client_side(r->kind, json_root(&doc));
	assert_int_equal(client_side, r->client_side);
	assert_int_equal(call_state_first(json_root(&doc), client_side), r->want);
	arena_release(&a);
}

static void
T8_answers_move_a_waiting_call(void **state)
{
	(void)state;
	assert_int_equal(call_state_answered(CALL_WAITS_APPROVAL, false), CALL_STARTED);
	assert_int_equal(call_state_answered(CALL_WAITS_APPROVAL, true), CALL_WAITS_RESULT);
	assert_int_equal(call_state_answered(CALL_WAITS_RESULT, true), CALL_CLOSED);
	assert_int_equal(call_state_answered(CALL_STARTED, false), CALL_STARTED);
	assert_int_equal(call_state_answered(CALL_DENIED, false), CALL_DENIED);
	assert_int_equal(call_state_answered(CALL_CLOSED, false), CALL_CLOSED);
}

static void
T8_a_call_awaits_one_kind_of_answer(void **state)
{
	(void)state;
	assert_true(call_state_awaits(CALL_WAITS_APPROVAL, EVENT_USER_TOOL_CONFIRMATION));
	assert_false(call_state_awaits(CALL_WAITS_APPROVAL, EVENT_USER_TOOL_RESULT));
	assert_true(call_state_awaits(CALL_WAITS_RESULT, EVENT_USER_CUSTOM_TOOL_RESULT));
	assert_false(call_state_awaits(CALL_WAITS_RESULT, EVENT_USER_TOOL_CONFIRMATION));
	assert_false(call_state_awaits(CALL_STARTED, EVENT_USER_TOOL_RESULT));
	assert_string_equal(call_state_field(EVENT_USER_CUSTOM_TOOL_RESULT), "custom_tool_use_id");
	assert_string_equal(call_state_field(EVENT_AGENT_MCP_TOOL_RESULT), "mcp_tool_use_id");
	assert_string_equal(call_state_field(EVENT_USER_TOOL_CONFIRMATION), "tool_use_id");
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, FIRST, check_first);
	SUITE_TEST(&s, T8_answers_move_a_waiting_call);
	SUITE_TEST(&s, T8_a_call_awaits_one_kind_of_answer);
	return suite_run(&s, "call_state");
}

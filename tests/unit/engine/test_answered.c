#include "engine/answered.h"

#include "tool_rig.h"

static void
begin(struct rig *r, struct str *call)
{
	tool_rig_init(r);
	rig_agent(r, "both",
		  "{\"id\":\"both\",\"version\":1,\"model\":{\"id\":\"demo\"},\"tools\":"
		  "[" TOOL_RIG_BLOCK("always_ask") ",{\"type\":\"custom\",\"name\":\"mine\"}]}");
	rig_session(r, "s", "both");
	rig_post(r, "s", "tool bash {\"command\":\"ls\"}");
	*call = rig_event_id(r, "s", EVENT_AGENT_TOOL_USE);
}

static void
confirm(struct rig *r, struct str call, const char *result)
{
	rig_try_send(r, "s",
		     arena_printf(&r->arena,
				  "[{\"type\":\"user.tool_confirmation\",\"tool_use_id\":\"%.*s\","
				  "\"result\":\"%s\"}]",
				  STR_ARG(call), result)
			     .ptr);
}

static void
T8_a_repeated_confirmation_is_the_first_and_an_opposite_one_is_refused(void **state)
{
	struct rig r;
	struct str call;
	int64_t first, head;

	(void)state;
	begin(&r, &call);
	confirm(&r, call, "allow");
	first = r.first_seq;
	head = rig_head(&r, "s");
	confirm(&r, call, "allow");
	assert_int_equal(r.rc, 0);
	assert_int_equal(r.first_seq, first);
	confirm(&r, call, "deny");
	assert_int_equal(r.rc, ERR_CONFLICT);
	assert_non_null(strstr(r.err.text, "was already allowed"));
	assert_int_equal(rig_head(&r, "s"), head);
	rig_release(&r);
}

static void
T8_a_confirmation_of_a_call_that_was_closed_is_what_closed_it(void **state)
{
	struct rig r;
	struct str call;

	(void)state;
	begin(&r, &call);
	rig_interrupt(&r, "s");
	confirm(&r, call, "allow");
	assert_int_equal(r.rc, 0);
	check_str("log", rig_log(&r, "s", r.first_seq),
		  STR("tool_result:cancelled status_idle:interrupted+"));
	rig_release(&r);
}

static void
T9_a_duplicate_result_is_the_first(void **state)
{
	struct rig r;
	struct str call;
	const char *result;
	int64_t first;

	(void)state;
	begin(&r, &call);
	rig_interrupt(&r, "s");
	rig_post(&r, "s", "tool mine {}");
	result = arena_printf(&r.arena,
			      "[{\"type\":\"user.custom_tool_result\",\"custom_tool_use_id\":"
			      "\"%.*s\",\"content\":[{\"type\":\"text\",\"text\":\"x\"}]}]",
			      STR_ARG(rig_event_id(&r, "s", EVENT_AGENT_CUSTOM_TOOL_USE)))
			 .ptr;
	rig_try_send(&r, "s", result);
	assert_int_equal(r.rc, 0);
	first = r.first_seq;
	rig_try_send(&r, "s", result);
	assert_int_equal(r.rc, 0);
	assert_int_equal(r.first_seq, first);
	rig_release(&r);
}

static void
T9_a_call_that_is_not_there_is_refused(void **state)
{
	struct rig r;
	struct str call;

	(void)state;
	begin(&r, &call);
	confirm(&r, STR("sevt_nothing"), "allow");
	assert_int_equal(r.rc, ERR_NOT_FOUND);
	assert_string_equal(r.err.text,
			    "tool_use_id: there is no call sevt_nothing in this session");
	rig_release(&r);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, T8_a_repeated_confirmation_is_the_first_and_an_opposite_one_is_refused);
	SUITE_TEST(&s, T8_a_confirmation_of_a_call_that_was_closed_is_what_closed_it);
	SUITE_TEST(&s, T9_a_duplicate_result_is_the_first);
	SUITE_TEST(&s, T9_a_call_that_is_not_there_is_refused);
	return suite_run(&s, "engine/answered");
}

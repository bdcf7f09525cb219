#include "engine/allow_always.h"

#include "engine/approval.h"
#include "tool_rig.h"

static void
begin(struct rig *r)
{
	tool_rig_init(r);
	rig_agent(r, "asking", TOOL_RIG_ASKING_AGENT("asking"));
	rig_session(r, "s", "asking");
}

static const char *
record_of(struct rig *r, struct str call)
{
	return arena_printf(&r->arena, "s/%.*s", STR_ARG(call)).ptr;
}

static void
confirm(struct rig *r, struct str call, const char *result)
{
	rig_send(r, "s",
		 arena_printf(&r->arena,
			      "[{\"type\":\"user.tool_confirmation\",\"tool_use_id\":\"%.*s\","
			      "\"result\":\"%s\",\"scope\":\"always\"}]",
			      STR_ARG(call), result)
			 .ptr);
}

static void
T8_the_rules_are_stored_with_the_answer(void **state)
{
	struct rig r;
	struct str call;

	(void)state;
	begin(&r);
	rig_post(&r, "s", "tool bash {\"command\":\"npm run build && cat x\"}");
	call = rig_event_id(&r, "s", EVENT_AGENT_TOOL_USE);
	confirm(&r, call, "allow");
	check_str("record", rig_record(&r, RECORD_APPROVAL, record_of(&r, call)),
		  STR("{\"rules\":[{\"tool\":\"bash\",\"pattern\":\"npm run build *\"},{\"tool\":"
		      "\"bash\",\"pattern\":\"cat *\"}]}"));
	rig_release(&r);
}

static void
T8_a_rule_for_a_servers_tool_names_the_server(void **state)
{
	struct rig r;
	struct str call;

	(void)state;
	tool_rig_init(&r);
	rig_agent(&r, "web",
		  "{\"id\":\"web\",\"version\":2,\"model\":{\"id\":\"demo\"},\"mcp_servers\":[{"
		  "\"type\":\"url\",\"name\":\"web\",\"url\":\"https://web.test\"}],\"tools\":[{"
		  "\"type\":\"mcp_toolset\",\"mcp_server_name\":\"web\",\"default_config\":{"
		  "\"permission_policy\":{\"type\":\"always_ask\"}}}]}");
	rig_session(&r, "s", "web");
	rig_post(&r, "s", "tool get_page {\"u\":1}");
	call = rig_event_id(&r, "s", EVENT_AGENT_MCP_TOOL_USE);
	confirm(&r, call, "allow");
	assert_int_equal(tool_scripted_started(r.servers), 1);
	check_str("record", rig_record(&r, RECORD_APPROVAL, record_of(&r, call)),
		  STR("{\"rules\":[{\"tool\":\"get.page\",\"mcp_server_name\":\"web\"}]}"));
	rig_release(&r);
}

static void
T8_what_no_rule_can_stand_for_is_allowed_this_once(void **state)
{
	struct rig r;
	struct str call;

	(void)state;
	begin(&r);
	rig_post(&r, "s", "tool bash {\"command\":\"echo $(date)\"}");
	call = rig_event_id(&r, "s", EVENT_AGENT_TOOL_USE);
	confirm(&r, call, "allow");
	assert_int_equal(tool_scripted_started(r.tools), 1);
	assert_false(rig_has_record(&r, RECORD_APPROVAL, record_of(&r, call)));
	rig_release(&r);
}

static void
T8_a_denial_makes_no_rule(void **state)
{
	struct rig r;
	struct str call;

	(void)state;
	begin(&r);
	rig_post(&r, "s", "tool bash {\"command\":\"ls\"}");
	call = rig_event_id(&r, "s", EVENT_AGENT_TOOL_USE);
	confirm(&r, call, "deny");
	assert_false(rig_has_record(&r, RECORD_APPROVAL, record_of(&r, call)));
	rig_release(&r);
}

static void
T8_an_answer_that_is_refused_leaves_no_rule(void **state)
{
	struct rig r;
	struct str call;

	(void)state;
	begin(&r);
	rig_post(&r, "s", "tool bash {\"command\":\"ls\"}");
	call = rig_event_id(&r, "s", EVENT_AGENT_TOOL_USE);
	r.fail_appends = 1;
	rig_try_send(&r, "s",
		     arena_printf(&r.arena,
				  "[{\"type\":\"user.tool_confirmation\",\"tool_use_id\":\"%.*s\","
				  "\"result\":\"allow\",\"scope\":\"always\"}]",
				  STR_ARG(call))
			     .ptr);
	assert_int_equal(r.rc, ERR_NO_SPACE);
	assert_false(rig_has_record(&r, RECORD_APPROVAL, record_of(&r, call)));
	rig_release(&r);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, T8_the_rules_are_stored_with_the_answer);
	SUITE_TEST(&s, T8_a_rule_for_a_servers_tool_names_the_server);
	SUITE_TEST(&s, T8_what_no_rule_can_stand_for_is_allowed_this_once);
	SUITE_TEST(&s, T8_a_denial_makes_no_rule);
	SUITE_TEST(&s, T8_an_answer_that_is_refused_leaves_no_rule);
	return suite_run(&s, "engine/allow_always");
}

#include "core/agent_rules.h"

#include "json_of.h"

/* What is written is in the table of test_agent_def: here is how it is read back. */
static void
T8_rules_are_read_in_their_order(void **state)
{
	struct approval_rules rules;
	struct arena a;

	(void)state;
	arena_init(&a);
	rules = agent_rules_read(
		json_of("[{\"tool\":\"bash\",\"pattern\":\"rm *\",\"action\":\"deny\"},"
			"{\"tool\":\"s*\",\"mcp_server_name\":\"jira\",\"pattern\":null,"
			"\"action\":\"ask\"},{\"tool\":\"read\",\"action\":\"allow\"}]",
			&a),
		APPROVAL_AGENT_LATEST, &a);
	assert_int_equal(rules.count, 3);
	check_str("tool", rules.ptr[0].tool, STR("bash"));
	check_str("pattern", rules.ptr[0].pattern, STR("rm *"));
	assert_int_equal(rules.ptr[0].action, APPROVAL_DENY);
	assert_int_equal(rules.ptr[0].layer, APPROVAL_AGENT_LATEST);
	check_str("server", rules.ptr[1].server, STR("jira"));
	assert_null(rules.ptr[1].pattern.ptr);
	assert_int_equal(rules.ptr[1].action, APPROVAL_ASK);
	assert_int_equal(rules.ptr[2].action, APPROVAL_ALLOW);
	assert_int_equal(rules.ptr[2].server.len, 0);
	assert_false(rules.ptr[2].exact);
	arena_release(&a);
}

static void
T8_no_rules_are_none(void **state)
{
	struct arena a;

	(void)state;
	arena_init(&a);
	assert_int_equal(agent_rules_read((struct json){ 0 }, APPROVAL_AGENT, &a).count, 0);
	assert_int_equal(agent_rules_read(json_of("[]", &a), APPROVAL_AGENT, &a).count, 0);
	arena_release(&a);
}

/* Of a newer version, say: what it means is not guessed to be harmless. */
static void
T8_an_action_that_is_not_known_denies(void **state)
{
	struct approval_rules rules;
	struct arena a;

	(void)state;
	arena_init(&a);
	rules = agent_rules_read(json_of("[{\"tool\":\"*\",\"action\":\"hold\"}]", &a),
				 APPROVAL_AGENT, &a);
	assert_int_equal(rules.ptr[0].action, APPROVAL_DENY);
	arena_release(&a);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, T8_rules_are_read_in_their_order);
	SUITE_TEST(&s, T8_no_rules_are_none);
	SUITE_TEST(&s, T8_an_action_that_is_not_known_denies);
	return suite_run(&s, "core/agent_rules");
}

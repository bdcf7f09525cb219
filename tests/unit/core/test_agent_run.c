#include "core/agent_run.h"

#include "json_of.h"

static void
M1_what_is_unset_has_its_default(void **state)
{
	struct agent_run run;
	struct arena a;

	(void)state;
	arena_init(&a);
	agent_run_read(json_of("{\"id\":\"main\",\"version\":3,\"system\":null,\"model\":null,"
			       "\"limits\":{\"max_context_tokens\":null},\"tools\":[]}",
			       &a),
		       &a, &run);
	check_str("id", run.id, STR("main"));
	assert_int_equal(run.version, 3);
	assert_int_equal(run.model.len + run.system.len, 0);
	assert_int_equal(run.max_context_tokens, 0);
	assert_int_equal(run.max_output_tokens, 4096);
	assert_int_equal(run.max_steps, 10);
	assert_int_equal(run.timeout_ms, 1800000);
	assert_int_equal(run.tool_timeout_ms, 120000);
	agent_run_read((struct json){ 0 }, &a, &run);
	assert_int_equal(run.max_steps, 10);
	arena_release(&a);
}

static void
M1_model_and_limits(void **state)
{
	struct agent_run run;
	struct arena a;

	(void)state;
	arena_init(&a);
	agent_run_read(json_of("{\"model\":{\"id\":\"demo\",\"effort\":{\"type\":\"high\"}},"
			       "\"system\":\"be kind\","
			       "\"limits\":{\"max_context_tokens\":9000,\"max_output_tokens\":50,"
			       "\"max_steps\":2,\"turn_timeout_s\":7,\"tool_timeout_s\":9}}",
			       &a),
		       &a, &run);
	check_str("model", run.model, STR("demo"));
	check_str("effort", run.effort, STR("high"));
	check_str("system", run.system, STR("be kind"));
	assert_int_equal(run.max_context_tokens, 9000);
	assert_int_equal(run.max_output_tokens, 50);
	assert_int_equal(run.max_steps, 2);
	assert_int_equal(run.timeout_ms, 7000);
	assert_int_equal(run.tool_timeout_ms, 9000);
	agent_run_read(json_of("{\"model\":\"demo\",\"limits\":{\"max_steps\":0}}", &a), &a, &run);
	check_str("model", run.model, STR("demo"));
	assert_int_equal(run.max_steps, 10);
	arena_release(&a);
}

static void
T10_its_blocks_and_servers_are_handed_on(void **state)
{
	struct agent_run run;
	struct arena a;

	(void)state;
	arena_init(&a);
	agent_run_read(json_of("{\"tools\":[1,2],\"mcp_servers\":[3]}", &a), &a, &run);
	assert_int_equal(json_count(run.tools), 2);
	assert_int_equal(json_count(run.mcp_servers), 1);
	arena_release(&a);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, M1_what_is_unset_has_its_default);
	SUITE_TEST(&s, M1_model_and_limits);
	SUITE_TEST(&s, T10_its_blocks_and_servers_are_handed_on);
	return suite_run(&s, "core/agent_run");
}

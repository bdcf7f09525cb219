#include "engine/tool_work.h"

#include "tool_rig.h"

static void
T7_a_call_runs_where_the_session_is(void **state)
{
	struct rig r;
	const struct tool_request *q;

	(void)state;
	tool_rig_init(&r);
	rig_session(&r, "s", "worker");
	rig_post(&r, "s", "tool bash {\"command\":\"ls\"}");
	check_str("log", rig_log(&r, "s", 4),
		  STR("model_request_start tool_use model_request_end tool_result:ok "
		      "model_request_start message\"bash: {\\\"command\\\":\\\"ls\\\"}\" "
		      "model_request_end status_idle:end_turn"));
	q = tool_scripted_last(r.tools);
	check_str("id", q->id, rig_event_id(&r, "s", EVENT_AGENT_TOOL_USE));
	check_str("arguments", q->arguments, STR("{\"command\":\"ls\"}"));
	check_str("session", q->place.session, STR("s"));
	check_str("directory", q->place.directory, STR("/work/worker/s"));
	assert_true(q->place.sandboxed && !q->place.network);
	assert_int_equal(q->place.access, TOOL_ACCESS_WRITE);
	assert_int_equal(q->timeout_ms, 120000);
	rig_release(&r);
}

/* Most turns call nothing. */
static void
T7_the_sessions_folder_is_made_for_a_call(void **state)
{
	struct rig r;

	(void)state;
	tool_rig_init(&r);
	rig_session(&r, "s", "worker");
	rig_post(&r, "s", "say hello");
	assert_int_equal(r.folders_made, 0);
	rig_post(&r, "s", "tool bash {}");
	assert_int_equal(r.folders_made, 1);
	rig_session(&r, "t", "web"); /* servers run before anything is called */
	rig_post(&r, "t", "say hello");
	assert_int_equal(r.folders_made, 2);
	rig_release(&r);
}

static void
T10_a_servers_tool_is_called_by_its_own_name(void **state)
{
	struct rig r;

	(void)state;
	tool_rig_init(&r);
	rig_session(&r, "s", "web");
	rig_post(&r, "s", "tool get_page {\"u\":1}");
	check_str("log", rig_log(&r, "s", 5),
		  STR("mcp_tool_use model_request_end mcp_tool_result:ok model_request_start "
		      "message\"get_page: {\\\"u\\\":1}\" model_request_end status_idle:end_turn"));
	check_str("name", tool_scripted_last(r.servers)->name, STR("get.page"));
	check_str("server", tool_scripted_last(r.servers)->server->name, STR("web"));
	assert_int_equal(tool_scripted_started(r.tools), 0);
	rig_release(&r);
}

static void
T4_a_tools_time_is_up(void **state)
{
	static const struct scripted_result RESULTS[] = { { STR("bash"), .wait_ms = -1 } };
	struct rig r;

	(void)state;
	tool_rig_init(&r);
	tool_scripted_play(r.tools, RESULTS, 1);
	rig_session(&r, "s", "worker");
	rig_post(&r, "s", "tool bash {}");
	rig_advance(&r, 119999);
	assert_int_equal(tool_scripted_open(r.tools), 1);
	rig_advance(&r, 1);
	check_str("log", rig_log(&r, "s", 7),
		  STR("tool_result:timeout model_request_start message\"bash: too slow\" "
		      "model_request_end status_idle:end_turn"));
	rig_release(&r);
}

static void
T4_a_tool_that_does_not_stop_is_stopped(void **state)
{
	static const struct scripted_result RESULTS[] = { { STR("bash"), .wait_ms = -1,
							    .ignores_timeout = true } };
	struct rig r;

	(void)state;
	tool_rig_init(&r);
	tool_scripted_play(r.tools, RESULTS, 1);
	rig_agent(&r, "quick", TOOL_RIG_AGENT("quick", "\"limits\":{\"tool_timeout_s\":7},"));
	rig_session(&r, "s", "quick");
	rig_post(&r, "s", "tool bash {}");
	assert_int_equal(tool_scripted_last(r.tools)->timeout_ms, 7000);
	rig_advance(&r, 11999);
	assert_int_equal(tool_scripted_open(r.tools), 1);
	rig_advance(&r, 1);
	assert_int_equal(tool_scripted_cancelled(r.tools), 1);
	check_str("log", rig_log(&r, "s", 7),
		  STR("tool_result:timeout model_request_start message\"bash: timed out after 7 "
		      "s\" model_request_end status_idle:end_turn"));
	rig_release(&r);
}

/* A server that tells of progress has more time; what bounds it is not undercut here. */
static void
T4_a_servers_tool_has_the_time_its_toolset_states(void **state)
{
	static const struct scripted_result RESULTS[] = { { STR("get.page"), .wait_ms = -1,
							    .ignores_timeout = true } };
	struct rig r;

	(void)state;
	tool_rig_init(&r);
	r.servers->patience = 3;
	tool_scripted_play(r.servers, RESULTS, 1);
	rig_session(&r, "s", "web");
	rig_post(&r, "s", "tool get_page {}");
	assert_int_equal(tool_scripted_last(r.servers)->timeout_ms, 120000);
	rig_advance(&r, 3 * 120000 + 4999);
	assert_int_equal(tool_scripted_open(r.servers), 1);
	rig_advance(&r, 1);
	assert_int_equal(tool_scripted_cancelled(r.servers), 1);
	assert_true(str_contains(rig_log(&r, "s", 5), STR("get_page: timed out after 360 s")));
	rig_release(&r);
}

static void
Q5_an_interrupt_cancels_what_runs(void **state)
{
	static const struct scripted_result RESULTS[] = { { STR("bash"), .wait_ms = -1 } };
	struct rig r;

	(void)state;
	tool_rig_init(&r);
	tool_scripted_play(r.tools, RESULTS, 1);
	rig_session(&r, "s", "worker");
	rig_post(&r, "s", "tool bash {}\ntool bash {\"b\":1}");
	assert_int_equal(tool_scripted_open(r.tools), 1);
	rig_interrupt(&r, "s");
	assert_int_equal(tool_scripted_open(r.tools), 0);
	check_str("log", rig_log(&r, "s", 7),
		  STR("interrupt tool_result:cancelled status_idle:interrupted+"));
	rig_release(&r);
}

static void
H5_a_drain_ends_what_runs_and_the_turn_goes_on_after_it(void **state)
{
	static const struct scripted_result RESULTS[] = { { STR("bash"), .wait_ms = -1 } };
	struct rig r;

	(void)state;
	tool_rig_init(&r);
	tool_scripted_play(r.tools, RESULTS, 1);
	rig_session(&r, "s", "worker");
	rig_post(&r, "s", "tool bash {}");
	rig_restart(&r, 1000);
	assert_int_equal(tool_scripted_cancelled(r.tools), 1);
	assert_int_equal(tool_scripted_started(r.tools), 1);
	assert_true(str_starts(rig_log(&r, "s", 7),
			       STR("tool_result:interrupted status_rescheduled:shutdown_timeout#1 "
				   "status_running model_request_start ")));
	rig_release(&r);
}

static void
T7_after_a_crash_only_what_changes_nothing_is_started_again(void **state)
{
	static const struct scripted_result RESULTS[] = { { STR("bash"), .wait_ms = -1 },
							  { STR("read"), .wait_ms = -1 } };
	static const struct scripted_step STEPS[] = {
		{ SCRIPTED_CALL, .call = { STR("1"), STR("bash"), STR("{}") } },
		{ SCRIPTED_CALL, .call = { STR("2"), STR("read"), STR("{}") } },
		{ SCRIPTED_DONE, .stop = PROVIDER_STOP_TOOLS },
	};
	struct engine *dead;
	struct rig r;

	(void)state;
	tool_rig_init(&r);
	tool_scripted_play(r.tools, RESULTS, ARRAY_LEN(RESULTS));
	provider_scripted_play(r.scripted, STEPS, ARRAY_LEN(STEPS));
	rig_agent(&r, "script",
		  "{\"id\":\"script\",\"version\":1,\"model\":{\"id\":\"scripted\"},"
		  "\"tools\":[" TOOL_RIG_BLOCK("always_allow") "]}");
	rig_session(&r, "s", "script");
	rig_post(&r, "s", "go");
	assert_int_equal(tool_scripted_open(r.tools), 2);
	dead = rig_kill(&r);
	rig_bury(&r, dead);
	assert_int_equal(tool_scripted_starts(r.tools, rig_event_at(&r, "s", 5)->id), 1);
	assert_int_equal(tool_scripted_starts(r.tools, rig_event_at(&r, "s", 6)->id), 2);
	assert_true(tool_scripted_answer(r.tools, STR("read"), OUTCOME_OK, STR("text")));
	rig_settle(&r);
	check_str("log", rig_log(&r, "s", 8),
		  STR("tool_result:interrupted status_rescheduled:restart_interrupted#1 "
		      "status_running tool_result:ok model_request_start message\"over\" "
		      "model_request_end status_idle:end_turn"));
	rig_release(&r);
}

static void
T7_a_tool_that_went_away_meanwhile_is_an_error(void **state)
{
	struct rig r;

	(void)state;
	tool_rig_init(&r);
	rig_agent(&r, "ask", TOOL_RIG_ASKING_AGENT("ask"));
	rig_session(&r, "s", "ask");
	rig_post(&r, "s", "tool bash {}");
	tool_scripted_docs(r.tools, NULL, 0);
	rig_send(&r, "s",
		 arena_printf(&r.arena,
			      "[{\"type\":\"user.tool_confirmation\",\"tool_use_id\":\"%.*s\","
			      "\"result\":\"allow\"}]",
			      STR_ARG(rig_event_id(&r, "s", EVENT_AGENT_TOOL_USE)))
			 .ptr);
	assert_int_equal(tool_scripted_started(r.tools), 0);
	assert_true(str_contains(rig_log(&r, "s", 8), STR("tool_result:error")));
	rig_release(&r);
}

/* ---- the tool of a call that waited: its server's, whatever it is called by now ---- */

#define SEARCH(s)                                                                   \
	{                                                                           \
		.name = STR("search"), .server = STR(s), .input_schema = STR("{}"), \
		.read_only = true                                                   \
	}
static const struct tool_doc BOTH[] = { SEARCH("jira"), SEARCH("github") };
static const struct tool_doc GITHUB[] = { SEARCH("github") };
static const struct tool_doc JIRA[] = { SEARCH("jira") };

#define SERVER(s) "{\"type\":\"url\",\"name\":\"" s "\",\"url\":\"https://" s ".test\"}"
#define TOOLSET(s, policy)                                                             \
	"{\"type\":\"mcp_toolset\",\"mcp_server_name\":\"" s "\",\"default_config\":{" \
	"\"permission_policy\":{\"type\":\"" policy "\"}}}"
#define SEARCHING(id, policy)                                                                       \
	"{\"id\":\"" id                                                                             \
	"\",\"version\":1,\"model\":{\"id\":\"demo\"},\"mcp_servers\":[" SERVER("jira") "," SERVER( \
		"github") "],\"tools\":[" TOOLSET("jira", policy) "," TOOLSET("github",             \
									      policy) "]}"

static void
search_rig_init(struct rig *r, const struct tool_doc *docs, size_t count)
{
	tool_rig_init(r);
	tool_scripted_docs(r->servers, docs, count);
	rig_agent(r, "asks", SEARCHING("asks", "always_ask"));
	rig_agent(r, "runs", SEARCHING("runs", "always_allow"));
	rig_session(r, "s", "asks");
}

static void
allow(struct rig *r, const char *scope)
{
	rig_send(r, "s",
		 arena_printf(&r->arena,
			      "[{\"type\":\"user.tool_confirmation\",\"tool_use_id\":\"%.*s\","
			      "\"result\":\"allow\",\"scope\":\"%s\"}]",
			      STR_ARG(rig_event_id(r, "s", EVENT_AGENT_MCP_TOOL_USE)), scope)
			 .ptr);
}

static void
T8_an_allowed_call_runs_though_its_tool_is_called_otherwise_by_now(void **state)
{
	struct rig r;

	(void)state;
	search_rig_init(&r, BOTH, ARRAY_LEN(BOTH));
	rig_post(&r, "s", "tool github__search {\"q\":1}");
	tool_scripted_docs(r.servers, GITHUB, ARRAY_LEN(GITHUB));
	allow(&r, "once");
	assert_int_equal(tool_scripted_started(r.servers), 1);
	check_str("server", tool_scripted_last(r.servers)->server->name, STR("github"));
	check_str("name", tool_scripted_last(r.servers)->name, STR("search"));
	rig_release(&r);
}

static void
T8_an_allowed_call_does_not_run_on_another_server(void **state)
{
	struct rig r;

	(void)state;
	search_rig_init(&r, GITHUB, ARRAY_LEN(GITHUB));
	rig_post(&r, "s", "tool search {\"q\":1}");
	tool_scripted_docs(r.servers, JIRA, ARRAY_LEN(JIRA));
	allow(&r, "once");
	assert_int_equal(tool_scripted_started(r.servers), 0);
	assert_true(str_contains(rig_log(&r, "s", 8), STR("mcp_tool_result:error")));
	rig_release(&r);
}

static void
T7_after_a_crash_a_call_is_not_started_again_on_another_server(void **state)
{
	static const struct scripted_result RESULTS[] = { { STR("search"), .wait_ms = -1 } };
	struct rig r;
	struct str call;

	(void)state;
	search_rig_init(&r, GITHUB, ARRAY_LEN(GITHUB));
	tool_scripted_play(r.servers, RESULTS, ARRAY_LEN(RESULTS));
	rig_session(&r, "t", "runs");
	rig_post(&r, "t", "tool search {\"q\":1}");
	call = rig_event_id(&r, "t", EVENT_AGENT_MCP_TOOL_USE);
	assert_int_equal(tool_scripted_starts(r.servers, call), 1);
	tool_scripted_docs(r.servers, JIRA, ARRAY_LEN(JIRA));
	rig_bury(&r, rig_kill(&r));
	assert_int_equal(tool_scripted_starts(r.servers, call), 1);
	assert_true(str_contains(rig_log(&r, "t", 7), STR("mcp_tool_result:interrupted")));
	rig_release(&r);
}

static void
T8_what_is_allowed_always_is_one_servers_tool(void **state)
{
	struct rig r;

	(void)state;
	search_rig_init(&r, GITHUB, ARRAY_LEN(GITHUB));
	rig_post(&r, "s", "tool search {\"q\":1}");
	allow(&r, "always");
	assert_int_equal(tool_scripted_started(r.servers), 1);
	tool_scripted_docs(r.servers, JIRA, ARRAY_LEN(JIRA));
	rig_post(&r, "s", "tool search {\"q\":2}");
	assert_int_equal(tool_scripted_started(r.servers), 1); /* people are asked */
	rig_interrupt(&r, "s");
	tool_scripted_docs(r.servers, BOTH, ARRAY_LEN(BOTH));
	rig_post(&r, "s", "tool github__search {\"q\":3}");
	assert_int_equal(tool_scripted_started(r.servers), 2);
	check_str("server", tool_scripted_last(r.servers)->server->name, STR("github"));
	rig_release(&r);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, T7_a_call_runs_where_the_session_is);
	SUITE_TEST(&s, T7_the_sessions_folder_is_made_for_a_call);
	SUITE_TEST(&s, T10_a_servers_tool_is_called_by_its_own_name);
	SUITE_TEST(&s, T4_a_tools_time_is_up);
	SUITE_TEST(&s, T4_a_tool_that_does_not_stop_is_stopped);
	SUITE_TEST(&s, T4_a_servers_tool_has_the_time_its_toolset_states);
	SUITE_TEST(&s, Q5_an_interrupt_cancels_what_runs);
	SUITE_TEST(&s, H5_a_drain_ends_what_runs_and_the_turn_goes_on_after_it);
	SUITE_TEST(&s, T7_after_a_crash_only_what_changes_nothing_is_started_again);
	SUITE_TEST(&s, T7_a_tool_that_went_away_meanwhile_is_an_error);
	SUITE_TEST(&s, T8_an_allowed_call_runs_though_its_tool_is_called_otherwise_by_now);
	SUITE_TEST(&s, T8_an_allowed_call_does_not_run_on_another_server);
	SUITE_TEST(&s, T7_after_a_crash_a_call_is_not_started_again_on_another_server);
	SUITE_TEST(&s, T8_what_is_allowed_always_is_one_servers_tool);
	return suite_run(&s, "engine/tool_work");
}

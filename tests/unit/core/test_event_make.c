/* The canonical bytes of everything the server makes; docs/EVENTS.md shows the same lines. */
#include "base/json.h"
#include "core/event_make.h"
#include "harness.h"

static const struct str IDS[] = { { "sevt_1", 6 }, { "sevt_2", 6 } };
#define TWO  ((struct str_list){ IDS, 2 })
#define ONE  ((struct str_list){ IDS, 1 })
#define NONE ((struct str_list){ 0 })
#define NIL  ((struct str){ 0 })
#define TEXT "[{\"type\":\"text\",\"text\":\"hi\"}]"

#define MAKE(name, call)                  \
	static void name(struct buf *out) \
	{                                 \
		call;                     \
	}
static const struct usage USAGE = { 10, 5, 1, 2, 3 }, PLAIN_USAGE = { 10, 5, 0, 0, 0 };
static const struct make_created PLAIN = { .agent_id = { "main", 4 },
					   .agent_version = 3,
					   .environment_id = { "local-default", 13 },
					   .source = { "{\"kind\":\"api\"}", 14 } };
static const struct make_created FULL = { .agent_id = { "main", 4 },
					  .agent_version = 1,
					  .environment_id = { "e", 1 },
					  .source = { "{}", 2 },
					  .group = true,
					  .workspace_id = { "w", 1 },
					  .lane_key = { "k", 1 },
					  .parent_session_id = { "p", 1 },
					  .previous_session_id = { "q", 1 },
					  .title = { "t", 1 },
					  .metadata = { "{\"a\":1}", 7 } };
static const struct make_tool_use BASH = { .kind = EVENT_AGENT_TOOL_USE,
					   .name = { "bash", 4 },
					   .input = { "{\"command\":\"ls\"}", 16 },
					   .permission = { "ask", 3 },
					   .call_id = { "call_1", 6 } };
static const struct make_tool_use WORKER = { .kind = EVENT_AGENT_TOOL_USE,
					     .name = { "bash", 4 },
					     .input = { "{}", 2 },
					     .client_side = true };
static const struct make_tool_use CUSTOM = { .kind = EVENT_AGENT_CUSTOM_TOOL_USE,
					     .name = { "f", 1 },
					     .input = { "{}", 2 },
					     .client_side = true };
static const struct make_tool_use MCP = { .kind = EVENT_AGENT_MCP_TOOL_USE,
					  .name = { "f", 1 },
					  .mcp_server_name = { "files", 5 },
					  .mcp_tool_name = { "f", 1 },
					  .input = { "{}", 2 } };
static const struct make_tool_use MCP_RENAMED = { .kind = EVENT_AGENT_MCP_TOOL_USE,
						  .name = { "files__f", 8 },
						  .mcp_server_name = { "files", 5 },
						  .mcp_tool_name = { "f", 1 },
						  .input = { "{}", 2 } };
static const struct make_compacted COMPACTED = { .summary = { "s", 1 },
						 .kept_from_id = { "sevt_1", 6 },
						 .profile = { "keep_turns", 10 },
						 .tokens_before = 9,
						 .tokens_after = 4 };

MAKE(created, event_make_created(out, &PLAIN))
MAKE(created_full, event_make_created(out, &FULL))
MAKE(running, event_make_running(out, STR("turn_1"), TWO, ONE, STR("")))
MAKE(running_as_asked, event_make_running(out, STR("turn_1"), ONE, NONE, STR("demo")))
MAKE(running_again, event_make_running(out, STR("turn_1"), NONE, NONE, STR("")))
MAKE(idle, event_make_idle(out, STR("turn_1"), STOP_END_TURN, NONE, NONE))
MAKE(parked, event_make_idle(out, STR("turn_1"), STOP_REQUIRES_ACTION, TWO, ONE))
MAKE(limit, event_make_idle(out, STR("turn_1"), STOP_LIMIT_LOOP, NONE, NONE))
MAKE(resched, event_make_rescheduled(out, STR("turn_1"), STR("overloaded"), 2, 1767323045678))
MAKE(resched_now, event_make_rescheduled(out, STR("turn_1"), STR("restart"), 1, 0))
MAKE(terminated, event_make_terminated(out, STR("turn_1"), STR("agent deleted"), ONE))
MAKE(terminated_idle, event_make_terminated(out, NIL, STR("x"), NONE))
MAKE(consumed, event_make_input_consumed(out, STR("turn_1"), ONE))
MAKE(edited, event_make_input_edited(out, STR("sevt_1"), STR(TEXT)))
MAKE(cancelled, event_make_input_cancelled(out, TWO))
MAKE(cancelled_all, event_make_input_cancelled(out, NONE))
MAKE(message, event_make_agent_message(out, STR("a \"b\"\n\xc3\xbc"), STR("demo"), false))
MAKE(message_cut, event_make_agent_message(out, STR("a"), NIL, true))
MAKE(thinking, event_make_thinking(out, STR("hm"), STR("{\"signature\":\"x\"}")))
MAKE(thinking_bare, event_make_thinking(out, NIL, NIL))
MAKE(tool_use, event_make_tool_use(out, &BASH))
MAKE(tool_use_worker, event_make_tool_use(out, &WORKER))
MAKE(custom_use, event_make_tool_use(out, &CUSTOM))
MAKE(mcp_use, event_make_tool_use(out, &MCP))
MAKE(mcp_use_renamed, event_make_tool_use(out, &MCP_RENAMED))
MAKE(result, event_make_tool_result(out, false, STR("sevt_1"), OUTCOME_OK, STR("hi")))
MAKE(result_cut, event_make_tool_result(out, false, STR("sevt_1"), OUTCOME_INTERRUPTED, STR("hi")))
MAKE(mcp_result, event_make_tool_result(out, true, STR("sevt_1"), OUTCOME_ERROR, STR("hi")))
MAKE(confirm, event_make_confirmation(out, STR("sevt_1"), true, STR("ignored")))
MAKE(confirm_deny, event_make_confirmation(out, STR("sevt_1"), false, STR("expired")))
MAKE(request, event_make_request_start(out, STR("demo"), STR("ab12")))
MAKE(request_end, event_make_request_end(out, STR("sevt_1"), false, &USAGE, 77))
MAKE(request_free, event_make_request_end(out, STR("sevt_1"), false, &PLAIN_USAGE, 0))
MAKE(request_failed, event_make_request_end(out, STR("sevt_1"), true, &PLAIN_USAGE, -1))
MAKE(error, event_make_error(out, STR("model_overloaded_error"), STR("m"), STR("retrying")))
MAKE(usage, event_make_usage(out, &PLAIN_USAGE, -1))
MAKE(lifecycle, event_make_lifecycle(out, LIFECYCLE_ARCHIVED, STR("asked")))
MAKE(title, event_make_title(out, STR("t"), STR("ai")))
MAKE(reset, event_make_reset(out, STR("idle"), LIFECYCLE_ARCHIVED, STR("sesn_2")))
MAKE(compacted, event_make_compacted(out, &COMPACTED))
MAKE(compaction_undone, event_make_compaction_undone(out, STR("sevt_1")))
MAKE(checkpoint, event_make_checkpoint(out, STR("turn_limit"), true, 41, STR("no changes")))
MAKE(rewound, event_make_rewound(out, STR("sevt_1"), 2))
MAKE(forked, event_make_forked(out, STR("sesn_1"), 41))
MAKE(deleted, event_make_deleted(out))
MAKE(thread, event_make_thread_created(out, STR("sthr_1"), STR("explore")))
MAKE(thread_runs, event_make_thread_status(out, EVENT_THREAD_STATUS_RUNNING, STR("sthr_1"),
					   STR("explore"), STOP_NONE))
MAKE(thread_idle, event_make_thread_status(out, EVENT_THREAD_STATUS_IDLE, STR("sthr_1"),
					   STR("explore"), STOP_END_TURN))
MAKE(sent, event_make_channel_sent(out, STR("telegram"), STR("42"), STR("sevt_1"), STR("7")))
MAKE(fired, event_make_schedule_fired(out, STR("daily"), 1767323045000, STR(TEXT)))

static const struct make_case {
	const char *name;
	void (*make)(struct buf *out);
	enum event_kind kind;
	const char *want;
} CASES[] = {
	/* clang-format off */
	{ "M10 session.created", created, EVENT_SESSION_CREATED, "{\"type\":\"session.created\",\"format\":1,\"agent_id\":\"main\",\"agent_version\":3,\"environment_id\":\"local-default\",\"source\":{\"kind\":\"api\"},\"session_type\":\"direct\"}" },
	{ "M10 session.created with everything", created_full, EVENT_SESSION_CREATED, "{\"type\":\"session.created\",\"format\":1,\"agent_id\":\"main\",\"agent_version\":1,\"environment_id\":\"e\",\"source\":{},\"session_type\":\"group\",\"workspace_id\":\"w\",\"lane_key\":\"k\",\"parent_session_id\":\"p\",\"previous_session_id\":\"q\",\"title\":\"t\",\"metadata\":{\"a\":1}}" },
	{ "M10 status_running", running, EVENT_STATUS_RUNNING, "{\"type\":\"session.status_running\",\"turn_id\":\"turn_1\",\"consumes\":[\"sevt_1\",\"sevt_2\"],\"wakes\":[\"sevt_1\"]}" },
	{ "T3 status_running with the model that was asked for", running_as_asked, EVENT_STATUS_RUNNING, "{\"type\":\"session.status_running\",\"turn_id\":\"turn_1\",\"consumes\":[\"sevt_1\"],\"wakes\":[],\"model\":\"demo\"}" },
	{ "M10 status_running again", running_again, EVENT_STATUS_RUNNING, "{\"type\":\"session.status_running\",\"turn_id\":\"turn_1\",\"consumes\":[],\"wakes\":[]}" },
	{ "M10 status_idle", idle, EVENT_STATUS_IDLE, "{\"type\":\"session.status_idle\",\"turn_id\":\"turn_1\",\"stop_reason\":{\"type\":\"end_turn\"},\"stop_details\":null,\"consumes\":[]}" },
	{ "M8 status_idle parked", parked, EVENT_STATUS_IDLE, "{\"type\":\"session.status_idle\",\"turn_id\":\"turn_1\",\"stop_reason\":{\"type\":\"requires_action\",\"event_ids\":[\"sevt_1\",\"sevt_2\"]},\"stop_details\":null,\"consumes\":[\"sevt_1\"]}" },
	{ "M8 status_idle at a limit", limit, EVENT_STATUS_IDLE, "{\"type\":\"session.status_idle\",\"turn_id\":\"turn_1\",\"stop_reason\":{\"type\":\"limit_reached\",\"limit\":\"loop\"},\"stop_details\":null,\"consumes\":[]}" },
	{ "M10 status_rescheduled", resched, EVENT_STATUS_RESCHEDULED, "{\"type\":\"session.status_rescheduled\",\"turn_id\":\"turn_1\",\"reason\":\"overloaded\",\"attempt\":2,\"retry_at\":\"2026-01-02T03:04:05.678Z\"}" },
	{ "M10 status_rescheduled at once", resched_now, EVENT_STATUS_RESCHEDULED, "{\"type\":\"session.status_rescheduled\",\"turn_id\":\"turn_1\",\"reason\":\"restart\",\"attempt\":1}" },
	{ "M10 status_terminated", terminated, EVENT_STATUS_TERMINATED, "{\"type\":\"session.status_terminated\",\"turn_id\":\"turn_1\",\"reason\":\"agent deleted\",\"consumes\":[\"sevt_1\"]}" },
	{ "M10 status_terminated at rest", terminated_idle, EVENT_STATUS_TERMINATED, "{\"type\":\"session.status_terminated\",\"reason\":\"x\",\"consumes\":[]}" },
	{ "M10 input_consumed", consumed, EVENT_INPUT_CONSUMED, "{\"type\":\"session.input_consumed\",\"turn_id\":\"turn_1\",\"consumes\":[\"sevt_1\"]}" },
	{ "M10 input_edited", edited, EVENT_INPUT_EDITED, "{\"type\":\"session.input_edited\",\"input_id\":\"sevt_1\",\"content\":" TEXT "}" },
	{ "M10 input_cancelled", cancelled, EVENT_INPUT_CANCELLED, "{\"type\":\"session.input_cancelled\",\"ids\":[\"sevt_1\",\"sevt_2\"]}" },
	{ "M10 input_cancelled all", cancelled_all, EVENT_INPUT_CANCELLED, "{\"type\":\"session.input_cancelled\",\"all\":true}" },
	{ "M10 agent.message", message, EVENT_AGENT_MESSAGE, "{\"type\":\"agent.message\",\"content\":[{\"type\":\"text\",\"text\":\"a \\\"b\\\"\\n\xc3\xbc\"}],\"model\":\"demo\"}" },
	{ "M10 agent.message interrupted", message_cut, EVENT_AGENT_MESSAGE, "{\"type\":\"agent.message\",\"content\":[{\"type\":\"text\",\"text\":\"a\"}],\"interrupted\":true}" },
	{ "M10 agent.thinking", thinking, EVENT_AGENT_THINKING, "{\"type\":\"agent.thinking\",\"text\":\"hm\",\"provider_data\":{\"signature\":\"x\"}}" },
	{ "M10 agent.thinking bare", thinking_bare, EVENT_AGENT_THINKING, "{\"type\":\"agent.thinking\"}" },
	{ "M10 agent.tool_use", tool_use, EVENT_AGENT_TOOL_USE, "{\"type\":\"agent.tool_use\",\"name\":\"bash\",\"input\":{\"command\":\"ls\"},\"evaluated_permission\":\"ask\",\"provider_call_id\":\"call_1\"}" },
	{ "T11 agent.tool_use for a worker", tool_use_worker, EVENT_AGENT_TOOL_USE, "{\"type\":\"agent.tool_use\",\"name\":\"bash\",\"input\":{},\"executor\":\"client\"}" },
	{ "M10 agent.custom_tool_use", custom_use, EVENT_AGENT_CUSTOM_TOOL_USE, "{\"type\":\"agent.custom_tool_use\",\"name\":\"f\",\"input\":{}}" },
	{ "M10 agent.mcp_tool_use by another name", mcp_use_renamed, EVENT_AGENT_MCP_TOOL_USE, "{\"type\":\"agent.mcp_tool_use\",\"name\":\"files__f\",\"mcp_server_name\":\"files\",\"mcp_tool_name\":\"f\",\"input\":{}}" },
	{ "M10 agent.mcp_tool_use", mcp_use, EVENT_AGENT_MCP_TOOL_USE, "{\"type\":\"agent.mcp_tool_use\",\"name\":\"f\",\"mcp_server_name\":\"files\",\"input\":{}}" },
	{ "M10 agent.tool_result", result, EVENT_AGENT_TOOL_RESULT, "{\"type\":\"agent.tool_result\",\"tool_use_id\":\"sevt_1\",\"content\":" TEXT ",\"outcome\":\"ok\"}" },
	{ "T7 agent.tool_result interrupted", result_cut, EVENT_AGENT_TOOL_RESULT, "{\"type\":\"agent.tool_result\",\"tool_use_id\":\"sevt_1\",\"content\":" TEXT ",\"is_error\":true,\"outcome\":\"interrupted\"}" },
	{ "M10 agent.mcp_tool_result", mcp_result, EVENT_AGENT_MCP_TOOL_RESULT, "{\"type\":\"agent.mcp_tool_result\",\"mcp_tool_use_id\":\"sevt_1\",\"content\":" TEXT ",\"is_error\":true,\"outcome\":\"error\"}" },
	{ "T8 a confirmation by the system", confirm, EVENT_USER_TOOL_CONFIRMATION, "{\"type\":\"user.tool_confirmation\",\"tool_use_id\":\"sevt_1\",\"result\":\"allow\"}" },
	{ "T8 a denial by the system", confirm_deny, EVENT_USER_TOOL_CONFIRMATION, "{\"type\":\"user.tool_confirmation\",\"tool_use_id\":\"sevt_1\",\"result\":\"deny\",\"deny_message\":\"expired\"}" },
	{ "M10 model_request_start", request, EVENT_MODEL_REQUEST_START, "{\"type\":\"span.model_request_start\",\"model\":\"demo\",\"prefix_hash\":\"ab12\"}" },
	{ "M10 model_request_end", request_end, EVENT_MODEL_REQUEST_END, "{\"type\":\"span.model_request_end\",\"model_request_start_id\":\"sevt_1\",\"is_error\":false,\"model_usage\":{\"input_tokens\":10,\"output_tokens\":5,\"cache_creation_input_tokens\":3,\"cache_read_input_tokens\":2,\"reasoning_tokens\":1,\"cost_picodollars\":77}}" },
	{ "T15 a free request has a price", request_free, EVENT_MODEL_REQUEST_END, "{\"type\":\"span.model_request_end\",\"model_request_start_id\":\"sevt_1\",\"is_error\":false,\"model_usage\":{\"input_tokens\":10,\"output_tokens\":5,\"cache_creation_input_tokens\":0,\"cache_read_input_tokens\":0,\"cost_picodollars\":0}}" },
	{ "M10 model_request_end failed", request_failed, EVENT_MODEL_REQUEST_END, "{\"type\":\"span.model_request_end\",\"model_request_start_id\":\"sevt_1\",\"is_error\":true,\"model_usage\":{\"input_tokens\":10,\"output_tokens\":5,\"cache_creation_input_tokens\":0,\"cache_read_input_tokens\":0}}" },
	{ "M10 session.error", error, EVENT_SESSION_ERROR, "{\"type\":\"session.error\",\"error\":{\"type\":\"model_overloaded_error\",\"message\":\"m\",\"retry_status\":{\"type\":\"retrying\"}}}" },
	{ "M10 session.usage", usage, EVENT_SESSION_USAGE, "{\"type\":\"session.usage\",\"usage\":{\"input_tokens\":10,\"output_tokens\":5,\"cache_creation_input_tokens\":0,\"cache_read_input_tokens\":0}}" },
	{ "M10 session.updated lifecycle", lifecycle, EVENT_SESSION_UPDATED, "{\"type\":\"session.updated\",\"lifecycle\":\"archived\",\"reason\":\"asked\"}" },
	{ "M10 session.updated title", title, EVENT_SESSION_UPDATED, "{\"type\":\"session.updated\",\"title\":\"t\",\"title_source\":\"ai\"}" },
	{ "M10 session.reset", reset, EVENT_SESSION_RESET, "{\"type\":\"session.reset\",\"reason\":\"idle\",\"lifecycle\":\"archived\",\"new_session_id\":\"sesn_2\"}" },
	{ "M10 context compacted", compacted, EVENT_AGENT_CONTEXT_COMPACTED, "{\"type\":\"agent.thread_context_compacted\",\"summary\":\"s\",\"kept_from_id\":\"sevt_1\",\"profile\":\"keep_turns\",\"tokens_before\":9,\"tokens_after\":4}" },
	{ "C5 compaction undone", compaction_undone, EVENT_AGENT_CONTEXT_COMPACTED, "{\"type\":\"agent.thread_context_compacted\",\"undoes_id\":\"sevt_1\"}" },
	{ "M10 session.checkpoint", checkpoint, EVENT_SESSION_CHECKPOINT, "{\"type\":\"session.checkpoint\",\"reason\":\"turn_limit\",\"success\":true,\"upto_seq\":41,\"summary\":\"no changes\"}" },
	{ "M10 session.rewound", rewound, EVENT_SESSION_REWOUND, "{\"type\":\"session.rewound\",\"target_id\":\"sevt_1\",\"turns_undone\":2}" },
	{ "M10 session.forked", forked, EVENT_SESSION_FORKED, "{\"type\":\"session.forked\",\"parent_session_id\":\"sesn_1\",\"at_seq\":41}" },
	{ "M10 session.deleted", deleted, EVENT_SESSION_DELETED, "{\"type\":\"session.deleted\"}" },
	{ "M10 thread_created", thread, EVENT_THREAD_CREATED, "{\"type\":\"session.thread_created\",\"session_thread_id\":\"sthr_1\",\"agent_name\":\"explore\",\"workflow_run_id\":null}" },
	{ "M10 thread_status_running", thread_runs, EVENT_THREAD_STATUS_RUNNING, "{\"type\":\"session.thread_status_running\",\"session_thread_id\":\"sthr_1\",\"agent_name\":\"explore\"}" },
	{ "M10 thread_status_idle", thread_idle, EVENT_THREAD_STATUS_IDLE, "{\"type\":\"session.thread_status_idle\",\"session_thread_id\":\"sthr_1\",\"agent_name\":\"explore\",\"stop_reason\":{\"type\":\"end_turn\"},\"stop_details\":null}" },
	{ "M10 channel.message_sent", sent, EVENT_CHANNEL_MESSAGE_SENT, "{\"type\":\"channel.message_sent\",\"channel\":\"telegram\",\"to\":\"42\",\"source_event_id\":\"sevt_1\",\"message_id\":\"7\"}" },
	{ "M10 schedule.fired", fired, EVENT_SCHEDULE_FIRED, "{\"type\":\"schedule.fired\",\"schedule_id\":\"daily\",\"slot\":\"2026-01-02T03:04:05Z\",\"content\":" TEXT "}" },
	/* clang-format on */
};

static void
make_row(void **state)
{
	const struct make_case *c = *state;
	struct arena a;
	struct json_doc doc;
	enum event_kind kind = EVENT_USER_MESSAGE;
	struct err e = { 0 };
	struct buf out;

	arena_init(&a);
	buf_init(&out, 4096);
	c->make(&out);
	check_str(c->name, buf_str(&out), str_of(c->want));
	if (json_parse(&a, buf_str(&out), &JSON_LIMITS_DEFAULT, &doc, &e) != 0 ||
	    event_check(json_root(&doc), &kind, &e) != 0)
		fail_msg("%s: does not pass its own check: %s", c->name, e.text);
	assert_int_equal(kind, c->kind);
	buf_release(&out);
	arena_release(&a);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, CASES, make_row);
	return suite_run(&s, "event_make");
}

#include "engine/turn.h"

#include "turn_rig.h"

/* Every row runs on the store in memory and on SQLite. */
struct row {
	const char *name, *text, *want;
	int64_t wait_ms;
};

#define TURN_BEGINS "message status_running model_request_start "

static const struct row ROWS[] = {
	{ "T1 the message is in the log before the model is asked", "say hello",
	  TURN_BEGINS "message\"hello\" model_request_end status_idle:end_turn" },
	{ "T2 thinking is kept", "think hm\nsay a",
	  TURN_BEGINS "thinking message\"a\" model_request_end status_idle:end_turn" },
	{ "T7 a tool nobody provides", "tool bash {\"command\":\"ls\"}\nsay b",
	  TURN_BEGINS "tool_use model_request_end tool_result:error model_request_start "
		      "message\"bash: there is no tool named bash; known: session_directive\\nb\" "
		      "model_request_end status_idle:end_turn" },
	{ "T6 a failure is retried until the attempts are used up", "fail overloaded",
	  TURN_BEGINS
	  "model_request_end status_rescheduled:model_overloaded_error#1 "
	  "status_running model_request_start model_request_end "
	  "status_rescheduled:model_overloaded_error#2 status_running model_request_start "
	  "model_request_end status_rescheduled:model_overloaded_error#3 status_running "
	  "model_request_start model_request_end status_rescheduled:model_overloaded_error#4 "
	  "status_running model_request_start model_request_end error:model_overloaded_error "
	  "status_idle:retries_exhausted",
	  60000 },
	{ "T6 too long a prompt is tried once more", "fail context_length",
	  TURN_BEGINS "model_request_end model_request_start model_request_end "
		      "error:compaction_limit_reached_error status_idle:retries_exhausted" },
	{ "T4 a slow answer takes its time", "say a\nwait 7.5\nsay b",
	  TURN_BEGINS "message\"a\\nb\" model_request_end status_idle:end_turn", 7500 },
};

static void
run_row(const struct row *row, bool mem)
{
	struct rig r;

	rig_init(&r, mem);
	rig_session(&r, "s", "main");
	rig_post(&r, "s", row->text);
	rig_advance(&r, row->wait_ms);
	if (mem)
		check_str(row->name, rig_log(&r, "s", 2), str_of(row->want));
	else
		rig_await_log(&r, "s", 2, row->want);
	assert_false(rig_row(&r, "s")->lease_live);
	assert_false(rig_has_record(&r, RECORD_PARTIAL, "s"));
	rig_release(&r);
}

static void
row_in_memory(void **state)
{
	run_row(*state, true);
}

static void
row_in_sqlite(void **state)
{
	run_row(*state, false);
}

/* ---- with a script ---- */

static void
begin(struct rig *r, const struct scripted_step *steps, size_t count)
{
	rig_init(r, true);
	provider_scripted_play(r->scripted, steps, count);
	rig_session(r, "s", "script");
}

static void
T2_deltas_add_up_and_the_event_comes_before_their_end(void **state)
{
	static const struct scripted_step STEPS[] = {
		{ SCRIPTED_THINKING, STR("hm") },
		{ SCRIPTED_TEXT, STR("he") },
		{ SCRIPTED_TEXT, STR("llo") },
		{ SCRIPTED_DONE },
	};
	struct rig r;

	(void)state;
	begin(&r, STEPS, ARRAY_LEN(STEPS));
	rig_watch(&r, "s");
	rig_post(&r, "s", "go");
	check_str("previews", buf_str(&r.previews),
		  STR("+t ~t\"hm\" +m ~m\"he\" ~m\"llo\" ! ! -t -m "));
	rig_release(&r);
}

static void
Q5_an_interrupt_stops_the_model_at_once(void **state)
{
	static const struct scripted_step STEPS[] = { { SCRIPTED_TEXT, STR("half a sen") },
						      { SCRIPTED_WAIT, .wait_ms = -1 } };
	struct rig r;

	(void)state;
	begin(&r, STEPS, ARRAY_LEN(STEPS));
	rig_post(&r, "s", "go");
	assert_int_equal(provider_scripted_open(r.scripted), 1);
	rig_interrupt(&r, "s");
	assert_int_equal(provider_scripted_open(r.scripted), 0);
	check_str("log", rig_log(&r, "s", 3),
		  STR("status_running model_request_start interrupt message!\"half a sen\" "
		      "model_request_end status_idle:interrupted+"));
	rig_interrupt(&r, "s"); /* no turn is open: nothing happens */
	check_str("log", rig_log(&r, "s", 9), STR("interrupt"));
	rig_release(&r);
}

static void
T4_the_turns_time_is_up(void **state)
{
	static const struct scripted_step STEPS[] = { { SCRIPTED_TEXT, STR("x") },
						      { SCRIPTED_WAIT, .wait_ms = -1 } };
	struct rig r;

	(void)state;
	begin(&r, STEPS, ARRAY_LEN(STEPS));
	rig_post(&r, "s", "go");
	rig_advance(&r, 1800000 - 1);
	assert_int_equal(rig_row(&r, "s")->row.state.phase, TURN_RUNNING);
	rig_advance(&r, 1);
	check_str("log", rig_log(&r, "s", 5),
		  STR("message!\"x\" model_request_end status_idle:limit_reached/time"));
	rig_release(&r);
}

static void
T4_the_agents_limits_hold(void **state)
{
	struct rig r;

	(void)state;
	rig_init(&r, true);
	rig_agent(&r, "small",
		  "{\"id\":\"small\",\"version\":1,\"model\":{\"id\":\"demo\"},"
		  "\"limits\":{\"max_steps\":2}}");
	rig_session(&r, "s", "small");
	rig_post(&r, "s", "tool a\ntool b\ntool c");
	check_str("log", rig_log(&r, "s", 3),
		  STR("status_running model_request_start tool_use model_request_end "
		      "tool_result:error model_request_start message\"a: there is no tool named "
		      "a; known: none\" tool_use model_request_end tool_result:error "
		      "status_idle:limit_reached/steps"));
	rig_release(&r);
}

static void
T7_what_was_said_is_saved_while_it_is_said(void **state)
{
	static const struct scripted_step STEPS[] = { { SCRIPTED_TEXT, STR("one") },
						      { SCRIPTED_WAIT, .wait_ms = 5000 },
						      { SCRIPTED_TEXT, STR(" two") },
						      { SCRIPTED_WAIT, .wait_ms = 5000 },
						      { SCRIPTED_DONE } };
	struct rig r;

	(void)state;
	begin(&r, STEPS, ARRAY_LEN(STEPS));
	rig_post(&r, "s", "go");
	assert_false(rig_has_record(&r, RECORD_PARTIAL, "s"));
	rig_advance(&r, 2000);
	assert_true(rig_has_record(&r, RECORD_PARTIAL, "s"));
	rig_advance(&r, 8000);
	check_str("log", rig_log(&r, "s", 5),
		  STR("message\"one two\" model_request_end status_idle:end_turn"));
	assert_false(rig_has_record(&r, RECORD_PARTIAL, "s"));
	rig_release(&r);
}

static void
T3_an_unknown_model_is_said_in_the_log(void **state)
{
	struct rig r;

	(void)state;
	rig_init(&r, true);
	rig_agent(&r, "odd", "{\"id\":\"odd\",\"version\":1,\"model\":{\"id\":\"no/such\"}}");
	rig_session(&r, "s", "odd");
	rig_post(&r, "s", "hi");
	check_str("log", rig_log(&r, "s", 3),
		  STR("status_running error:model_request_failed_error "
		      "status_idle:retries_exhausted"));
	rig_release(&r);
}

static struct str last_result; /* that the model was shown; in the rig's arena */

static void
keep_results(void *ctx, const struct provider_request *q)
{
	struct rig *r = ctx;

	for (size_t i = 0; i < q->message_count; i++)
		if (str_eq(q->messages[i].tool_call_id, STR("b")))
			last_result = arena_str(&r->arena, q->messages[i].content);
}

static void
T6_a_call_that_was_cut_is_known_behind_a_park_and_a_restart(void **state)
{
	static const struct scripted_step STEPS[] = {
		{ SCRIPTED_CALL, .call = { STR("a"), STR("color"), STR("{}") } },
		{ SCRIPTED_LOST_CALL, .call = { STR("b"), STR("color") } },
		{ SCRIPTED_DONE, .stop = PROVIDER_STOP_CUT },
	};
	struct rig r;

	(void)state;
	rig_init(&r, true);
	rig_agent(&r, "asks",
		  "{\"id\":\"asks\",\"version\":1,\"model\":{\"id\":\"scripted\"},\"tools\":[{"
		  "\"type\":\"custom\",\"name\":\"color\",\"description\":\"d\","
		  "\"input_schema\":{\"type\":\"object\"}}]}");
	rig_session(&r, "s", "asks");
	provider_scripted_play(r.scripted, STEPS, ARRAY_LEN(STEPS));
	rig_post(&r, "s", "go");
	check_str("log", rig_log(&r, "s", 4),
		  STR("model_request_start custom_tool_use tool_use model_request_end "
		      "tool_result:error status_idle:requires_action"));
	rig_restart(&r, 0);
	last_result = (struct str){ 0 };
	provider_scripted_watch(r.scripted, keep_results, &r);
	rig_send(&r, "s",
		 arena_printf(&r.arena,
			      "[{\"type\":\"user.custom_tool_result\",\"custom_tool_use_id\":"
			      "\"" STR_FMT "\"}]",
			      STR_ARG(rig_event_id(&r, "s", EVENT_AGENT_CUSTOM_TOOL_USE)))
			 .ptr);
	assert_true(str_starts(last_result, STR("not run: your answer was cut off")));
	rig_release(&r);
}

static void
T9_a_custom_tool_is_called_by_the_name_its_client_knows(void **state)
{
#define LONG "abcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghij"
	struct rig r;

	(void)state;
	rig_init(&r, true);
	rig_agent(&r, "asks",
		  "{\"id\":\"asks\",\"version\":1,\"model\":\"demo\",\"tools\":[{"
		  "\"type\":\"custom\",\"name\":\"" LONG "\",\"description\":\"d\","
		  "\"input_schema\":{\"type\":\"object\"}}]}");
	rig_session(&r, "s", "asks");
	rig_post(&r, "s", "tool " LONG " {}");
	assert_true(str_contains(rig_event_at(&r, "s", 5)->payload, STR("\"name\":\"" LONG "\"")));
	rig_release(&r);
#undef LONG
}

static void
T9_a_custom_tool_parks_the_turn_and_its_result_resumes_it(void **state)
{
	struct rig r;
	struct str call;

	(void)state;
	rig_init(&r, true);
	rig_agent(&r, "asks",
		  "{\"id\":\"asks\",\"version\":1,\"model\":\"demo\",\"tools\":[{"
		  "\"type\":\"custom\",\"name\":\"color\",\"description\":\"d\","
		  "\"input_schema\":{\"type\":\"object\"}}]}");
	rig_session(&r, "s", "asks");
	rig_post(&r, "s", "tool color {}\nsay thanks");
	check_str("log", rig_log(&r, "s", 4),
		  STR("model_request_start custom_tool_use model_request_end "
		      "status_idle:requires_action"));
	assert_false(rig_row(&r, "s")->lease_live);
	call = rig_event_id(&r, "s", EVENT_AGENT_CUSTOM_TOOL_USE);
	rig_send(&r, "s",
		 arena_printf(&r.arena,
			      "[{\"type\":\"user.custom_tool_result\",\"custom_tool_use_id\":"
			      "\"" STR_FMT
			      "\",\"content\":[{\"type\":\"text\",\"text\":\"red\"}]}]",
			      STR_ARG(call))
			 .ptr);
	check_str("log", rig_log(&r, "s", 8),
		  STR("custom_tool_result status_running model_request_start "
		      "message\"color: red\\nthanks\" model_request_end status_idle:end_turn"));
	rig_release(&r);
}

static void
T9_a_parked_turn_waits_for_its_answer_however_often_it_is_woken(void **state)
{
	struct rig r;
	int64_t head;

	(void)state;
	rig_init(&r, true);
	rig_agent(&r, "asks",
		  "{\"id\":\"asks\",\"version\":1,\"model\":\"demo\",\"tools\":[{"
		  "\"type\":\"custom\",\"name\":\"color\"}]}");
	rig_session(&r, "s", "asks");
	rig_post(&r, "s", "tool color {}");
	rig_post(&r, "s", "say later");
	head = rig_head(&r, "s");
	rig_wake(&r, "s");
	rig_wake(&r, "s");
	assert_int_equal(rig_head(&r, "s"), head);
	rig_interrupt(&r, "s"); /* ends it; the message that waited runs */
	check_str("log", rig_log(&r, "s", head + 1),
		  STR("interrupt tool_result:cancelled status_idle:interrupted+ status_running "
		      "model_request_start message\"later\" model_request_end "
		      "status_idle:end_turn"));
	rig_release(&r);
}

static void
M12_usage_reaches_the_counters(void **state)
{
	static const struct scripted_step STEPS[] = { { SCRIPTED_TEXT, STR("x") },
						      { SCRIPTED_DONE } };
	struct rig r;

	(void)state;
	begin(&r, STEPS, ARRAY_LEN(STEPS));
	rig_post(&r, "s", "go");
	assert_int_equal(rig_row(&r, "s")->row.counters.usage.input, 100);
	assert_int_equal(rig_row(&r, "s")->row.counters.usage.output, 10);
	rig_release(&r);
}

static struct engine_model_terms
two_attempts(void *ctx, struct str model)
{
	struct engine_model_terms t = { .context_tokens = 32000, .retry = { 2, 1000, 30000 } };

	(void)ctx;
	check_str("model", model, STR("demo"));
	return t;
}

static void
T6_a_provider_has_retries_of_its_own(void **state)
{
	struct rig r;

	(void)state;
	rig_init(&r, true);
	r.en->config.models.terms = two_attempts;
	rig_session(&r, "s", "main");
	rig_post(&r, "s", "fail overloaded");
	rig_advance(&r, 60000);
	check_str("log", rig_log(&r, "s", 2),
		  STR(TURN_BEGINS "model_request_end status_rescheduled:model_overloaded_error#1 "
				  "status_running model_request_start model_request_end "
				  "error:model_overloaded_error status_idle:retries_exhausted"));
	rig_release(&r);
}

static int64_t
price(void *ctx, struct str model, const struct usage *usage)
{
	(void)ctx;
	check_str("model", model, STR("scripted"));
	return 3 * usage->input + 5 * usage->output;
}

static void
T15_a_model_call_is_logged_with_its_price(void **state)
{
	static const struct scripted_step STEPS[] = { { SCRIPTED_TEXT, STR("a") },
						      { SCRIPTED_DONE } };
	struct rig r;

	(void)state;
	begin(&r, STEPS, ARRAY_LEN(STEPS));
	r.en->config.models.cost = price;
	rig_post(&r, "s", "go");
	assert_int_equal(rig_row(&r, "s")->row.counters.cost_picodollars, 3 * 100 + 5 * 10);
	rig_release(&r);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, row_in_memory);
	SUITE_ROWS(&s, ROWS, row_in_sqlite);
	SUITE_TEST(&s, T2_deltas_add_up_and_the_event_comes_before_their_end);
	SUITE_TEST(&s, Q5_an_interrupt_stops_the_model_at_once);
	SUITE_TEST(&s, T4_the_turns_time_is_up);
	SUITE_TEST(&s, T4_the_agents_limits_hold);
	SUITE_TEST(&s, T7_what_was_said_is_saved_while_it_is_said);
	SUITE_TEST(&s, T3_an_unknown_model_is_said_in_the_log);
	SUITE_TEST(&s, T6_a_provider_has_retries_of_its_own);
	SUITE_TEST(&s, T15_a_model_call_is_logged_with_its_price);
	SUITE_TEST(&s, T6_a_call_that_was_cut_is_known_behind_a_park_and_a_restart);
	SUITE_TEST(&s, T9_a_custom_tool_is_called_by_the_name_its_client_knows);
	SUITE_TEST(&s, T9_a_custom_tool_parks_the_turn_and_its_result_resumes_it);
	SUITE_TEST(&s, T9_a_parked_turn_waits_for_its_answer_however_often_it_is_woken);
	SUITE_TEST(&s, M12_usage_reaches_the_counters);
	return suite_run(&s, "engine/turn");
}

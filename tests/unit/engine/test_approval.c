#include "engine/approval.h"

#include "tool_rig.h"

#define ASKING "asking"

/* A session of an agent that asks before each tool; nobody there: its source says so. */
static void
begin(struct rig *r, bool attended)
{
	tool_rig_init(r);
	rig_agent(r, ASKING, TOOL_RIG_ASKING_AGENT(ASKING));
	rig_session_from(r, "s", ASKING,
			 attended ? "{\"kind\":\"cli\",\"interactive\":true}"
				  : "{\"kind\":\"schedule\",\"interactive\":false}");
}

static void
confirm(struct rig *r, struct str call, const char *more)
{
	rig_send(r, "s",
		 arena_printf(&r->arena,
			      "[{\"type\":\"user.tool_confirmation\",\"tool_use_id\":\"%.*s\","
			      "\"result\":\"allow\"%s}]",
			      STR_ARG(call), more)
			 .ptr);
}

static struct str
last_call(struct rig *r)
{
	return rig_event_id(r, "s", EVENT_AGENT_TOOL_USE);
}

#define PARKED "tool_use model_request_end status_idle:requires_action"

static void
T8_a_question_waits_for_a_person(void **state)
{
	struct rig r;

	(void)state;
	begin(&r, true);
	rig_post(&r, "s", "tool bash {\"command\":\"ls\"}");
	rig_advance(&r, INT64_C(100) * 24 * 3600 * 1000);
	check_str("log", rig_log(&r, "s", 5), STR(PARKED));
	confirm(&r, last_call(&r), "");
	check_str("log", rig_log(&r, "s", 8),
		  STR("tool_confirmation status_running tool_result:ok model_request_start "
		      "message\"bash: {\\\"command\\\":\\\"ls\\\"}\" model_request_end "
		      "status_idle:end_turn"));
	rig_release(&r);
}

static void
T8_nobody_there_the_default_answers(void **state)
{
	struct rig r;

	(void)state;
	begin(&r, false);
	rig_post(&r, "s", "tool bash {\"command\":\"ls\"}");
	check_str("log", rig_log(&r, "s", 5),
		  STR(PARKED " tool_confirmation status_running tool_result:denied "
			     "model_request_start message\"bash: This tool call was denied. It has "
			     "not run. Reason given: nobody is there who could be asked\" "
			     "model_request_end status_idle:end_turn"));
	assert_int_equal(tool_scripted_started(r.tools), 0);
	assert_int_equal(rig_event_at(&r, "s", 8)->author, AUTHOR_SYSTEM);
	rig_release(&r);
}

static void
T8_nobody_there_the_setting_allows(void **state)
{
	struct rig r;

	(void)state;
	begin(&r, false);
	engine_reload(r.en, &(struct engine_settings){ .default_model = STR("demo"),
						       .queue_depth = 20,
						       .approvals.unattended = APPROVAL_ALLOW });
	rig_post(&r, "s", "tool bash {\"command\":\"ls\"}\ntool read {\"path\":\"a\"}");
	assert_int_equal(tool_scripted_started(r.tools), 2);
	assert_true(str_ends(rig_log(&r, "s", 5), STR("status_idle:end_turn")));
	rig_release(&r);
}

static void
expire_after(struct rig *r, int64_t ms)
{
	engine_reload(r->en,
		      &(struct engine_settings){
			      .default_model = STR("demo"),
			      .queue_depth = 20,
			      .approvals = { .expire_after_ms = ms, .expired = APPROVAL_DENY } });
}

static void
T8_a_question_expires_also_over_a_restart(void **state)
{
	struct rig r;

	(void)state;
	begin(&r, true);
	expire_after(&r, 120000);
	rig_post(&r, "s", "tool bash {\"command\":\"ls\"}");
	rig_advance(&r, 60000);
	rig_restart(&r, 0);
	expire_after(&r, 120000);
	rig_wake(&r, "s");
	rig_advance(&r, 59999);
	check_str("log", rig_log(&r, "s", 5), STR(PARKED));
	rig_advance(&r, 1);
	check_str("log", rig_log(&r, "s", 8),
		  STR("tool_confirmation status_running tool_result:denied model_request_start "
		      "message\"bash: This tool call was denied. It has not run. Reason given: "
		      "nobody answered in time\" model_request_end status_idle:end_turn"));
	rig_release(&r);
}

static const struct scripted_step TWO_CALLS[] = {
	{ SCRIPTED_CALL,
	  .call = { STR("c1"), STR("bash"), STR("{\"command\":\"git status -s\"}") } },
	{ SCRIPTED_CALL, .call = { STR("c2"), STR("bash"), STR("{\"command\":\"git status\"}") } },
	{ SCRIPTED_CALL, .call = { STR("c3"), STR("bash"), STR("{\"command\":\"rm x\"}") } },
	{ SCRIPTED_DONE, .stop = PROVIDER_STOP_TOOLS },
};

static void
T8_allow_always_answers_the_questions_like_it(void **state)
{
	struct rig r;
	struct str first;

	(void)state;
	tool_rig_init(&r);
	provider_scripted_play(r.scripted, TWO_CALLS, ARRAY_LEN(TWO_CALLS));
	rig_agent(&r, "script",
		  "{\"id\":\"script\",\"version\":1,\"model\":{\"id\":\"scripted\"},\"tools\":"
		  "[" TOOL_RIG_BLOCK("always_ask") "]}");
	rig_session(&r, "s", "script");
	rig_post(&r, "s", "go");
	first = rig_event_at(&r, "s", 5)->id;
	confirm(&r, first, ",\"scope\":\"always\"");
	check_str("log", rig_log(&r, "s", 10),
		  STR("tool_confirmation tool_confirmation status_idle:requires_action"));
	assert_int_equal(rig_event_at(&r, "s", 11)->author, AUTHOR_SYSTEM);
	assert_int_equal(tool_scripted_started(r.tools), 0);
	confirm(&r, last_call(&r), "");
	assert_int_equal(tool_scripted_started(r.tools), 3);
	rig_release(&r);
}

static void
T8_what_was_allowed_for_good_holds_in_turns_to_come(void **state)
{
	struct rig r;

	(void)state;
	begin(&r, true);
	rig_post(&r, "s", "tool bash {\"command\":\"git status -s\"}");
	confirm(&r, last_call(&r), ",\"scope\":\"always\"");
	rig_restart(&r, 0);
	rig_post(&r, "s", "tool bash {\"command\":\"git status\"}\nsay done");
	assert_int_equal(tool_scripted_started(r.tools), 2);
	rig_post(&r, "s", "tool bash {\"command\":\"git push\"}");
	assert_int_equal(tool_scripted_started(r.tools), 2);
	assert_true(str_ends(rig_log(&r, "s", 1), STR(PARKED)));
	rig_release(&r);
}

static void
T8_once_is_once(void **state)
{
	struct rig r;

	(void)state;
	begin(&r, true);
	rig_post(&r, "s", "tool bash {\"command\":\"ls\"}");
	confirm(&r, last_call(&r), ",\"scope\":\"once\"");
	rig_post(&r, "s", "tool bash {\"command\":\"ls\"}");
	assert_int_equal(tool_scripted_started(r.tools), 1);
	rig_release(&r);
}

static void
T8_the_operators_rules_hold(void **state)
{
	static const struct approval_rule RULES[] = {
		{ .tool = STR("bash"), .pattern = STR("ls"), .action = APPROVAL_ALLOW },
		{ .tool = STR("read"), .pattern = STR(""), .action = APPROVAL_DENY },
	};
	struct rig r;

	(void)state;
	begin(&r, true);
	engine_reload(r.en, &(struct engine_settings){ .default_model = STR("demo"),
						       .queue_depth = 20,
						       .rules = { RULES, ARRAY_LEN(RULES) } });
	rig_post(&r, "s", "tool bash {\"command\":\"ls\"}\ntool read {\"path\":\"x\"}");
	check_str(
		"log", rig_log(&r, "s", 5),
		STR("tool_use model_request_end tool_result:ok model_request_start message\"bash: "
		    "{\\\"command\\\":\\\"ls\\\"}\" tool_use model_request_end "
		    "tool_result:denied model_request_start message\"read: This tool call was "
		    "denied. It has not run. Reason given: a rule of the operator (read) denies "
		    "it\" "
		    "model_request_end status_idle:end_turn"));
	rig_release(&r);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, T8_a_question_waits_for_a_person);
	SUITE_TEST(&s, T8_nobody_there_the_default_answers);
	SUITE_TEST(&s, T8_nobody_there_the_setting_allows);
	SUITE_TEST(&s, T8_a_question_expires_also_over_a_restart);
	SUITE_TEST(&s, T8_allow_always_answers_the_questions_like_it);
	SUITE_TEST(&s, T8_what_was_allowed_for_good_holds_in_turns_to_come);
	SUITE_TEST(&s, T8_once_is_once);
	SUITE_TEST(&s, T8_the_operators_rules_hold);
	return suite_run(&s, "engine/approval");
}

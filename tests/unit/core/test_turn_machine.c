#include "core/turn_machine.h"

#include "base/rand.h"
#include "turn_world.h"

struct row {
	const char *name, *script, *want;
	int64_t max_steps; /* 0: the usual */
};

/* To the model's first request. */
#define ASK "msg a; open a; ok; ctx;"
/* Behind its answer with one call. */
#define CALL(name) ASK "call " name "; done;"

static const struct row ROWS[] = {
	{ "T1 the input is on disk before the model is asked", "msg a; open a",
	  "{take status_running model_request_start}" },
	{ "T1 the transcript is read after the commit", "msg a; open a; ok",
	  "{take status_running model_request_start} context" },
	{ "T2 one turn, whole", ASK "text he; text llo; done; ok",
	  "{take status_running model_request_start} context model +m ~m\"he\" ~m\"llo\" "
	  "{release message\"hello\" model_request_end status_idle:end_turn} -m ended" },
	{ "T2 thinking stands before the message", ASK "think hm; sign {\"s\":1}; text x; done; ok",
	  "{take status_running model_request_start} context model +t ~t\"hm\" +m ~m\"x\" "
	  "{release thinking message\"x\" model_request_end status_idle:end_turn} -t -m ended" },
	{ "T2 a signature that is no object is kept", ASK "sign abc; done; ok",
	  "{take status_running model_request_start} context model "
	  "{release thinking model_request_end status_idle:end_turn} ended" },
	{ "T2 an empty answer ends the turn too", ASK "done; ok",
	  "{take status_running model_request_start} context model "
	  "{release model_request_end status_idle:end_turn} ended" },
	{ "M8 a refusal is a stop reason", ASK "text no; done refusal; ok",
	  "{take status_running model_request_start} context model +m ~m\"no\" "
	  "{release message\"no\" model_request_end status_idle:refusal} -m ended" },
	{ "M8 a refusal by the provider is no error", ASK "fail refusal; ok",
	  "{take status_running model_request_start} context model "
	  "{release model_request_end status_idle:refusal} ended" },
	{ "M8 an answer cut by its length ends the turn", ASK "text x; done length; ok",
	  "{take status_running model_request_start} context model +m ~m\"x\" "
	  "{release message\"x\" model_request_end status_idle:end_turn} -m ended" },
	{ "M8 a call cut by its length is told, and asked for again",
	  ASK "text x; done cut; ok; ctx; text y; done; ok",
	  "{take status_running model_request_start} context model +m ~m\"x\" "
	  "{keep message\"x\" model_request_end model_request_start} -m context/note model "
	  "+m ~m\"y\" {release message\"y\" model_request_end status_idle:end_turn} -m ended" },
	{ "M8 two answers in a row that are cut end the turn",
	  ASK "done cut; ok; ctx; done cut; ok",
	  "{take status_running model_request_start} context model "
	  "{keep model_request_end model_request_start} context/note model "
	  "{release model_request_end error status_idle:retries_exhausted} ended" },
	{ "M8 a whole call runs beside one that was cut",
	  ASK "call run {}; done cut; ok; tool run ok; ok; ctx; text y; done; ok",
	  "{take status_running model_request_start} context model "
	  "{keep tool_use model_request_end} tool:run {keep tool_result:ok model_request_start} "
	  "context/note model +m ~m\"y\" "
	  "{release message\"y\" model_request_end status_idle:end_turn} -m ended" },
	{ "M8 a lost call has its result at once, and nobody runs it",
	  ASK "text x; lost run; done cut; ok; ctx; text y; done; ok",
	  "{take status_running model_request_start} context model +m ~m\"x\" "
	  "{keep message\"x\" tool_use model_request_end tool_result:error model_request_start} -m "
	  "context model +m ~m\"y\" "
	  "{release message\"y\" model_request_end status_idle:end_turn} -m ended" },
	{ "M8 nor is anybody asked about it, or for its result",
	  ASK "call run; lost client; done cut; ok",
	  "{take status_running model_request_start} context model "
	  "{keep tool_use tool_use model_request_end tool_result:error} tool:run" },
	{ "M8 two answers in a row with nothing but a lost call end the turn",
	  ASK "lost run; done cut; ok; ctx; lost run; done cut; ok",
	  "{take status_running model_request_start} context model "
	  "{keep tool_use model_request_end tool_result:error model_request_start} context model "
	  "{release tool_use model_request_end error tool_result:error "
	  "status_idle:retries_exhausted} ended" },
	{ "M8 a lost call is told before the park, and so behind it",
	  ASK "call ask {}; lost run; done cut; ok; allow y $ask; go; ok; tool ask ok; ok",
	  "{take status_running model_request_start} context model "
	  "{release tool_use tool_use model_request_end tool_result:error "
	  "status_idle:requires_action} parked {take status_running} tool:ask "
	  "{keep tool_result:ok model_request_start} context" },
	{ "M8 what is lost with a refusal is nobody's", ASK "lost run; done refusal; ok",
	  "{take status_running model_request_start} context model "
	  "{release model_request_end status_idle:refusal} ended" },
	{ "Q7 a turn that somebody else opened is left alone", "msg a; open a; refuse",
	  "{take status_running model_request_start} lost" },
	{ "Q7 a lost lease stops everything", ASK "text x; lose",
	  "{take status_running model_request_start} context model +m ~m\"x\" stop-model -m lost" },
	{ "Q7 a lost lease stops tools", CALL("run") "ok; lose",
	  "{take status_running model_request_start} context model "
	  "{keep tool_use model_request_end} tool:run stop:run lost" },
	{ "Q7 a commit that fails while the lease is held is broken", ASK "done; refuse",
	  "{take status_running model_request_start} context model "
	  "{release model_request_end status_idle:end_turn} broken" },

	/* failures */
	{ "T6 a failure is waited out", ASK "fail overloaded; ok; at 1000; ok; ctx; done; ok",
	  "{take status_running model_request_start} context model {keep model_request_end "
	  "status_rescheduled:model_overloaded_error#1} wait {keep status_running "
	  "model_request_start} context model {release model_request_end status_idle:end_turn} "
	  "ended" },
	{ "T6 what a failed request said is gone", ASK "text x; fail network; ok; at 1000; ok; ctx",
	  "{take status_running model_request_start} context model +m ~m\"x\" {keep "
	  "model_request_end status_rescheduled:model_request_failed_error#1} -m wait {keep "
	  "status_running model_request_start} context model" },
	{ "T6 a peer's wait is kept to", ASK "fail rate_limit 7000; ok; at 6999; at 1",
	  "{take status_running model_request_start} context model {keep model_request_end "
	  "status_rescheduled:model_rate_limited_error#1} wait {keep status_running "
	  "model_request_start}" },
	{ "T6 a bad request is tried once", ASK "fail request; ok",
	  "{take status_running model_request_start} context model {release "
	  "model_request_end error status_idle:retries_exhausted} ended" },
	{ "T6 too long a prompt is pruned and sent once more",
	  ASK "fail context; ok; ctx; fail context; ok",
	  "{take status_running model_request_start} context model {keep model_request_end "
	  "model_request_start} context/pruned model {release model_request_end error "
	  "status_idle:retries_exhausted} ended" },
	{ "T6 exhausted retries keep what was said last and tell one error",
	  ASK "fail overloaded; ok; at 30000; ok; ctx; fail overloaded; ok; at 30000; ok; ctx;"
	      "fail overloaded; ok; at 30000; ok; ctx; fail overloaded; ok; at 30000; ok; ctx;"
	      "text y; fail overloaded; ok",
	  "{take status_running model_request_start} context model {keep model_request_end "
	  "status_rescheduled:model_overloaded_error#1} wait {keep status_running "
	  "model_request_start} context model {keep model_request_end "
	  "status_rescheduled:model_overloaded_error#2} wait {keep status_running "
	  "model_request_start} context model {keep model_request_end "
	  "status_rescheduled:model_overloaded_error#3} wait {keep status_running "
	  "model_request_start} context model {keep model_request_end "
	  "status_rescheduled:model_overloaded_error#4} wait {keep status_running "
	  "model_request_start} context model +m ~m\"y\" {release message!\"y\" model_request_end "
	  "error status_idle:retries_exhausted} -m ended" },
	{ "T6 a transcript that cannot be read ends the turn", "msg a; open a; ok; noctx; ok",
	  "{take status_running model_request_start} context {release model_request_end error "
	  "status_idle:retries_exhausted} ended" },
	{ "T6 late pieces of an old request are dropped",
	  ASK "fail overloaded; text late; ok; text late; done",
	  "{take status_running model_request_start} context model {keep model_request_end "
	  "status_rescheduled:model_overloaded_error#1} wait" },

	/* interrupts */
	{ "Q5 an interrupt stops the model and keeps what was said",
	  ASK "text hel; interrupt i; look; ok",
	  "{take status_running model_request_start} context model +m ~m\"hel\" stop-model "
	  "{release message!\"hel\" model_request_end status_idle:interrupted} -m ended" },
	{ "Q5 an interrupt before the model answers",
	  "msg a; open a; interrupt i; look; refuse; "
	  "open a; ok",
	  "{take status_running model_request_start} lost {take status_running "
	  "model_request_start} context" },
	{ "Q5 an interrupt while the transcript is read",
	  "msg a; open a; ok; interrupt i; look; ctx",
	  "{take status_running model_request_start} context {release model_request_end "
	  "status_idle:interrupted}" },
	{ "Q5 an interrupt during a commit waits for it", CALL("run") "interrupt i; look; ok; ok",
	  "{take status_running model_request_start} context model {keep tool_use "
	  "model_request_end} {release tool_result:cancelled status_idle:interrupted} ended" },
	{ "Q5 an interrupt cancels running tools", CALL("run") "ok; interrupt i; look; ok",
	  "{take status_running model_request_start} context model {keep tool_use "
	  "model_request_end} tool:run stop:run {release tool_result:cancelled "
	  "status_idle:interrupted} ended" },
	{ "Q5 an interrupt ends a backoff",
	  ASK "fail overloaded; ok; interrupt i; look; ok; at 99999",
	  "{take status_running model_request_start} context model {keep model_request_end "
	  "status_rescheduled:model_overloaded_error#1} wait {release status_idle:interrupted} "
	  "no-retry ended" },
	{ "Q5 an interrupt that loses the race against the end is nobody's",
	  ASK "done; interrupt i; look; ok",
	  "{take status_running model_request_start} context model {release model_request_end "
	  "status_idle:end_turn} ended" },
	{ "Q5 an interrupt ends a parked turn", CALL("client") "ok; interrupt i; go; ok",
	  "{take status_running model_request_start} context model {release custom_tool_use "
	  "model_request_end status_idle:requires_action} parked {break tool_result:cancelled "
	  "status_idle:interrupted} ended" },

	/* tools */
	{ "T7 a call nobody can run gets its result at once", CALL("nope {\"x\":1}") "ok; ctx",
	  "{take status_running model_request_start} context model {keep tool_use "
	  "model_request_end tool_result:error model_request_start} context model" },
	{ "T7 arguments that are no object are an error", CALL("run [1]") "ok",
	  "{take status_running model_request_start} context model {keep tool_use "
	  "model_request_end tool_result:error model_request_start} context" },
	{ "T7 a tool starts once its call is on disk", CALL("run") "ok; tool run ok; ok; ctx",
	  "{take status_running model_request_start} context model {keep tool_use "
	  "model_request_end} tool:run {keep tool_result:ok model_request_start} context model" },
	{ "T7 parallel calls",
	  ASK "call run; call fetch; call nope; done; ok; tool fetch error; ok;"
	      "tool run ok; ok",
	  "{take status_running model_request_start} context model {keep tool_use mcp_tool_use "
	  "tool_use model_request_end tool_result:error} tool:run tool:fetch {keep "
	  "mcp_tool_result:error} {keep tool_result:ok model_request_start} context" },
	{ "T7 an outcome during a commit is not lost",
	  ASK "call run; call fetch; done; ok; tool run ok; tool fetch ok; ok; ok",
	  "{take status_running model_request_start} context model {keep tool_use mcp_tool_use "
	  "model_request_end} tool:run tool:fetch {keep tool_result:ok} {keep "
	  "mcp_tool_result:ok model_request_start} context" },
	{ "T7 calls that change files start one after the other",
	  ASK "call edit {\"n\":1}; call peek; call write; call fetch; done; ok; tool peek ok; ok;"
	      "tool edit ok; ok; tool fetch ok; ok; tool write ok; ok",
	  "{take status_running model_request_start} context model {keep tool_use tool_use "
	  "tool_use mcp_tool_use model_request_end} tool:edit tool:peek tool:fetch {keep "
	  "tool_result:ok} {keep tool_result:ok} tool:write {keep mcp_tool_result:ok} {keep "
	  "tool_result:ok model_request_start} context" },
	{ "T7 one that fails lets the next start",
	  ASK "call edit {\"n\":1}; call edit {\"n\":2}; done; ok; tool edit error; ok",
	  "{take status_running model_request_start} context model {keep tool_use tool_use "
	  "model_request_end} tool:edit {keep tool_result:error} tool:edit" },
	{ "T7 one that waits for people or a client holds up nobody",
	  ASK "call sign; call worker; call client; call edit; call write; done; ok; tool edit ok;"
	      "ok; tool write ok; ok",
	  "{take status_running model_request_start} context model {keep tool_use tool_use "
	  "custom_tool_use tool_use tool_use model_request_end} tool:edit {keep tool_result:ok} "
	  "tool:write {release tool_result:ok status_idle:requires_action} parked" },
	{ "T7 one that is allowed meanwhile starts when the running one is done",
	  ASK "call sign; call edit; call write; done; ok; allow y $sign; look; ok; tool edit ok;"
	      "ok; tool sign ok; ok",
	  "{take status_running model_request_start} context model {keep tool_use tool_use "
	  "tool_use model_request_end} tool:edit {keep input_consumed} {keep tool_result:ok} "
	  "tool:sign {keep tool_result:ok} tool:write" },
	{ "Q5 an interrupt closes what has not started, and stops nothing for it",
	  ASK "call edit; call write; done; ok; interrupt i; look; ok",
	  "{take status_running model_request_start} context model {keep tool_use tool_use "
	  "model_request_end} tool:edit stop:edit {release tool_result:cancelled "
	  "tool_result:cancelled status_idle:interrupted} ended" },
	{ "T4 the step limit", CALL("nope") "ok; ctx; call nope2; done; ok",
	  "{take status_running model_request_start} context model {keep tool_use "
	  "model_request_end tool_result:error model_request_start} context model {release "
	  "tool_use model_request_end tool_result:error status_idle:limit_reached/steps} ended",
	  2 },
	{ "T4 the turn's time is up", ASK "text x; at 1799999; at 1; ok",
	  "{take status_running model_request_start} context model +m ~m\"x\" save stop-model "
	  "{release message!\"x\" model_request_end status_idle:limit_reached/time -partial} -m "
	  "ended" },
	{ "T5 a repeated call warns, then ends the turn",
	  CALL("nope") "ok; ctx; call nope; done; ok; ctx; call nope; done; ok; ctx; call nope; "
		       "done",
	  "{take status_running model_request_start} context model {keep tool_use "
	  "model_request_end tool_result:error model_request_start} context model {keep tool_use "
	  "model_request_end tool_result:error model_request_start} context model {keep tool_use "
	  "model_request_end tool_result:error model_request_start} context/note model {release "
	  "tool_use model_request_end tool_result:error status_idle:limit_reached/loop}" },

	/* steering */
	{ "Q3 a steer enters after the next tool result",
	  CALL("run") "ok; msg s busy=steer; look; tool run ok; ok; ok",
	  "{take status_running model_request_start} context model {keep tool_use "
	  "model_request_end} tool:run {keep tool_result:ok} {keep input_consumed "
	  "model_request_start} context" },
	{ "Q3 a steer that was taken back does not stop the turn",
	  CALL("run") "ok; msg s busy=steer; look; tool run ok; ok; cancel s; ok; ok",
	  "{take status_running model_request_start} context model {keep tool_use "
	  "model_request_end} tool:run {keep tool_result:ok} {keep input_consumed "
	  "model_request_start} refused(s is not pending) {keep model_request_start} context" },
	{ "Q3 a steer that comes while another enters goes in with it",
	  CALL("run") "ok; msg s busy=steer; look; tool run ok; ok; msg u busy=steer; ok; ok",
	  "{take status_running model_request_start} context model {keep tool_use "
	  "model_request_end} tool:run {keep tool_result:ok} {keep input_consumed "
	  "model_request_start} refused(others wait) {keep input_consumed model_request_start} "
	  "context" },
	{ "Q3 a steer waits when the turn ends first", ASK "msg s busy=steer; look; done; ok",
	  "{take status_running model_request_start} context model {release model_request_end "
	  "status_idle:end_turn} ended" },

	/* parks */
	{ "T9 a client's call parks the turn, its result resumes it",
	  CALL("client") "ok; custom r $client; go; ok; ok",
	  "{take status_running model_request_start} context model {release custom_tool_use "
	  "model_request_end status_idle:requires_action} parked {take status_running} {keep "
	  "model_request_start} context" },
	{ "T9 allowed calls run before the park",
	  ASK "call client; call run; done; ok; tool run ok; ok",
	  "{take status_running model_request_start} context model {keep custom_tool_use tool_use "
	  "model_request_end} tool:run {release tool_result:ok status_idle:requires_action} "
	  "parked" },
	{ "T9 a partial answer re-emits the rest without running",
	  ASK "call client; call ask; done; ok; custom r $client; go; ok; go; allow y $ask; go; ok;"
	      "tool ask ok; ok",
	  "{take status_running model_request_start} context model {release custom_tool_use "
	  "tool_use model_request_end status_idle:requires_action} parked {break "
	  "status_idle:requires_action} parked parked {take status_running} tool:ask {keep "
	  "tool_result:ok model_request_start} context" },
	{ "T9 an answer that comes while the turn runs",
	  ASK "call client; call run; done; ok; custom r $client; look; ok; tool run ok; ok",
	  "{take status_running model_request_start} context model {keep custom_tool_use tool_use "
	  "model_request_end} tool:run {keep input_consumed} {keep tool_result:ok "
	  "model_request_start} context" },
	{ "T9 an answer that came just before the park resumes it all the same",
	  ASK "call client; call run; done; ok; custom r $client; tool run ok; ok; go; ok; ok",
	  "{take status_running model_request_start} context model {keep custom_tool_use tool_use "
	  "model_request_end} tool:run {release tool_result:ok status_idle:requires_action} "
	  "parked {take status_running} {keep model_request_start} context" },
	{ "T8 a denial is the call's result", CALL("ask") "ok; deny n $ask; go; ok; ok",
	  "{take status_running model_request_start} context model {release tool_use "
	  "model_request_end status_idle:requires_action} parked {take status_running "
	  "tool_result:denied} {keep model_request_start} context" },
	{ "T8 a deny that came meanwhile overrules who allowed the call",
	  CALL("ask") "ok; forbid; allow y $ask; go; ok; ok",
	  "{take status_running model_request_start} context model {release tool_use "
	  "model_request_end status_idle:requires_action} parked {take status_running "
	  "tool_result:denied} {keep model_request_start} context" },
	{ "T8 a call that is denied never runs, and its result says so",
	  ASK "call run; call no; done; ok; tool run ok; ok",
	  "{take status_running model_request_start} context model {keep tool_use tool_use "
	  "model_request_end tool_result:denied} tool:run {keep tool_result:ok "
	  "model_request_start} context" },
	{ "T8 what is allowed depends on the arguments",
	  ASK "call bash {\"command\":\"ls -l\"}; call bash {\"command\":\"rm x\"}; done; ok; tool "
	      "bash ok; ok",
	  "{take status_running model_request_start} context model {keep tool_use tool_use "
	  "model_request_end} tool:bash {release tool_result:ok status_idle:requires_action} "
	  "parked" },
	{ "T8 allow always holds in the same turn, without a park between",
	  ASK
	  "call bash {\"command\":\"git status\"}; call run; done; ok; always y $bash; look; ok;"
	  "tool bash ok; ok; tool run ok; ok; ctx; call bash {\"command\":\"git status -s\"};"
	  "done; ok",
	  "{take status_running model_request_start} context model {keep tool_use tool_use "
	  "model_request_end} tool:run {keep input_consumed} tool:bash {keep tool_result:ok} "
	  "{keep tool_result:ok model_request_start} context model {keep tool_use "
	  "model_request_end} tool:bash" },
	{ "T8 a confirmation waits for the other calls",
	  ASK "call ask; call client; done; ok; allow y $ask; go; ok; custom r $client; go; ok",
	  "{take status_running model_request_start} context model {release tool_use "
	  "custom_tool_use model_request_end status_idle:requires_action} parked {break "
	  "status_idle:requires_action} parked {take status_running} tool:ask" },
	{ "T8 a worker's call is allowed first, then waits for its result",
	  CALL("worker") "ok; allow y $worker; go; ok; toolres r $worker; go; ok; ok",
	  "{take status_running model_request_start} context model {release tool_use "
	  "model_request_end status_idle:requires_action} parked {break "
	  "status_idle:requires_action} parked {take status_running} {keep model_request_start} "
	  "context" },
};

static void
check_row(void **state)
{
	const struct row *row = *state;
	struct world w;

	world_init(&w, 1);
	if (row->max_steps > 0)
		w.plan.max_steps = row->max_steps;
	world_run(&w, row->script);
	check_str(row->name, str_trim(buf_str(&w.trace)), str_of(row->want));
	world_release(&w);
}

static void
T3_a_model_nobody_knows_is_an_error_of_the_turn(void **state)
{
	struct world w;

	(void)state;
	world_init(&w, 1);
	w.plan.problem = STR("there is no model named x; known: demo");
	world_run(&w, "msg a; open a; ok; ok");
	check_str("trace", str_trim(buf_str(&w.trace)),
		  STR("{take status_running} {release error status_idle:retries_exhausted} ended"));
	assert_true(str_contains(w.log.ptr[w.log.len - 2].payload, STR("known: demo")));
	world_release(&w);
}

static void
T8_what_runs_is_what_was_judged(void **state)
{
	struct turn_call call = { .id = STR("c"),
				  .kind = EVENT_AGENT_TOOL_USE,
				  .state = CALL_WAITS_APPROVAL,
				  .name = STR("ask"),
				  .arguments = STR("{\"a\":2}"),
				  .digest = STR("00") };
	struct turn_answer answer = { .id = STR("y"),
				      .call = STR("c"),
				      .kind = EVENT_USER_TOOL_CONFIRMATION,
				      .allow = true };
	struct turn_plan plan = { .how = TURN_CONTINUES,
				  .turn = STR("t"),
				  .max_steps = 9,
				  .timeout_ms = 9999,
				  .calls = &call,
				  .call_count = 1,
				  .parked_on = 1,
				  .inputs = { .answers = &answer, .answer_count = 1 } };
	const struct turn_effect *effects;
	struct turn_machine *m;
	struct arena a;
	size_t count;

	(void)state;
	arena_init(&a);
	m = turn_machine_new(&a, &plan);
	effects = turn_machine_step(m, &(struct turn_input){ .kind = TURN_IN_START }, &count);
	assert_int_equal(effects[0].event_count, 2);
	assert_int_equal(effects[0].events[1].kind, EVENT_AGENT_TOOL_RESULT);
	assert_true(str_contains(effects[0].events[1].payload,
				 STR("it is not the call that was allowed")));
	effects = turn_machine_step(m, &(struct turn_input){ .kind = TURN_IN_COMMITTED }, &count);
	for (size_t i = 0; i < count; i++)
		assert_int_not_equal(effects[i].kind, TURN_DO_TOOL);
	turn_machine_release(m);
	arena_release(&a);
}

static void
T7_the_result_names_the_tools_that_there_are(void **state)
{
	struct world w;

	(void)state;
	world_init(&w, 1);
	world_run(&w, ASK "call na\"me; done; ok");
	assert_true(
		str_contains(w.log.ptr[w.log.len - 2].payload,
			     STR("there is no tool named na_me; known: run, fetch, peek, ask, no, "
				 "bash, client, worker")));
	world_release(&w);
}

/* However deep a call's arguments are, the log can hold the call. */
static void
T7_a_call_that_is_nested_too_deep_is_an_error_of_the_call(void **state)
{
	(void)state;
	for (size_t depth = 55; depth <= 70; depth++) {
		struct world w;
		struct buf script;
		struct str last;

		world_init(&w, 1);
		buf_init(&script, 1 << 16);
		buf_puts(&script, ASK "call run ");
		for (size_t i = 0; i < depth; i++)
			buf_puts(&script, "{\"a\":");
		buf_puts(&script, "1");
		for (size_t i = 0; i < depth; i++)
			buf_puts(&script, "}");
		buf_puts(&script, "; done; ok");
		world_run(&w, arena_str(&w.arena, buf_str(&script)).ptr);
		last = str_trim(buf_str(&w.trace));
		if (!str_ends(last,
			      depth <= 60 ? STR("tool:run")
					  : STR("tool_result:error model_request_start} context")))
			fail_msg("%zu deep: " STR_FMT, depth, STR_ARG(last));
		buf_release(&script);
		world_release(&w);
	}
}

static void
T2_an_answer_without_end_is_no_answer(void **state)
{
	struct world w;
	struct str piece;

	(void)state;
	world_init(&w, 1);
	world_run(&w, ASK);
	piece = (struct str){ arena_alloc(&w.arena, 1 << 20), 1 << 20 };
	memset((char *)(uintptr_t)piece.ptr, 'x', piece.len);
	for (int i = 0; i < 9 && w.asking; i++)
		world_input(&w, (struct turn_input){ .kind = TURN_IN_TEXT, .text = piece });
	assert_false(w.asking);
	buf_clear(&w.trace);
	world_run(&w, "ok");
	check_str("trace", str_trim(buf_str(&w.trace)), STR("-m wait"));
	world_release(&w);
}

static void
T2_more_calls_than_a_step_may_have_are_refused(void **state)
{
	struct world w;

	(void)state;
	world_init(&w, 1);
	world_run(&w, ASK);
	for (int i = 0; i < TURN_CALLS_MAX; i++)
		world_run(&w, "call run");
	assert_true(w.asking);
	world_run(&w, "call run");
	assert_false(w.asking);
	world_release(&w);
}

static void
T6_pieces_of_an_old_request_are_nobodys(void **state)
{
	struct world w;
	unsigned old;

	(void)state;
	world_init(&w, 1);
	world_run(&w, ASK);
	old = w.request;
	world_run(&w, "fail overloaded; ok; at 1000; ok; ctx");
	buf_clear(&w.trace);
	world_input(&w, (struct turn_input){
				.kind = TURN_IN_TEXT, .request = old, .text = STR("late") });
	world_input(&w, (struct turn_input){ .kind = TURN_IN_DONE, .request = old });
	check_str("trace", buf_str(&w.trace), (struct str){ 0 });
	world_release(&w);
}

static void
T7_a_call_has_one_outcome(void **state)
{
	struct world w;
	struct turn_input in = { .kind = TURN_IN_TOOL, .outcome = OUTCOME_ERROR };

	(void)state;
	world_init(&w, 1);
	world_run(&w, ASK "call run; call fetch; done; ok; tool fetch ok");
	in.call_event = w.called.ptr[0].id;
	world_input(&w, in); /* both while a commit is on its way */
	in.outcome = OUTCOME_OK;
	world_input(&w, in);
	in.call_event = STR("unknown");
	world_input(&w, in);
	buf_clear(&w.trace);
	world_run(&w, "ok; ok");
	check_str("trace", str_trim(buf_str(&w.trace)),
		  STR("{keep tool_result:error model_request_start} context"));
	world_release(&w);
}

static void
T3_no_model_for_a_turn_that_goes_on(void **state)
{
	struct world w;

	(void)state;
	world_init(&w, 1);
	world_run(&w, CALL("client") "ok; custom r $client");
	w.plan.problem = STR("there is no model any more");
	buf_clear(&w.trace);
	world_run(&w, "go; ok; ok");
	check_str("trace", str_trim(buf_str(&w.trace)),
		  STR("{take status_running} {release error status_idle:retries_exhausted} ended"));
	world_release(&w);
}

/* Each of its commits is refused for a steer that is gone, however fresh the look. */
static void
Q3_a_steer_that_cannot_be_had_is_no_endless_loop(void **state)
{
	struct world w;

	(void)state;
	world_init(&w, 1);
	world_run(&w, CALL("run") "ok; msg s busy=steer; look; tool run ok; ok");
	for (int i = 0; i < 7; i++) {
		assert_int_equal(w.commit.has_queue, i < 5); /* then it takes what it knows */
		world_run(&w, "refuse");
		assert_non_null(w.machine);
	}
	world_run(&w, "refuse");
	assert_int_equal(w.finish, TURN_FINISH_BROKEN);
	world_release(&w);
}

/* The same seed and inputs give the same bytes. */
static void
T2_a_turn_replays_byte_for_byte(void **state)
{
	struct world a, b;

	(void)state;
	world_init(&a, 7);
	world_init(&b, 7);
	world_run(&a, CALL("run") "ok; tool run ok; ok; ctx; text x; done; ok");
	world_run(&b, CALL("run") "ok; tool run ok; ok; ctx; text x; done; ok");
	assert_int_equal(a.log.len, b.log.len);
	for (size_t i = 0; i < a.log.len; i++) {
		check_str("id", a.log.ptr[i].id, b.log.ptr[i].id);
		check_str("payload", a.log.ptr[i].payload, b.log.ptr[i].payload);
	}
	world_release(&a);
	world_release(&b);
}

/* ---- properties ---- */

static const char *const TOOL_NAMES[] = { "run",    "fetch",  "peek", "ask",  "no",    "bash",
					  "client", "worker", "nope", "edit", "write", "sign" };

static void
one_of(struct world *w, struct rand *r, const char *const *scripts, size_t count)
{
	world_run(w, scripts[rand_below(r, count)]);
}

static void
random_call(struct world *w, struct rand *r)
{
	char step[64];

	snprintf(step, sizeof step, "%s %s {\"n\":%d}", rand_below(r, 8) ? "call" : "lost",
		 TOOL_NAMES[rand_below(r, ARRAY_LEN(TOOL_NAMES))], (int)rand_below(r, 3));
	world_run(w, step);
}

static void
random_model(struct world *w, struct rand *r)
{
	static const char *const STEPS[] = {
		"text ab",      "text cd",      "think x",      "sign {}",
		"done",         "done",         "done cut",     "fail overloaded",
		"fail network", "fail context", "fail request", "done refusal"
	};

	if (rand_below(r, 4) == 0)
		random_call(w, r);
	else
		one_of(w, r, STEPS, ARRAY_LEN(STEPS) - (rand_below(r, 6) > 0 ? 2 : 0));
}

/* An answer to one of the calls that wait for it. */
static void
random_answer(struct world *w, struct rand *r, unsigned *inputs)
{
	size_t count;
	const struct call_row *calls = replay_calls(w->replay, &count);
	const struct call_row *call = count > 0 ? &calls[rand_below(r, count)] : NULL;
	static const char *const CONFIRMATIONS[] = { "allow", "always", "deny" };
	char step[128];

	if (!call || call->answer_id.len > 0 ||
	    (call->state != CALL_WAITS_APPROVAL && call->state != CALL_WAITS_RESULT))
		return;
	snprintf(step, sizeof step, "%s i%u %.*s",
		 call->state == CALL_WAITS_APPROVAL          ? CONFIRMATIONS[rand_below(r, 3)]
		 : call->kind == EVENT_AGENT_CUSTOM_TOOL_USE ? "custom"
							     : "toolres",
		 ++*inputs, STR_ARG(call->id));
	world_run(w, step);
}

static void
random_input(struct world *w, struct rand *r, unsigned *inputs)
{
	char step[64];

	switch (rand_below(r, 6)) {
	case 0:
		if (replay_session(w->replay)->state.phase != TURN_NONE) {
			snprintf(step, sizeof step, "interrupt i%u", ++*inputs);
			world_run(w, step);
		}
		return;
	case 1:
		snprintf(step, sizeof step, "msg i%u busy=steer", ++*inputs);
		world_run(w, step);
		return;
	case 2:
		if (*inputs > 0 && rand_below(r, 3) == 0) {
			const struct input_row *in;
			snprintf(step, sizeof step, "i%u", *inputs);
			in = replay_input_find(w->replay, str_of(step));
			if (in && in->processed_at_ms == 0 && in->meta.class == INPUT_TRIGGER) {
				snprintf(step, sizeof step, "cancel i%u", *inputs);
				world_run(w, step);
			}
		}
		return;
	default: random_answer(w, r, inputs); return;
	}
}

static void
start_something(struct world *w, unsigned *inputs)
{
	char step[64];

	if (replay_session(w->replay)->state.phase != TURN_NONE) {
		world_run(w, "go");
		return;
	}
	snprintf(step, sizeof step, "msg i%u; open i%u", *inputs + 1, *inputs + 1);
	++*inputs;
	world_run(w, step);
}

static void
random_step(struct world *w, struct rand *r, unsigned *inputs)
{
	static const char *const ANSWERS[] = { "ok", "ok", "ok",     "ok",  "ok",
					       "ok", "ok", "refuse", "lose" };
	static const char *const TIMES[] = { "at 10", "at 1000", "at 31000", "at 1000000" };

	if (!w->machine) {
		start_something(w, inputs);
		return;
	}
	switch (rand_below(r, 12)) {
	case 0: random_input(w, r, inputs); return;
	case 1: world_run(w, "look"); return;
	case 2: one_of(w, r, TIMES, ARRAY_LEN(TIMES)); return;
	case 3:
		if (rand_below(r, 8) == 0)
			world_run(w, rand_below(r, 3) ? "crash" : "drain");
		return;
	default: break;
	}
	if (w->committing)
		one_of(w, r, ANSWERS, ARRAY_LEN(ANSWERS));
	else if (w->reading)
		world_run(w, rand_below(r, 20) ? "ctx" : "noctx");
	else if (w->asking)
		random_model(w, r);
	else if (w->running.len > 0)
		world_run(w, arena_printf(&w->arena, "tool " STR_FMT " %s",
					  STR_ARG(w->running.ptr[0].name),
					  rand_below(r, 4) ? "ok" : "error")
				     .ptr);
}

/* Whatever happened, an interrupt brings the session to rest. */
static void
come_to_rest(struct world *w, unsigned *inputs)
{
	for (int i = 0; i < 50 && replay_session(w->replay)->state.phase != TURN_NONE; i++) {
		char step[64];

		if (!w->machine) {
			snprintf(step, sizeof step, "interrupt i%u; go", ++*inputs);
			world_run(w, step);
		} else if (w->committing) {
			world_run(w, "ok");
		} else {
			snprintf(step, sizeof step, "interrupt i%u; look", ++*inputs);
			world_run(w, step);
		}
	}
}

static size_t
turns_in(const struct world *w)
{
	size_t turns = 0;
	struct str last = { 0 };

	for (size_t i = 0; i < w->log.len; i++) {
		if (w->log.ptr[i].kind != EVENT_STATUS_RUNNING || str_eq(w->log.ptr[i].turn, last))
			continue;
		last = w->log.ptr[i].turn;
		turns++;
	}
	return turns;
}

/* core/replay refuses a second terminal, an unpaired call, a second result, a wrong turn; the world
 * refuses a second commit, a tool before its intent or started twice, an effect after the finish. What is left to check: every turn
 * has ended, once. */
static void
T2_whatever_happens_every_turn_ends_once(void **state)
{
	uint64_t seeds = suite_seeds(1000);

	(void)state;
	for (uint64_t seed = 0; seed < seeds; seed++) {
		struct world w;
		struct rand r;
		unsigned inputs = 0;

		rand_init_seed(&r, seed);
		world_init(&w, seed);
		w.plan.max_steps = 2 + (int64_t)rand_below(&r, 6);
		for (int i = 0; i < 150; i++)
			random_step(&w, &r, &inputs);
		come_to_rest(&w, &inputs);
		if (replay_session(w.replay)->state.phase != TURN_NONE ||
		    world_terminals(&w) != turns_in(&w))
			fail_msg("seed %llu: %zu turns, %zu terminals\n" STR_FMT,
				 (unsigned long long)seed, turns_in(&w), world_terminals(&w),
				 STR_ARG(buf_str(&w.trace)));
		world_release(&w);
	}
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, check_row);
	SUITE_TEST(&s, T3_a_model_nobody_knows_is_an_error_of_the_turn);
	SUITE_TEST(&s, T8_what_runs_is_what_was_judged);
	SUITE_TEST(&s, T7_the_result_names_the_tools_that_there_are);
	SUITE_TEST(&s, T7_a_call_that_is_nested_too_deep_is_an_error_of_the_call);
	SUITE_TEST(&s, T2_an_answer_without_end_is_no_answer);
	SUITE_TEST(&s, T2_more_calls_than_a_step_may_have_are_refused);
	SUITE_TEST(&s, T6_pieces_of_an_old_request_are_nobodys);
	SUITE_TEST(&s, T7_a_call_has_one_outcome);
	SUITE_TEST(&s, T3_no_model_for_a_turn_that_goes_on);
	SUITE_TEST(&s, Q3_a_steer_that_cannot_be_had_is_no_endless_loop);
	SUITE_TEST(&s, T2_a_turn_replays_byte_for_byte);
	SUITE_TEST(&s, T2_whatever_happens_every_turn_ends_once);
	return suite_run(&s, "core/turn_machine");
}

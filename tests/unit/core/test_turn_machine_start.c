#include "core/turn_machine.h"

#include "turn_world.h"

/* To the model's first request. */
#define ASK "msg a; open a; ok; ctx;"
/* Behind its answer with one call. */
#define CALL(name) ASK "call " name "; done;"

static const struct row {
	const char *name, *script, *want;
} ROWS[] = {
	{ "T8 a deny that came meanwhile closes a worker's call that was allowed",
	  CALL("worker") "ok; forbid; allow y $worker; go; ok; ok",
	  "{take status_running model_request_start} context model {release tool_use "
	  "model_request_end status_idle:requires_action} parked {take status_running "
	  "tool_result:denied} {keep model_request_start} context" },
	{ "H5 a drain puts the turn off and the next process goes on",
	  ASK "text x; drain; ok; go; ok; ok; ctx; done; ok",
	  "{take status_running model_request_start} context model +m ~m\"x\" stop-model {release "
	  "message!\"x\" model_request_end status_rescheduled:shutdown_timeout#1} -m put-off "
	  "{take status_running} {keep model_request_start} context/note model {release "
	  "model_request_end status_idle:end_turn} ended" },
	{ "H5 a drain before a restart is told from one before the end",
	  ASK "drain restart; ok; go; ok; ok; ctx; done; ok",
	  "{take status_running model_request_start} context model stop-model {release "
	  "model_request_end status_rescheduled:restart_timeout#1} put-off {take status_running} "
	  "{keep model_request_start} context/note model {release model_request_end "
	  "status_idle:end_turn} ended" },
	{ "H5 a drain that is too late stops what may be repeated once",
	  CALL("peek") "ok; drain; lose",
	  "{take status_running model_request_start} context model {keep tool_use "
	  "model_request_end} tool:peek stop:peek {release status_rescheduled:shutdown_timeout#1} "
	  "lost" },
	{ "H5 a drain closes what runs and leaves what waits",
	  ASK "call run; call client; done; ok; drain; ok; go; ok; ok",
	  "{take status_running model_request_start} context model {keep tool_use custom_tool_use "
	  "model_request_end} tool:run stop:run {release tool_result:interrupted "
	  "status_rescheduled:shutdown_timeout#1} put-off {take status_running} {release "
	  "status_idle:requires_action} parked" },
	{ "H5 a drain in a backoff", ASK "fail overloaded; ok; drain; ok",
	  "{take status_running model_request_start} context model {keep model_request_end "
	  "status_rescheduled:model_overloaded_error#1} wait {release "
	  "status_rescheduled:shutdown_timeout#1} no-retry put-off" },
	{ "T7 a crash closes a started call and keeps what was said",
	  CALL("run") "ok; crash; go; ok; ok; ok",
	  "{take status_running model_request_start} context model {keep tool_use "
	  "model_request_end} tool:run {break tool_result:interrupted "
	  "status_rescheduled:restart_interrupted#1} {take status_running} {keep "
	  "model_request_start} context/note" },
	{ "T7 a call that may be repeated is started again after a crash, under its own id",
	  ASK "call peek; call run; done; ok; tool run ok; crash; go; ok; ok; tool peek ok; ok",
	  "{take status_running model_request_start} context model {keep tool_use tool_use "
	  "model_request_end} tool:peek tool:run {keep tool_result:ok} {break "
	  "tool_result:interrupted status_rescheduled:restart_interrupted#1} {take "
	  "status_running} tool:peek {keep tool_result:ok model_request_start} context/note" },
	{ "T7 after a crash, too, calls that change files start one after the other",
	  ASK "call write {\"n\":1}; call write {\"n\":2}; call edit; done; ok; crash; go; ok; ok;"
	      "tool write ok; ok; tool write ok; ok",
	  "{take status_running model_request_start} context model {keep tool_use tool_use "
	  "tool_use model_request_end} tool:write {break tool_result:interrupted "
	  "status_rescheduled:restart_interrupted#1} {take status_running} tool:write {keep "
	  "tool_result:ok} tool:write {keep tool_result:ok model_request_start} context/note" },
	{ "T7 a drain stops the one that runs",
	  ASK "call write {\"n\":1}; call write {\"n\":2}; done; ok; drain; ok; go; ok",
	  "{take status_running model_request_start} context model {keep tool_use tool_use "
	  "model_request_end} tool:write stop:write {release "
	  "status_rescheduled:shutdown_timeout#1} put-off {take status_running} tool:write" },
	{ "T7 a drain tells what ran from what was held back",
	  ASK "call edit; call edit {\"n\":2}; done; ok; drain; ok",
	  "{take status_running model_request_start} context model {keep tool_use tool_use "
	  "model_request_end} tool:edit stop:edit {release tool_result:interrupted "
	  "tool_result:cancelled status_rescheduled:shutdown_timeout#1} put-off" },
	{ "T7 a drain before a call could start", CALL("run") "drain; ok; ok",
	  "{take status_running model_request_start} context model {keep tool_use "
	  "model_request_end} {release tool_result:cancelled "
	  "status_rescheduled:shutdown_timeout#1} put-off" },
	{ "T7 a call of another process may have run",
	  ASK "call edit; call edit {\"n\":2}; done; ok; crash; go; ok",
	  "{take status_running model_request_start} context model {keep tool_use tool_use "
	  "model_request_end} tool:edit {break tool_result:interrupted tool_result:interrupted "
	  "status_rescheduled:restart_interrupted#1} {take status_running}" },
	{ "T7 the same after a drain", CALL("peek") "ok; drain; ok; go; ok; tool peek ok; ok",
	  "{take status_running model_request_start} context model {keep tool_use "
	  "model_request_end} tool:peek stop:peek {release "
	  "status_rescheduled:shutdown_timeout#1} put-off {take status_running} tool:peek {keep "
	  "tool_result:ok model_request_start} context/note" },
	{ "T7 it is closed when the turn ends all the same",
	  CALL("peek") "ok; crash; interrupt i; go; ok",
	  "{take status_running model_request_start} context model {keep tool_use "
	  "model_request_end} tool:peek {break tool_result:interrupted status_idle:interrupted} "
	  "ended" },
	{ "T7 it is started again three times at most",
	  CALL("peek") "ok; crash; go; ok; ok; crash; go; ok; ok; crash; go; ok",
	  "{take status_running model_request_start} context model {keep tool_use "
	  "model_request_end} tool:peek {break status_rescheduled:restart_interrupted#1} {take "
	  "status_running} tool:peek {break status_rescheduled:restart_interrupted#2} {take "
	  "status_running} tool:peek {break tool_result:interrupted error "
	  "status_idle:interrupted} ended" },
	{ "T9 a crash leaves what waits alone",
	  ASK "call run; call client; done; ok; crash; go; ok; ok; ok",
	  "{take status_running model_request_start} context model {keep tool_use custom_tool_use "
	  "model_request_end} tool:run {break tool_result:interrupted "
	  "status_rescheduled:restart_interrupted#1} {take status_running} {release "
	  "status_idle:requires_action} parked" },
	{ "T7 a crash in mid-sentence", ASK "text hel; at 1000; text lo; crash; go; ok; ok; ok",
	  "{take status_running model_request_start} context model +m ~m\"hel\" save ~m\"lo\" "
	  "{break message!\"hel\" model_request_end status_rescheduled:restart_interrupted#1 "
	  "-partial} {take status_running} {keep model_request_start} context/note" },
	{ "T7 a crash in a backoff", ASK "fail overloaded; ok; crash; go; ok; ok; ok",
	  "{take status_running model_request_start} context model {keep model_request_end "
	  "status_rescheduled:model_overloaded_error#1} wait {break "
	  "status_rescheduled:restart_interrupted#1} {take status_running} {keep "
	  "model_request_start} context/note" },
	{ "T7 the third crash ends the turn",
	  ASK "crash; go; ok; ok; crash; go; ok; ok; crash; go; ok",
	  "{take status_running model_request_start} context model {break model_request_end "
	  "status_rescheduled:restart_interrupted#1} {take status_running} {keep "
	  "model_request_start} {break status_rescheduled:restart_interrupted#2} {take "
	  "status_running} {keep model_request_start} {break error status_idle:interrupted} "
	  "ended" },
	{ "T7 a crash long ago ends the turn", ASK "crash; at 3600001; go; ok",
	  "{take status_running model_request_start} context model {break model_request_end error "
	  "status_idle:interrupted} ended" },
	{ "Q5 an interrupt after a crash ends the turn", ASK "crash; interrupt i; go; ok",
	  "{take status_running model_request_start} context model {break model_request_end "
	  "status_idle:interrupted} ended" },
};

static void
check_row(void **state)
{
	const struct row *row = *state;
	struct world w;

	world_init(&w, 1);
	world_run(&w, row->script);
	check_str(row->name, str_trim(buf_str(&w.trace)), str_of(row->want));
	world_release(&w);
}

/* A machine for the open turn of w as a dead process left it, judged like this. */
static void
recover_as(struct world *w, struct recover_turn_plan plan)
{
	world_run(w, ASK "crash");
	w->plan.how = TURN_RECOVERS;
	w->plan.recover = plan;
	w->plan.reason = RECOVER_RESTART_INTERRUPTED;
	w->plan.consumes = (struct str_list){ 0 };
	w->plan_head = replay_session(w->replay)->head_seq;
	buf_clear(&w->trace);
	w->machine = turn_machine_new(&w->arena, &w->plan);
	world_input(w, (struct turn_input){ .kind = TURN_IN_START });
}

static void
H5_a_turn_that_is_given_up_says_why(void **state)
{
	static const struct {
		enum recover_why why;
		struct str part;
	} REASONS[] = {
		{ RECOVER_WHY_ATTEMPTS, STR("too often") },
		{ RECOVER_WHY_STALE, STR("too long") },
		{ RECOVER_WHY_UNAUTHORISED, STR("no longer") },
		{ RECOVER_WHY_SUSPENDED, STR("suspended") },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(REASONS); i++) {
		struct world w;

		world_init(&w, 1);
		recover_as(&w, (struct recover_turn_plan){ .turn = RECOVER_TURN_INTERRUPT,
							   .why = REASONS[i].why });
		world_run(&w, "ok");
		assert_true(str_contains(w.log.ptr[w.log.len - 2].payload, REASONS[i].part));
		assert_int_equal(w.finish, TURN_FINISH_ENDED);
		world_release(&w);
	}
}

static void
H5_a_turn_that_is_held_waits_for_somebody(void **state)
{
	struct world w;

	(void)state;
	world_init(&w, 1);
	recover_as(&w, (struct recover_turn_plan){ .turn = RECOVER_TURN_HOLD, .attempt = 1 });
	world_run(&w, "ok");
	check_str("trace", str_trim(buf_str(&w.trace)),
		  STR("{break status_rescheduled:restart_interrupted#1} put-off"));
	world_release(&w);
}

static void
H5_a_drain_right_after_a_recovery_leaves_it_at_that(void **state)
{
	struct world w;

	(void)state;
	world_init(&w, 1);
	recover_as(&w, (struct recover_turn_plan){ .turn = RECOVER_TURN_CONTINUE, .attempt = 1 });
	world_run(&w, "drain; ok");
	check_str("trace", str_trim(buf_str(&w.trace)),
		  STR("{break status_rescheduled:restart_interrupted#1} put-off"));
	world_release(&w);
}

static void
T9_a_parked_turn_has_work_once_an_answer_changes_something(void **state)
{
	struct world w;

	(void)state;
	world_init(&w, 1);
	world_run(&w, ASK "call ask; call client; done; ok; allow y $ask; go; ok");
	assert_true(turn_machine_has_work(&w.arena, &w.plan));
	world_run(&w, "go"); /* the same again: nothing is new */
	assert_false(turn_machine_has_work(&w.arena, &w.plan));
	world_run(&w, "custom r $client; go");
	assert_true(turn_machine_has_work(&w.arena, &w.plan));
	world_release(&w);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, check_row);
	SUITE_TEST(&s, H5_a_turn_that_is_given_up_says_why);
	SUITE_TEST(&s, H5_a_turn_that_is_held_waits_for_somebody);
	SUITE_TEST(&s, H5_a_drain_right_after_a_recovery_leaves_it_at_that);
	SUITE_TEST(&s, T9_a_parked_turn_has_work_once_an_answer_changes_something);
	return suite_run(&s, "core/turn_machine_start");
}

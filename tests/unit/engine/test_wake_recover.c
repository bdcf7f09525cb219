/* What a start finds, through engine/wake: turns that nobody runs, leases of dead processes, drains. */
#include "engine/turn.h"
#include "engine/wake.h"
#include "turn_rig.h"

static void
Q7_a_dead_process_loses_its_lease_and_writes_nothing_more(void **state)
{
	struct rig r;
	struct engine *dead;

	(void)state;
	rig_init(&r, true);
	rig_session(&r, "s", "main");
	rig_post(&r, "s", "say half\nwait 10\nsay whole");
	rig_advance(&r, 3000); /* what was said is saved */
	dead = rig_kill(&r);
	rig_advance(&r, 20000); /* both of them go on */
	check_str("log", rig_log(&r, "s", 3),
		  STR("status_running model_request_start message!\"half\" model_request_end "
		      "status_rescheduled:restart_interrupted#1 status_running "
		      "model_request_start message\"half\\nwhole\" model_request_end "
		      "status_idle:end_turn"));
	assert_false(rig_has_record(&r, RECORD_PARTIAL, "s"));
	rig_bury(&r, dead);
	assert_int_equal(rig_head(&r, "s"), 12);
	rig_release(&r);
}

/* The dead one is a few seconds ahead, and what it wants to write does not end the turn. */
static void
Q7_a_dead_process_adds_nothing_to_a_turn(void **state)
{
	struct rig r;
	struct engine *dead;

	(void)state;
	rig_init(&r, true);
	rig_session(&r, "s", "main");
	rig_post(&r, "s", "wait 10\ntool a\nsay b");
	rig_advance(&r, 3000);
	dead = rig_kill(&r);
	rig_advance(&r, 8000); /* the dead one has its answer */
	assert_int_equal(rig_head(&r, "s"), 8);
	rig_advance(&r, 5000);
	check_str("log", rig_log(&r, "s", 9),
		  STR("tool_use model_request_end tool_result:error model_request_start "
		      "message\"a: there is no tool named a; known: session_directive\\nb\" "
		      "model_request_end status_idle:end_turn"));
	rig_bury(&r, dead);
	rig_release(&r);
}

static void
Q7_a_long_answer_for_nobody_is_stopped(void **state)
{
	static const struct scripted_step STEPS[] = {
		{ SCRIPTED_WAIT, .wait_ms = 5000 }, /* of the first process ... */
		{ SCRIPTED_WAIT, .wait_ms = -1 },   /* of the second */
		{ SCRIPTED_TEXT, STR("x") },        /* ... which says something now */
		{ SCRIPTED_WAIT, .wait_ms = -1 },
	};
	struct rig r;
	struct engine *dead;

	(void)state;
	rig_init(&r, true);
	provider_scripted_play(r.scripted, STEPS, ARRAY_LEN(STEPS));
	rig_session(&r, "s", "script");
	rig_post(&r, "s", "go");
	dead = rig_kill(&r);
	assert_int_equal(provider_scripted_open(r.scripted), 2);
	rig_advance(&r, 7000); /* what it said cannot be saved: the lease is another's */
	assert_int_equal(provider_scripted_open(r.scripted), 1);
	rig_interrupt(&r, "s");
	rig_bury(&r, dead);
	rig_release(&r);
}

static void
T7_what_another_turn_said_is_not_kept_for_this_one(void **state)
{
	struct rig r;
	struct engine *dead;

	(void)state;
	rig_init(&r, true);
	rig_session(&r, "s", "main");
	rig_post(&r, "s", "wait 100");
	rig_put(&r, RECORD_PARTIAL, "s", "turn_old",
		"{\"event_id\":\"sevt_old\",\"model\":\"demo\",\"text\":\"old\"}");
	dead = rig_kill(&r);
	check_str("log", rig_log(&r, "s", 5),
		  STR("model_request_end status_rescheduled:restart_interrupted#1 "
		      "status_running model_request_start"));
	assert_false(rig_has_record(&r, RECORD_PARTIAL, "s"));
	rig_bury(&r, dead);
	rig_release(&r);
}

static void
H5_the_third_death_ends_the_turn(void **state)
{
	struct rig r;
	struct engine *dead[3];

	(void)state;
	rig_init(&r, true);
	rig_session(&r, "s", "main");
	rig_post(&r, "s", "wait 100");
	for (int i = 0; i < 3; i++)
		dead[i] = rig_kill(&r);
	rig_settle(&r);
	check_str("log", rig_log(&r, "s", 5),
		  STR("model_request_end status_rescheduled:restart_interrupted#1 "
		      "status_running model_request_start model_request_end "
		      "status_rescheduled:restart_interrupted#2 status_running "
		      "model_request_start model_request_end error:unknown_error "
		      "status_idle:interrupted"));
	for (int i = 0; i < 3; i++)
		rig_bury(&r, dead[i]);
	rig_release(&r);
}

static void
H5_what_was_open_long_ago_is_not_continued(void **state)
{
	struct rig r;
	struct engine *dead;

	(void)state;
	rig_init(&r, true);
	rig_session(&r, "s", "main");
	rig_post(&r, "s", "wait 3600");
	r.host.now_ms += 3600001;
	dead = rig_kill(&r);
	check_str("log", rig_log(&r, "s", 5),
		  STR("model_request_end error:unknown_error status_idle:interrupted"));
	rig_bury(&r, dead);
	rig_release(&r);
}

static void
Q1_pending_messages_run_after_a_restart(void **state)
{
	struct rig r;
	struct engine *dead;

	(void)state;
	rig_init(&r, true);
	rig_session(&r, "s", "main");
	rig_post(&r, "s", "wait 1000");
	rig_post(&r, "s", "say queued");
	dead = rig_kill(&r);
	rig_interrupt(&r, "s");
	check_str("log", rig_log(&r, "s", 6),
		  STR("model_request_end status_rescheduled:restart_interrupted#1 status_running "
		      "model_request_start interrupt model_request_end status_idle:interrupted+ "
		      "status_running model_request_start message\"queued\" model_request_end "
		      "status_idle:end_turn"));
	rig_bury(&r, dead);
	rig_release(&r);
}

static void
T9_a_restart_leaves_parked_turns_alone(void **state)
{
	struct rig r;
	struct engine *dead;
	int64_t head;

	(void)state;
	rig_init(&r, true);
	rig_agent(&r, "asks",
		  "{\"id\":\"asks\",\"version\":1,\"model\":\"demo\",\"tools\":[{"
		  "\"type\":\"custom\",\"name\":\"color\"}]}");
	rig_session(&r, "s", "asks");
	rig_post(&r, "s", "tool color {}");
	head = rig_head(&r, "s");
	dead = rig_kill(&r);
	assert_int_equal(rig_head(&r, "s"), head);
	rig_bury(&r, dead);
	rig_release(&r);
}

static void
H5_a_drain_lets_turns_end(void **state)
{
	struct rig r;

	(void)state;
	rig_init(&r, true);
	rig_session(&r, "s", "main");
	rig_post(&r, "s", "wait 5\nsay a");
	rig_restart(&r, 10000);
	check_str("log", rig_log(&r, "s", 5),
		  STR("message\"a\" model_request_end status_idle:end_turn"));
	rig_release(&r);
}

static void
drain_and_continue(bool mem)
{
	struct rig r;

	rig_init(&r, mem);
	rig_session(&r, "s", "main");
	rig_watch(&r, "s");
	rig_post(&r, "s", "say a\nwait 60\nsay b");
	rig_await_preview(&r, "~m\"a\"");
	rig_post(&r, "s", "say c"); /* waits in the queue meanwhile */
	rig_restart(&r, 1000);
	rig_await_log(&r, "s", 6,
		      ("message!\"a\" model_request_end status_rescheduled:shutdown_timeout#1 "
		       "status_running model_request_start message\"a\\nb\" model_request_end "
		       "status_idle:end_turn status_running model_request_start message\"c\" "
		       "model_request_end status_idle:end_turn"));
	rig_release(&r);
}

static void
H5_a_drain_that_times_out_puts_the_turn_off(void **state)
{
	(void)state;
	drain_and_continue(true);
}

static void
H5_the_same_in_sqlite(void **state)
{
	(void)state;
	drain_and_continue(false);
}

static void
H5_at_most_sixteen_at_once(void **state)
{
	enum { SESSIONS = 40 };
	static const struct scripted_step STEPS[] = { { SCRIPTED_WAIT, .wait_ms = -1 } };
	struct scripted_step steps[SESSIONS * 2];
	struct rig r;
	struct engine *dead;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(steps); i++)
		steps[i] = STEPS[0];
	rig_init(&r, true);
	provider_scripted_play(r.scripted, steps, ARRAY_LEN(steps));
	for (int i = 0; i < SESSIONS; i++) {
		const char *id = arena_printf(&r.arena, "s%d", i).ptr;
		rig_session(&r, id, "script");
		rig_post(&r, id, "go");
	}
	assert_int_equal(provider_scripted_open(r.scripted), SESSIONS);
	dead = rig_kill(&r);
	rig_settle(&r);
	assert_int_equal(provider_scripted_open(r.scripted), SESSIONS + 16);
	for (int i = 0; i < SESSIONS; i++)
		rig_interrupt(&r, arena_printf(&r.arena, "s%d", i).ptr);
	for (int i = 0; i < SESSIONS; i++)
		assert_int_equal(rig_row(&r, arena_printf(&r.arena, "s%d", i).ptr)->row.state.phase,
				 TURN_NONE);
	rig_bury(&r, dead);
	rig_release(&r);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, Q7_a_dead_process_loses_its_lease_and_writes_nothing_more);
	SUITE_TEST(&s, Q7_a_dead_process_adds_nothing_to_a_turn);
	SUITE_TEST(&s, Q7_a_long_answer_for_nobody_is_stopped);
	SUITE_TEST(&s, T7_what_another_turn_said_is_not_kept_for_this_one);
	SUITE_TEST(&s, H5_the_third_death_ends_the_turn);
	SUITE_TEST(&s, H5_what_was_open_long_ago_is_not_continued);
	SUITE_TEST(&s, Q1_pending_messages_run_after_a_restart);
	SUITE_TEST(&s, T9_a_restart_leaves_parked_turns_alone);
	SUITE_TEST(&s, H5_a_drain_lets_turns_end);
	SUITE_TEST(&s, H5_a_drain_that_times_out_puts_the_turn_off);
	SUITE_TEST(&s, H5_the_same_in_sqlite);
	SUITE_TEST(&s, H5_at_most_sixteen_at_once);
	return suite_run(&s, "engine/wake_recover");
}

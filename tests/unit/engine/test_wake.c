#include "engine/wake.h"

#include "engine/turn.h"
#include "engine/wake_queue.h"
#include "turn_rig.h"

static void
Q2_nothing_pending_nothing_happens(void **state)
{
	struct rig r;

	(void)state;
	rig_init(&r, true);
	rig_session(&r, "s", "main");
	rig_wake(&r, "s");
	assert_int_equal(r.rc, 0);
	rig_wake(&r, "s");
	assert_int_equal(rig_head(&r, "s"), 1);
	rig_wake(&r, "absent");
	assert_int_equal(r.rc, ERR_NOT_FOUND);
	rig_release(&r);
}

static void
Q1_messages_run_one_turn_each_in_order(void **state)
{
	struct rig r;

	(void)state;
	rig_init(&r, true);
	rig_session(&r, "s", "main");
	rig_post(&r, "s", "wait 5\nsay a");
	rig_post(&r, "s", "say b");
	assert_int_equal(r.position, 1);
	rig_post(&r, "s", "say c");
	assert_int_equal(r.position, 2);
	rig_advance(&r, 5000);
	check_str("log", rig_log(&r, "s", 7),
		  STR("message\"a\" model_request_end status_idle:end_turn status_running "
		      "model_request_start message\"b\" model_request_end status_idle:end_turn "
		      "status_running model_request_start message\"c\" model_request_end "
		      "status_idle:end_turn"));
	rig_release(&r);
}

/* A little of what is to be done, no more. */
static void
do_some(struct rig *r, int steps)
{
	for (int i = 0; i < steps; i++) {
		if (!list_is_empty(&r->host.tasks)) {
			struct host_task *t =
				LIST_OWNER(r->host.tasks.next, struct host_task, node);
			list_remove(&t->node);
			t->fn(t);
		} else {
			store_dispatch(r->store);
		}
	}
}

/* Each second message is committed at another moment of the turn before. */
static void
check_both_run(bool store_first)
{
	for (int gap = 0; gap < 40; gap++) {
		struct rig r;
		struct str log;

		rig_init(&r, true);
		rig_session(&r, "s", "main");
		rig_post_later(&r, "s", "say a");
		do_some(&r, gap);
		rig_post_later(&r, "s", "say b");
		for (int i = 0; store_first && i < 20; i++)
			store_dispatch(r.store);
		rig_advance(&r, 1000);
		log = rig_log(&r, "s", 2);
		if (!str_contains(log, STR("message\"a\"")) ||
		    !str_contains(log, STR("message\"b\"")) ||
		    !str_ends(log, STR("status_idle:end_turn")))
			fail_msg("gap %d: " STR_FMT, gap, STR_ARG(log));
		rig_release(&r);
	}
}

/* Between its last look and its terminal, during the terminal's commit, after it. */
static void
Q2_no_wake_up_is_lost(void **state)
{
	(void)state;
	check_both_run(false);
}

/* The turn has ended, but is not off its actor yet, and the store is faster than that. */
static void
Q2_no_wake_up_is_lost_on_a_turn_that_has_ended(void **state)
{
	(void)state;
	check_both_run(true);
}

/* Whatever the moment: one that stands in the log before the turn begins is the one that begins it, one
 * behind that ends it. */
static void
Q3_no_interrupting_message_is_missed_by_a_turn_that_begins(void **state)
{
	int before = 0, within = 0;

	(void)state;
	for (int gap = 0; gap < 40; gap++) {
		struct rig r;
		struct str log;

		rig_init(&r, true);
		rig_session(&r, "s", "main");
		rig_post_later(&r, "s", "wait 60\nsay a");
		do_some(&r, gap);
		rig_post_busy(&r, "s", "say b", BUSY_INTERRUPT);
		rig_advance(&r, 70000);
		log = rig_log(&r, "s", 2);
		if (str_eq(log, STR("message interrupt message status_running model_request_start "
				    "message\"b\" model_request_end status_idle:end_turn "
				    "status_running model_request_start message\"a\" "
				    "model_request_end status_idle:end_turn")))
			before++;
		else if (str_eq(log,
				STR("message status_running model_request_start interrupt message "
				    "model_request_end status_idle:interrupted+ status_running "
				    "model_request_start message\"b\" model_request_end "
				    "status_idle:end_turn")))
			within++;
		else
			fail_msg("gap %d: " STR_FMT, gap, STR_ARG(log));
		rig_release(&r);
	}
	assert_true(before > 3 && within > 3);
}

/* Wakes that an interrupt cancels before the turn begins start none. */
static void
Q5_no_interrupt_is_missed_by_a_turn_that_a_wake_begins(void **state)
{
	int before = 0, within = 0;

	(void)state;
	for (int gap = 0; gap < 30; gap++) {
		struct rig r;
		struct str log;

		rig_init(&r, true);
		rig_session(&r, "s", "main");
		rig_put(&r, RECORD_WAKE, "wake_1", "s", "{\"id\":\"wake_1\",\"reason\":\"r\"}");
		wake_session(r.en, STR("s"));
		do_some(&r, gap);
		rig_interrupt(&r, "s");
		rig_advance(&r, 60000);
		log = rig_log(&r, "s", 2);
		assert_int_equal(rig_count_records(&r, RECORD_WAKE, "s"), 0);
		if (str_eq(log, STR("interrupt")))
			before++;
		else if (str_contains(log, STR("status_running")) &&
			 !str_contains(log, STR("interrupt system_message")))
			within++;
		else
			fail_msg("gap %d: " STR_FMT, gap, STR_ARG(log));
		rig_release(&r);
	}
	assert_true(before > 2 && within > 2);
}

static void
on_queued(void *ctx, const struct commit_result *result)
{
	assert_int_equal(result->store->rc, 0);
	*(bool *)ctx = true;
}

/* Each of them is queued at another moment of a turn, due at once. */
static void
Q2_no_wake_that_comes_meanwhile_is_lost(void **state)
{
	(void)state;
	for (int gap = 0; gap < 40; gap++) {
		struct rig r;
		struct commit *c;
		struct str log;
		bool queued = false;

		rig_init(&r, true);
		rig_session(&r, "s", "main");
		rig_post_later(&r, "s", "say a");
		do_some(&r, gap);
		c = commit_new(r.en, (struct str){ 0 });
		wake_queue_add(r.en, c, STR("s"),
			       &(struct queued_wake){ .item = { .due_ms = r.host.now_ms,
								.reason = STR("by itself") } },
			       (struct wake_list){ 0 });
		commit_submit(c, on_queued, &queued);
		rig_settle_until(&r, &queued);
		rig_settle(&r);
		log = rig_log(&r, "s", 2);
		if (!str_contains(log, STR("message\"a\"")) ||
		    !str_ends(log, STR("status_idle:end_turn")) ||
		    rig_count_records(&r, RECORD_WAKE, "s") != 0)
			fail_msg("gap %d: " STR_FMT, gap, STR_ARG(log));
		rig_release(&r);
	}
}

/* The terminal's commit says that nothing is left: nobody has to read it again. */
static void
Q2_a_turn_that_leaves_nothing_is_not_looked_behind(void **state)
{
	struct rig r;

	(void)state;
	rig_init(&r, true);
	rig_session(&r, "s", "main");
	rig_post(&r, "s", "say a");
	assert_int_equal(r.wake_reads, 0);
	rig_put(&r, RECORD_WAKE, "wake_1", "s", "{\"id\":\"wake_1\",\"reason\":\"r\"}");
	rig_post(&r, "s", "say b");
	assert_true(r.wake_reads > 0);
	assert_int_equal(rig_count_records(&r, RECORD_WAKE, "s"), 0); /* it ran */
	rig_release(&r);
}

static void
Q3_an_interrupting_message_runs_before_the_queue(void **state)
{
	struct rig r;

	(void)state;
	rig_init(&r, true);
	rig_session(&r, "s", "main");
	rig_post(&r, "s", "say half\nwait 60");
	rig_post(&r, "s", "say queued");
	rig_post_busy(&r, "s", "say urgent", BUSY_INTERRUPT);
	check_str("log", rig_log(&r, "s", 6),
		  STR("interrupt message message!\"half\" model_request_end "
		      "status_idle:interrupted+ status_running model_request_start "
		      "message\"urgent\" model_request_end status_idle:end_turn status_running "
		      "model_request_start message\"queued\" model_request_end "
		      "status_idle:end_turn"));
	rig_release(&r);
}

static void
Q3_a_steer_enters_the_running_turn(void **state)
{
	static const struct scripted_step STEPS[] = {
		{ SCRIPTED_WAIT, .wait_ms = 1000 },
		{ SCRIPTED_CALL, .call = { STR("c"), STR("look"), STR("{}") } },
		{ SCRIPTED_DONE, .stop = PROVIDER_STOP_TOOLS },
	};
	struct rig r;

	(void)state;
	rig_init(&r, true);
	provider_scripted_play(r.scripted, STEPS, ARRAY_LEN(STEPS));
	rig_session(&r, "s", "script");
	rig_post(&r, "s", "go");
	rig_post_busy(&r, "s", "left", BUSY_STEER);
	rig_advance(&r, 1000);
	check_str("log", rig_log(&r, "s", 5),
		  STR("message tool_use model_request_end tool_result:error input_consumed "
		      "model_request_start message\"over\" model_request_end "
		      "status_idle:end_turn"));
	rig_release(&r);
}

static void
Q3_a_steer_that_was_taken_back_does_not_stop_the_turn(void **state)
{
	static const struct scripted_step STEPS[] = {
		{ SCRIPTED_WAIT, .wait_ms = 1000 },
		{ SCRIPTED_CALL, .call = { STR("c"), STR("look"), STR("{}") } },
		{ SCRIPTED_DONE, .stop = PROVIDER_STOP_TOOLS },
	};
	struct rig r;

	(void)state;
	rig_init(&r, true);
	provider_scripted_play(r.scripted, STEPS, ARRAY_LEN(STEPS));
	rig_session(&r, "s", "script");
	rig_post(&r, "s", "go");
	rig_post_busy(&r, "s", "left", BUSY_STEER);
	rig_append(&r, "s", EVENT_INPUT_CANCELLED,
		   "{\"type\":\"session.input_cancelled\",\"all\":true}");
	rig_advance(&r, 1000);
	check_str("log", rig_log(&r, "s", 5),
		  STR("message input_cancelled tool_use model_request_end tool_result:error "
		      "model_request_start message\"over\" model_request_end "
		      "status_idle:end_turn"));
	rig_release(&r);
}

static void
Q3_what_is_bound_to_a_message_goes_with_it(void **state)
{
	struct rig r;

	(void)state;
	rig_init(&r, true);
	rig_session(&r, "s", "main");
	rig_send(&r, "s",
		 "[{\"type\":\"user.message\",\"content\":[{\"type\":\"text\",\"text\":"
		 "\"say a\"}]},{\"type\":\"system.message\",\"content\":[{\"type\":\"text\","
		 "\"text\":\"rule\"}]}]");
	assert_int_equal(rig_pending(&r, "s"), 0);
	assert_true(str_ends(rig_log(&r, "s", 2), STR("status_idle:end_turn")));
	rig_release(&r);
}

static void
Q3_a_burst_is_collected_once_it_is_quiet(void **state)
{
	struct rig r;

	(void)state;
	rig_init(&r, true);
	rig_session(&r, "s", "main");
	rig_post_busy(&r, "s", "say a", BUSY_COLLECT);
	rig_advance(&r, 1000);
	rig_post_busy(&r, "s", "say b", BUSY_COLLECT);
	rig_advance(&r, 1499);
	assert_int_equal(rig_head(&r, "s"), 3);
	rig_advance(&r, 1);
	check_str("log", rig_log(&r, "s", 4),
		  STR("status_running model_request_start message\"a\\nb\" model_request_end "
		      "status_idle:end_turn"));
	rig_release(&r);
}

/* ---- a store that fails ---- */

static void
Q7_a_turn_whose_commit_failed_is_recovered(void **state)
{
	struct rig r;

	(void)state;
	rig_init(&r, true);
	rig_session(&r, "s", "main");
	rig_post(&r, "s", "wait 3\nsay a");
	r.fail_appends = 1; /* the terminal */
	rig_advance(&r, 3000);
	assert_int_equal(rig_row(&r, "s")->row.state.phase, TURN_RUNNING);
	r.fail_appends = 2; /* and the first attempts to recover */
	rig_advance(&r, 60000);
	check_str("log", rig_log(&r, "s", 5),
		  STR("model_request_end status_rescheduled:restart_interrupted#1 status_running "
		      "model_request_start message\"a\" model_request_end "
		      "status_idle:end_turn"));
	rig_release(&r);
}

/* A full disk stays full for a while: a try a second is plenty. */
static void
Q1_a_turn_that_cannot_begin_is_tried_again_without_haste(void **state)
{
	struct rig r;

	(void)state;
	rig_init(&r, true);
	rig_session(&r, "s", "main");
	rig_post_later(&r, "s", "say b");
	while (!r.answered)
		store_dispatch(r.store);
	r.fail_appends = 100;
	rig_settle(&r);
	rig_advance(&r, 10000);
	assert_int_equal(rig_head(&r, "s"), 2);
	assert_in_range(r.fail_appends, 85, 95);
	r.fail_appends = 0;
	rig_advance(&r, 1500);
	assert_true(str_contains(rig_log(&r, "s", 2), STR("message\"b\"")));
	rig_release(&r);
}

static void
Q2_a_look_that_failed_is_repeated(void **state)
{
	struct rig r;

	(void)state;
	rig_init(&r, true);
	rig_session(&r, "s", "main");
	rig_post_later(&r, "s", "say b");
	while (!r.answered) /* its own reads are through by then */
		store_dispatch(r.store);
	r.fail_reads = 3;
	rig_settle(&r);
	assert_int_equal(r.fail_reads, 2);
	assert_int_equal(rig_head(&r, "s"), 2);
	rig_advance(&r, 10000);
	assert_true(str_contains(rig_log(&r, "s", 2), STR("message\"b\"")));
	rig_release(&r);
}

static void
Q2_a_message_that_may_be_stored_is_looked_at(void **state)
{
	struct rig r;

	(void)state;
	rig_init(&r, true);
	rig_session(&r, "s", "main");
	r.unsure_appends = 1;
	rig_try(&r, "s", "say a", BUSY_QUEUE);
	assert_int_equal(r.rc, ERR_UNAVAILABLE);
	assert_true(str_contains(rig_log(&r, "s", 2), STR("message\"a\"")));
	rig_release(&r);
}

/* The turn may have been opened: then this process holds a lease and does not know it. */
static void
Q7_a_lease_that_may_be_ours_is_taken_back(void **state)
{
	struct rig r;

	(void)state;
	rig_init(&r, true);
	rig_session(&r, "s", "main");
	rig_post_later(&r, "s", "say a");
	while (!r.answered)
		store_dispatch(r.store);
	r.unsure_appends = 1;
	rig_settle(&r);
	assert_int_equal(rig_row(&r, "s")->row.state.phase, TURN_RUNNING);
	rig_advance(&r, 5000);
	check_str("log", rig_log(&r, "s", 3),
		  STR("status_running model_request_start model_request_end "
		      "status_rescheduled:restart_interrupted#1 status_running "
		      "model_request_start message\"a\" model_request_end "
		      "status_idle:end_turn"));
	rig_release(&r);
}

/* A look sees the lease before the answer says that it is ours. */
static void
Q7_a_lease_that_is_just_being_taken_is_not_lost(void **state)
{
	struct rig r;
	struct engine *dead;

	(void)state;
	rig_init(&r, true);
	rig_session(&r, "s", "main");
	rig_post(&r, "s", "wait 10\nsay a");
	r.hold_append = 3; /* the start is counted, the lease broken, then taken */
	dead = rig_kill(&r);
	rig_post(&r, "s", "say b");
	rig_let_go(&r);
	rig_advance(&r, 20000);
	check_str("log", rig_log(&r, "s", 5),
		  STR("model_request_end status_rescheduled:restart_interrupted#1 status_running "
		      "message model_request_start message\"a\" model_request_end "
		      "status_idle:end_turn status_running model_request_start message\"b\" "
		      "model_request_end status_idle:end_turn"));
	rig_bury(&r, dead);
	rig_release(&r);
}

/* ---- whatever happens ---- */

enum { SESSIONS = 3, DEATHS_MAX = 4 };
static const char *const NAMES[SESSIONS] = { "s0", "s1", "s2" };

static void
random_act(struct rig *r, struct rand *rnd, struct engine **dead, size_t *deaths)
{
	static const char *const TEXTS[] = {
		"say a",           "say a\nwait 2\nsay b", "tool no {}\nsay c",
		"fail overloaded", "fail disconnect",      "wait 30",
		"think x\nsay d",  "fail context_length",  "tool ask {}\nsay e",
	};
	static const enum busy_mode BUSY[] = { BUSY_QUEUE, BUSY_QUEUE, BUSY_STEER, BUSY_INTERRUPT,
					       BUSY_COLLECT };
	const char *session = NAMES[rand_below(rnd, SESSIONS)];

	switch (rand_below(rnd, 10)) {
	case 0: r->fail_appends = (int)rand_below(rnd, 3); return;
	case 1: r->fail_reads = (int)rand_below(rnd, 3); return;
	case 2:
	case 3: rig_advance(r, (int64_t)rand_below(rnd, 4000)); return;
	case 4: rig_wake(r, session); return;
	case 5:
		if (*deaths < DEATHS_MAX && rand_below(rnd, 4) == 0) {
			r->fail_appends = r->fail_reads = 0;
			dead[(*deaths)++] = rig_kill(r);
		}
		return;
	case 6:
		if (rig_row(r, session)->row.state.phase != TURN_NONE && r->fail_appends == 0)
			rig_interrupt(r, session);
		return;
	default:
		rig_try(r, session, TEXTS[rand_below(rnd, ARRAY_LEN(TEXTS))],
			BUSY[rand_below(rnd, ARRAY_LEN(BUSY))]);
		return;
	}
}

static bool
is_at_rest(struct rig *r)
{
	for (size_t i = 0; i < SESSIONS; i++)
		if (rig_row(r, NAMES[i])->row.state.phase != TURN_NONE ||
		    rig_pending(r, NAMES[i]) > 0)
			return false;
	return true;
}

/* Clients come and go, the disk fills up, processes die: in the end every session is at rest, and its
 * log is one that core/replay accepts (rig_log checks), with a terminal for each turn. */
static void
T2_whatever_happens_every_session_comes_to_rest(void **state)
{
	uint64_t seeds = suite_seeds(40);

	(void)state;
	for (uint64_t seed = 0; seed < seeds; seed++) {
		struct engine *dead[DEATHS_MAX];
		size_t deaths = 0;
		struct rand rnd;
		struct rig r;

		rand_init_seed(&rnd, seed);
		rig_init(&r, true);
		rig_agent(&r, "asks",
			  "{\"id\":\"asks\",\"version\":1,\"model\":\"demo\","
			  "\"tools\":[{\"type\":\"custom\",\"name\":\"ask\"}]}");
		for (size_t i = 0; i < SESSIONS; i++)
			rig_session(&r, NAMES[i], i == 0 ? "asks" : "main");
		for (int i = 0; i < 60; i++)
			random_act(&r, &rnd, dead, &deaths);
		r.fail_appends = r.fail_reads = 0;
		for (int i = 0; i < 100 && !is_at_rest(&r); i++) {
			rig_advance(&r, 100000);
			if (rig_row(&r, NAMES[0])->row.state.phase == TURN_PARKED)
				rig_interrupt(&r, NAMES[0]);
		}
		if (!is_at_rest(&r))
			fail_msg("seed %llu: " STR_FMT, (unsigned long long)seed,
				 STR_ARG(rig_log(&r, NAMES[0], 1)));
		for (size_t i = 0; i < deaths; i++)
			rig_bury(&r, dead[i]);
		rig_release(&r);
	}
}

static void
post_asking(struct rig *r, const char *text, const char *model)
{
	rig_try_message(r, "s",
			&(struct engine_message){ .text = str_of(text), .model = str_of(model) });
}

static bool
asked_model(struct rig *r, int64_t seq, const char *model)
{
	const struct event *ev = rig_event_at(r, "s", seq);

	return ev->kind == EVENT_MODEL_REQUEST_START &&
	       str_contains(ev->payload, arena_printf(&r->arena, "\"model\":\"%s\"", model));
}

static void
T3_a_message_names_the_model_of_its_turn_also_after_a_restart(void **state)
{
	struct engine *dead;
	struct rig r;

	(void)state;
	rig_init(&r, true);
	rig_session(&r, "s", "script");
	post_asking(&r, "wait 10", "demo");
	rig_advance(&r, 3000);
	assert_true(asked_model(&r, 4, "demo"));
	dead = rig_kill(&r);
	rig_advance(&r, 20000);
	assert_true(str_ends(rig_log(&r, "s", 3), STR("status_idle:end_turn")));
	assert_true(asked_model(&r, 8, "demo"));
	rig_bury(&r, dead);
	rig_post(&r, "s", "and without");
	assert_true(asked_model(&r, rig_head(&r, "s") - 3, "scripted"));
	rig_release(&r);
}

static void
T3_an_unknown_model_is_refused_with_the_known_ones(void **state)
{
	struct rig r;

	(void)state;
	rig_init(&r, true);
	rig_session(&r, "s", "main");
	post_asking(&r, "hi", "dmeo");
	assert_int_equal(r.rc, ERR_INVALID);
	assert_true(str_starts(str_of(r.err.text), STR("model: ")));
	assert_int_equal(rig_head(&r, "s"), 1);
	rig_release(&r);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, Q2_nothing_pending_nothing_happens);
	SUITE_TEST(&s, Q1_messages_run_one_turn_each_in_order);
	SUITE_TEST(&s, Q2_no_wake_up_is_lost);
	SUITE_TEST(&s, Q2_no_wake_up_is_lost_on_a_turn_that_has_ended);
	SUITE_TEST(&s, Q2_no_wake_that_comes_meanwhile_is_lost);
	SUITE_TEST(&s, Q2_a_turn_that_leaves_nothing_is_not_looked_behind);
	SUITE_TEST(&s, Q3_no_interrupting_message_is_missed_by_a_turn_that_begins);
	SUITE_TEST(&s, Q5_no_interrupt_is_missed_by_a_turn_that_a_wake_begins);
	SUITE_TEST(&s, Q3_an_interrupting_message_runs_before_the_queue);
	SUITE_TEST(&s, Q3_a_steer_enters_the_running_turn);
	SUITE_TEST(&s, Q3_a_steer_that_was_taken_back_does_not_stop_the_turn);
	SUITE_TEST(&s, Q3_what_is_bound_to_a_message_goes_with_it);
	SUITE_TEST(&s, Q3_a_burst_is_collected_once_it_is_quiet);
	SUITE_TEST(&s, T3_a_message_names_the_model_of_its_turn_also_after_a_restart);
	SUITE_TEST(&s, T3_an_unknown_model_is_refused_with_the_known_ones);
	SUITE_TEST(&s, Q7_a_turn_whose_commit_failed_is_recovered);
	SUITE_TEST(&s, Q1_a_turn_that_cannot_begin_is_tried_again_without_haste);
	SUITE_TEST(&s, Q2_a_look_that_failed_is_repeated);
	SUITE_TEST(&s, Q2_a_message_that_may_be_stored_is_looked_at);
	SUITE_TEST(&s, Q7_a_lease_that_may_be_ours_is_taken_back);
	SUITE_TEST(&s, Q7_a_lease_that_is_just_being_taken_is_not_lost);
	SUITE_TEST(&s, T2_whatever_happens_every_session_comes_to_rest);
	return suite_run(&s, "engine/wake");
}

#include "engine/engine.h"

#include "base/buf.h"
#include "engine_rig.h"

static void
on_drained(void *ctx)
{
	(*(int *)ctx)++;
}

static struct rig_answer *
say(struct engine_rig *r, const char *session, const char *text)
{
	return rig_say(r, &(struct engine_message){ .text = str_of(text) },
		       (struct rig_call){ .id = str_of(session) });
}

static void
a_fresh_store_holds_what_everybody_needs(void **state)
{
	struct engine_rig r;

	engine_rig_init(&r, *state != NULL);
	for (int i = 0; i < 2; i++) {
		assert_true(engine_rig_record(&r, RECORD_AGENT, STR("main")).len > 0);
		assert_true(engine_rig_record(&r, RECORD_ENVIRONMENT, STR("local-default")).len >
			    0);
		assert_true(engine_rig_record(&r, RECORD_WORKSPACE, STR("main")).len > 0);
		assert_int_equal(engine_rig_count(&r, RECORD_TOKEN), 1);
		engine_rig_restart(&r); /* the second start makes nothing anew */
	}
	assert_int_equal(engine_rig_count(&r, RECORD_AGENT), 1);
	engine_rig_release(&r);
}

static void
H5_a_drain_without_work_is_over_at_once_and_once(void **state)
{
	struct engine_rig r;
	int drained = 0;

	(void)state;
	engine_rig_init(&r, false);
	engine_drain(r.en, 60000, RECOVER_SHUTDOWN_TIMEOUT, on_drained, &drained);
	assert_int_equal(drained, 0); /* never inside the call */
	virtual_host_settle(&r.host);
	assert_int_equal(drained, 1);
	virtual_host_advance(&r.host, 120000);
	assert_int_equal(drained, 1);
	engine_rig_release(&r);
}

/* Of three that run, one ends in time and two are put off; none is lost. */
static void
H5_a_drain_with_running_turns(void **state)
{
	struct engine_rig r;
	int drained = 0;

	engine_rig_init(&r, *state != NULL);
	for (int i = 0; i < 3; i++)
		rig_open(&r, NULL, arena_printf(&r.arena, "cli:%d", i).ptr);
	rig_expect(say(&r, "cli:0", "wait 5\nsay done"), 0, NULL);
	rig_expect(say(&r, "cli:1", "wait 500\nsay done"), 0, NULL);
	rig_expect(say(&r, "cli:2", "wait 500\nsay done"), 0, NULL);
	rig_expect(say(&r, "cli:0", "say queued"), 0, NULL);
	virtual_host_settle(&r.host);
	assert_int_equal(engine_stats(r.en).open_turns, 3);
	engine_drain(r.en, 10000, RECOVER_SHUTDOWN_TIMEOUT, on_drained, &drained);
	virtual_host_advance(&r.host, 9000);
	assert_int_equal(drained, 0);
	check_str("the short one", engine_rig_log(&r, "cli:0", 3),
		  STR("status_running model_request_start message message model_request_end "
		      "status_idle")); /* and nothing new begins */
	virtual_host_advance(&r.host, 1000);
	for (int i = 0; i < 50 && drained == 0; i++)
		virtual_host_advance(&r.host, 1);
	assert_int_equal(drained, 1);
	assert_int_equal(engine_stats(r.en).open_turns, 0);
	assert_true(str_ends(engine_rig_log(&r, "cli:1", 1), STR("status_rescheduled")));
	assert_true(str_ends(engine_rig_log(&r, "cli:2", 1), STR("status_rescheduled")));
	engine_rig_restart(&r);
	virtual_host_advance(&r.host, 600000);
	for (int i = 0; i < 3; i++) {
		const char *name = arena_printf(&r.arena, "cli:%d", i).ptr;

		assert_true(str_ends(engine_rig_log(&r, name, 1), STR("status_idle")));
		assert_int_equal(engine_rig_session(&r, name)->row.state.phase, TURN_NONE);
	}
	engine_rig_release(&r);
}

static void
H5_a_second_drain_hurries_the_first(void **state)
{
	struct engine_rig r;
	int first = 0, second = 0;

	(void)state;
	engine_rig_init(&r, false);
	rig_open(&r, NULL, "cli:a");
	rig_expect(say(&r, "cli:a", "wait 500"), 0, NULL);
	virtual_host_settle(&r.host);
	engine_drain(r.en, 60000, RECOVER_SHUTDOWN_TIMEOUT, on_drained, &first);
	virtual_host_advance(&r.host, 1000);
	engine_drain(r.en, 0, RECOVER_SHUTDOWN_TIMEOUT, on_drained, &second);
	virtual_host_advance(&r.host, 0);
	assert_int_equal(first, 0);
	assert_int_equal(second, 1);
	assert_true(str_ends(engine_rig_log(&r, "cli:a", 1), STR("status_rescheduled")));
	engine_rig_release(&r);
}

/* Every command is refused while it drains, later and with the same sentence; reading goes on. */
static void
H5_no_command_is_taken_while_it_drains(void **state)
{
	struct engine_rig r;
	int drained = 0;
	const char *says = "try again";

	(void)state;
	engine_rig_init(&r, false);
	rig_open(&r, NULL, "cli:a");
	engine_drain(r.en, 0, RECOVER_SHUTDOWN_TIMEOUT, on_drained, &drained);
	rig_expect(say(&r, "cli:a", "x"), ERR_UNAVAILABLE, says);
	rig_expect(rig_events(&r, (struct rig_call){ .id = STR("cli:a"),
						     .body = "[{'type':'user.interrupt'}]" }),
		   ERR_UNAVAILABLE, says);
	rig_expect(rig_make(&r, engine_session_open, (struct rig_call){ .body = "{}" }),
		   ERR_UNAVAILABLE, says);
	rig_expect(rig_change(&r, engine_session_update,
			      (struct rig_call){ .id = STR("cli:a"), .body = "{}" }),
		   ERR_UNAVAILABLE, says);
	rig_expect(rig_end(&r, engine_session_archive, (struct rig_call){ .id = STR("cli:a") }),
		   ERR_UNAVAILABLE, says);
	rig_expect(rig_end(&r, engine_session_delete, (struct rig_call){ .id = STR("cli:a") }),
		   ERR_UNAVAILABLE, says);
	rig_expect(rig_end(&r, engine_wake, (struct rig_call){ .id = STR("cli:a") }),
		   ERR_UNAVAILABLE, says);
	rig_expect(rig_change(&r, engine_resource_add,
			      (struct rig_call){ .id = STR("cli:a"), .body = "{}" }),
		   ERR_UNAVAILABLE, says);
	rig_expect(rig_make(&r, engine_user_create, (struct rig_call){ .body = "{'name':'x'}" }),
		   ERR_UNAVAILABLE, says);
	check_str("log", engine_rig_log(&r, "cli:a", 1), STR("created"));
	engine_rig_release(&r);
}

/* Accepted before the drain, durable after it began: nothing runs here, the next one does. */
static void
Q1_what_was_accepted_last_runs_after_the_restart(void **state)
{
	struct engine_rig r;
	struct rig_answer a = { .rig = &r };
	struct engine_call call = { .caller = &r.owner, .done = rig_answered, .ctx = &a };
	struct engine_message m = { .text = STR("say hello") };
	int drained = 0;

	engine_rig_init(&r, *state != NULL);
	rig_open(&r, NULL, "cli:a");
	engine_post(r.en, &call, STR("cli:a"), &m);
	engine_drain(r.en, 1000, RECOVER_SHUTDOWN_TIMEOUT, on_drained, &drained);
	rig_expect(&a, 0, NULL);
	virtual_host_advance(&r.host, 1000);
	assert_int_equal(drained, 1);
	check_str("log", engine_rig_log(&r, "cli:a", 1), STR("created message"));
	engine_rig_restart(&r);
	virtual_host_advance(&r.host, 1000);
	for (int i = 0; i < 100 && !str_ends(engine_rig_log(&r, "cli:a", 1), STR("status_idle"));
	     i++)
		virtual_host_advance(&r.host, 10);
	assert_true(str_ends(engine_rig_log(&r, "cli:a", 1), STR("status_idle")));
	engine_rig_release(&r);
}

static void
counts_are_kept(void **state)
{
	struct engine_rig r;
	uint64_t before;

	(void)state;
	engine_rig_init(&r, false);
	before = engine_stats(r.en).events;
	rig_open(&r, NULL, "cli:a");
	assert_int_equal(engine_stats(r.en).events, before + 1);
	assert_int_equal(engine_stats(r.en).open_turns, 0);
	assert_int_equal(engine_stats(r.en).live_sessions, 0);
	engine_rig_release(&r);
}

int
main(void)
{
	struct suite s = { 0 };
	static const int SQLITE = 1;

	SUITE_TEST(&s, a_fresh_store_holds_what_everybody_needs);
	suite_add(&s, "a fresh store in sqlite", a_fresh_store_holds_what_everybody_needs, &SQLITE);
	SUITE_TEST(&s, H5_a_drain_without_work_is_over_at_once_and_once);
	SUITE_TEST(&s, H5_a_drain_with_running_turns);
	SUITE_TEST(&s, H5_a_second_drain_hurries_the_first);
	SUITE_TEST(&s, H5_no_command_is_taken_while_it_drains);
	SUITE_TEST(&s, Q1_what_was_accepted_last_runs_after_the_restart);
	suite_add(&s, "Q1 what was accepted last in sqlite",
		  Q1_what_was_accepted_last_runs_after_the_restart, &SQLITE);
	SUITE_TEST(&s, counts_are_kept);
	return suite_run(&s, "engine/engine");
}

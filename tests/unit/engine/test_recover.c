#include "engine/recover.h"

#include "lane_rig.h"

static struct rig_answer *
chat(struct engine_rig *r, const char *id)
{
	return resolve(
		r, arena_printf(&r->arena, "{'source':{'platform':'irc','chat_id':'%s'}}", id).ptr);
}

/* A turn that takes longer than any process here lives. */
static void
begin_long_turn(struct engine_rig *r, struct str session)
{
	rig_expect(rig_say(r, &(struct engine_message){ .text = STR("wait 500\nsay x") },
			   (struct rig_call){ .id = session }),
		   0, NULL);
}

static void
restart(struct engine_rig *r, bool unclean)
{
	r->unclean = unclean;
	engine_rig_restart(r);
}

static void
H5_an_unclean_start_marks_what_was_active(void **state)
{
	struct rig_answer *old, *spoken, *recent, *suspended;
	struct lane_entry entry;
	struct engine_rig r;

	engine_rig_init(&r, *state != NULL);
	old = chat(&r, "old");
	spoken = chat(&r, "spoken");
	virtual_host_advance(&r.host, 60 * 1000);
	recent = chat(&r, "recent");
	suspended = chat(&r, "suspended");
	rig_expect(rig_end(&r, engine_lane_suspend, (struct rig_call){ .id = suspended->lane }), 0,
		   NULL);
	rig_say(&r, &(struct engine_message){ .text = STR("x"), .append_only = true },
		(struct rig_call){ .id = spoken->id });
	virtual_host_advance(&r.host, 61 * 1000);
	restart(&r, true);
	entry = stored_entry(&r, recent->lane);
	assert_true(entry.recover.resume_pending);
	assert_int_equal(entry.recover.reason, RECOVER_RESTART_INTERRUPTED);
	assert_int_equal(entry.recover.marked_at_ms, RIG_NOW_MS + 121 * 1000);
	assert_int_equal(entry.recover.stuck_count, 0);
	assert_true(stored_entry(&r, spoken->lane).recover.resume_pending);
	assert_false(stored_entry(&r, old->lane).recover.resume_pending);
	entry = stored_entry(&r, suspended->lane);
	assert_true(entry.recover.suspended);
	assert_false(entry.recover.resume_pending);
	virtual_host_advance(&r.host, 1000);
	restart(&r, true); /* a mark keeps its time */
	assert_int_equal(stored_entry(&r, recent->lane).recover.marked_at_ms,
			 RIG_NOW_MS + 121 * 1000);
	/* marked and at rest: nothing runs, and the next message goes on in the same session */
	assert_true(str_eq(engine_rig_log(&r, recent->id.ptr, 2), STR("")));
	assert_true(str_eq(chat(&r, "recent")->id, recent->id));
	engine_rig_release(&r);
}

static void
H5_after_a_clean_end_nothing_changes(void **state)
{
	struct rig_answer *lane;
	struct str before;
	struct engine_rig r;

	engine_rig_init(&r, *state != NULL);
	lane = chat(&r, "one");
	before = engine_rig_record(&r, RECORD_LANE, lane->lane);
	restart(&r, false);
	assert_true(str_eq(engine_rig_record(&r, RECORD_LANE, lane->lane), before));
	engine_rig_release(&r);
}

static void
H5_what_three_starts_found_at_work_is_suspended(void **state)
{
	struct rig_answer *lane;
	struct engine_rig r;

	engine_rig_init(&r, *state != NULL);
	lane = chat(&r, "stuck");
	begin_long_turn(&r, lane->id);
	for (unsigned starts = 1; starts <= 3; starts++) {
		struct lane_entry entry;

		virtual_host_advance(&r.host, 1000);
		restart(&r, true);
		entry = stored_entry(&r, lane->lane);
		assert_int_equal(entry.recover.stuck_count, starts);
		assert_int_equal(entry.recover.suspended, starts == 3);
		assert_true(entry.recover.resume_pending);
	}
	assert_false(str_eq(chat(&r, "stuck")->id, lane->id)); /* a clean slate */
	engine_rig_release(&r);
}

static void
H5_a_start_that_finds_it_at_rest_forgets_the_count(void **state)
{
	static const int64_t LATER_MS = 200 * 1000;
	struct rig_answer *lane;
	struct engine_rig r;

	engine_rig_init(&r, *state != NULL);
	lane = chat(&r, "once");
	begin_long_turn(&r, lane->id);
	restart(&r, true);
	assert_int_equal(stored_entry(&r, lane->lane).recover.stuck_count, 1);
	rig_expect(rig_events(&r, (struct rig_call){ .id = lane->id,
						     .body = "[{'type':'user.interrupt'}]" }),
		   0, NULL);
	virtual_host_advance(&r.host, LATER_MS);
	assert_int_equal(engine_rig_session(&r, lane->id.ptr)->row.state.phase, TURN_NONE);
	assert_int_equal(stored_entry(&r, lane->lane).recover.stuck_count, 1);
	restart(&r, true);
	assert_int_equal(stored_entry(&r, lane->lane).recover.stuck_count, 0);
	engine_rig_release(&r);
}

static void
H5_a_drain_that_cannot_wait_marks_its_lanes(void **state)
{
	struct rig_answer *running, *idle, *suspended;
	struct lane_entry entry;
	struct engine_rig r;

	engine_rig_init(&r, *state != NULL);
	idle = chat(&r, "idle");
	running = chat(&r, "running");
	suspended = chat(&r, "suspended");
	begin_long_turn(&r, running->id);
	begin_long_turn(&r, suspended->id);
	rig_end(&r, engine_lane_suspend, (struct rig_call){ .id = suspended->lane });
	virtual_host_advance(&r.host, 1000);
	assert_int_equal(engine_stats(r.en).put_off, 0);
	engine_rig_drain(&r, r.en);
	assert_int_equal(engine_stats(r.en).put_off, 2);
	entry = stored_entry(&r, running->lane);
	assert_true(entry.recover.resume_pending);
	assert_int_equal(entry.recover.reason, RECOVER_SHUTDOWN_TIMEOUT);
	assert_int_equal(entry.recover.marked_at_ms, RIG_NOW_MS + 1000);
	assert_false(stored_entry(&r, idle->lane).recover.resume_pending);
	entry = stored_entry(&r, suspended->lane);
	assert_true(entry.recover.suspended);
	assert_false(entry.recover.resume_pending);
	engine_rig_release(&r);
}

static void
on_drained(void *ctx)
{
	*(bool *)ctx = true;
}

static void
H5_a_drain_before_a_restart_marks_them_as_such(void **state)
{
	struct rig_answer *running;
	struct engine_rig r;
	bool drained = false;

	engine_rig_init(&r, *state != NULL);
	running = chat(&r, "running");
	begin_long_turn(&r, running->id);
	engine_drain(r.en, 0, RECOVER_RESTART_TIMEOUT, on_drained, &drained);
	virtual_host_advance(&r.host, 0);
	engine_rig_await(&r, &drained);
	assert_int_equal(stored_entry(&r, running->lane).recover.reason, RECOVER_RESTART_TIMEOUT);
	r.unclean = true;
	engine_rig_restart(&r); /* an unclean start keeps the reason that is known */
	assert_int_equal(stored_entry(&r, running->lane).recover.reason, RECOVER_RESTART_TIMEOUT);
	assert_true(stored_entry(&r, running->lane).recover.resume_pending);
	engine_rig_release(&r);
}

static void
H5_only_a_successful_turn_clears_the_mark(void **state)
{
	struct rig_answer *lane;
	struct engine_rig r;

	engine_rig_init(&r, *state != NULL);
	lane = chat(&r, "one");
	begin_long_turn(&r, lane->id);
	restart(&r, true);
	assert_int_equal(stored_entry(&r, lane->lane).recover.reason, RECOVER_SHUTDOWN_TIMEOUT);
	assert_int_equal(stored_entry(&r, lane->lane).recover.stuck_count, 1);
	rig_events(&r, (struct rig_call){ .id = lane->id, .body = "[{'type':'user.interrupt'}]" });
	virtual_host_advance(&r.host, 1000);
	assert_true(stored_entry(&r, lane->lane).recover.resume_pending);
	rig_say(&r, &(struct engine_message){ .text = STR("fail malformed") },
		(struct rig_call){ .id = lane->id });
	virtual_host_advance(&r.host, 100 * 1000); /* it is tried again */
	assert_int_equal(engine_rig_session(&r, lane->id.ptr)->row.state.phase, TURN_NONE);
	assert_true(stored_entry(&r, lane->lane).recover.resume_pending);
	rig_say(&r, &(struct engine_message){ .text = STR("say well") },
		(struct rig_call){ .id = lane->id });
	virtual_host_advance(&r.host, 1000);
	assert_int_equal(engine_rig_session(&r, lane->id.ptr)->row.last_stop, STOP_END_TURN);
	engine_rig_drain(&r, r.en); /* which waits for what follows a turn */
	assert_false(stored_entry(&r, lane->lane).recover.resume_pending);
	assert_int_equal(stored_entry(&r, lane->lane).recover.stuck_count, 0);
	engine_rig_release(&r);
}

static void
H5_a_start_reads_its_lanes_in_pages(void **state)
{
	enum { LANES = 520 };
	struct engine_rig r;

	(void)state;
	engine_rig_init(&r, false);
	for (int i = 0; i < LANES; i++)
		chat(&r, arena_printf(&r.arena, "%d", i).ptr);
	restart(&r, true);
	for (int i = 0; i < LANES; i++)
		assert_true(stored_entry(&r, chat(&r, arena_printf(&r.arena, "%d", i).ptr)->lane)
				    .recover.resume_pending);
	engine_rig_release(&r);
}

static const struct {
	const char *name;
	CMUnitTestFunction run;
} ROWS[] = {
	{ "H5_an_unclean_start_marks_what_was_active", H5_an_unclean_start_marks_what_was_active },
	{ "H5_after_a_clean_end_nothing_changes", H5_after_a_clean_end_nothing_changes },
	{ "H5_what_three_starts_found_at_work_is_suspended",
	  H5_what_three_starts_found_at_work_is_suspended },
	{ "H5_a_start_that_finds_it_at_rest_forgets_the_count",
	  H5_a_start_that_finds_it_at_rest_forgets_the_count },
	{ "H5_a_drain_that_cannot_wait_marks_its_lanes",
	  H5_a_drain_that_cannot_wait_marks_its_lanes },
	{ "H5_a_drain_before_a_restart_marks_them_as_such",
	  H5_a_drain_before_a_restart_marks_them_as_such },
	{ "H5_only_a_successful_turn_clears_the_mark", H5_only_a_successful_turn_clears_the_mark },
};

int
main(void)
{
	struct suite s = { 0 };

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) { /* in memory, and on disk */
		suite_add(&s, ROWS[i].name, ROWS[i].run, NULL);
		suite_add(&s, ROWS[i].name, ROWS[i].run, "");
	}
	SUITE_TEST(&s, H5_a_start_reads_its_lanes_in_pages);
	return suite_run(&s, "engine/recover");
}

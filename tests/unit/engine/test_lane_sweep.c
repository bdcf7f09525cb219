#include "engine/lane_sweep.h"

#include "lane_rig.h"

static struct rig_answer *
chat(struct engine_rig *r, const char *id)
{
	return resolve(
		r, arena_printf(&r->arena, "{'source':{'platform':'irc','chat_id':'%s'}}", id).ptr);
}

static int64_t
sweep(struct engine_rig *r, rig_make_fn *fn, const char *body)
{
	struct rig_answer *a = rig_make(r, fn, (struct rig_call){ .body = body });

	rig_expect(a, 0, NULL);
	return a->count;
}

static void
K7_suspend_recently_active_marks_what_was_active(void **state)
{
	struct rig_answer *old, *recent, *suspended, *spoken;
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
	assert_int_equal(sweep(&r, engine_lane_mark_recent, "{}"), 2);
	entry = stored_entry(&r, recent->lane);
	assert_true(entry.recover.resume_pending);
	assert_int_equal(entry.recover.reason, RECOVER_RESTART_INTERRUPTED);
	assert_int_equal(entry.recover.marked_at_ms, RIG_NOW_MS + 121 * 1000);
	assert_true(stored_entry(&r, spoken->lane).recover.resume_pending);
	assert_false(stored_entry(&r, old->lane).recover.resume_pending);
	assert_false(stored_entry(&r, suspended->lane).recover.resume_pending);
	virtual_host_advance(&r.host, 1000);
	assert_int_equal(sweep(&r, engine_lane_mark_recent, "{}"), 0); /* no double mark */
	assert_int_equal(stored_entry(&r, recent->lane).recover.marked_at_ms,
			 RIG_NOW_MS + 121 * 1000);
	assert_int_equal(sweep(&r, engine_lane_mark_recent, "{'max_age_seconds':1000}"), 1);
	engine_rig_release(&r);
}

static void
K7_prune_forgets_lanes_and_keeps_sessions(void **state)
{
	static const int64_t DAY_MS = INT64_C(24) * 3600 * 1000;
	struct rig_answer *old, *suspended, *busy, *recent;
	struct engine_rig r;

	engine_rig_init(&r, *state != NULL);
	old = chat(&r, "old");
	suspended = chat(&r, "suspended");
	rig_end(&r, engine_lane_suspend, (struct rig_call){ .id = suspended->lane });
	busy = chat(&r, "busy");
	engine_rig_append(&r, busy->id.ptr, EVENT_STATUS_RUNNING,
			  "{'type':'session.status_running','turn_id':'t','consumes':[],"
			  "'wakes':['wake_1']}");
	virtual_host_advance(&r.host, 3 * DAY_MS);
	recent = chat(&r, "recent");
	assert_int_equal(sweep(&r, engine_lane_prune, "{'max_age_days':0}"), 0); /* off */
	assert_int_equal(sweep(&r, engine_lane_prune, "{'max_age_days':2}"), 1);
	assert_int_equal(engine_rig_record(&r, RECORD_LANE, old->lane).len, 0);
	assert_true(engine_rig_record(&r, RECORD_LANE, suspended->lane).len > 0);
	assert_true(engine_rig_record(&r, RECORD_LANE, busy->lane).len > 0);
	assert_true(engine_rig_record(&r, RECORD_LANE, recent->lane).len > 0);
	assert_non_null(engine_rig_session(&r, old->id.ptr));
	assert_true(chat(&r, "old")->created); /* its next message opens another session */
	engine_rig_release(&r);
}

static void
K7_sweeping_is_the_operators(void **state)
{
	const struct engine_caller *ann;
	struct engine_rig r;

	(void)state;
	engine_rig_init(&r, false);
	ann = rig_person(&r, "ann");
	rig_expect(rig_make(&r, engine_lane_prune,
			    (struct rig_call){ .caller = ann, .body = "{'max_age_days':1}" }),
		   ERR_NOT_FOUND, NULL);
	rig_expect(rig_make(&r, engine_lane_mark_recent,
			    (struct rig_call){ .caller = ann, .body = "{}" }),
		   ERR_NOT_FOUND, NULL);
	rig_expect(rig_make(&r, engine_lane_prune, (struct rig_call){ .body = "{}" }), ERR_INVALID,
		   "max_age_days");
	engine_rig_release(&r);
}

static void
A10_a_repeated_sweep_counts_the_same(void **state)
{
	struct engine_rig r;
	struct rig_answer *a;

	(void)state;
	engine_rig_init(&r, false);
	chat(&r, "one");
	for (int i = 0; i < 2; i++) {
		a = rig_make(&r, engine_lane_mark_recent,
			     (struct rig_call){ .key = "k", .body = "{}" });
		rig_expect(a, 0, NULL);
		assert_int_equal(a->count, 1);
		assert_int_equal(a->replayed, i == 1);
	}
	engine_rig_release(&r);
}

int
main(void)
{
	struct suite s = { 0 };

	suite_add(&s, "K7 suspend_recently_active, in memory",
		  K7_suspend_recently_active_marks_what_was_active, NULL);
	suite_add(&s, "K7 suspend_recently_active, on disk",
		  K7_suspend_recently_active_marks_what_was_active, "");
	suite_add(&s, "K7 prune, in memory", K7_prune_forgets_lanes_and_keeps_sessions, NULL);
	suite_add(&s, "K7 prune, on disk", K7_prune_forgets_lanes_and_keeps_sessions, "");
	SUITE_TEST(&s, K7_sweeping_is_the_operators);
	SUITE_TEST(&s, A10_a_repeated_sweep_counts_the_same);
	return suite_run(&s, "lane_sweep");
}

#include "engine/rollover.h"

#include "engine/engine_private.h"
#include "turn_rig.h"

struct watcher {
	bool done;
	int rc;
	struct err err;
	char new_id[SESSION_ID_MAX + 1];
	struct reset_marks marks;
	int adds;       /* how often add was asked */
	int add_rc;     /* what it says */
	int64_t put_if; /* the version of a record that add puts; 0: none is put */
};

static int
on_add(void *ctx, const struct rollover_step *step, struct err *e)
{
	struct watcher *w = ctx;

	w->adds++;
	if (w->put_if != 0)
		commit_put(step->ending, &(struct store_put){ .record = { .kind = STR("lane"),
									  .id = STR("l"),
									  .owner = step->new_id,
									  .body = STR("{}") },
							      .if_version = w->put_if });
	return w->add_rc == 0 ? 0 : err_set(e, w->add_rc, "add said no");
}

static void
on_over(void *ctx, const struct rollover_over *over)
{
	struct watcher *w = ctx;

	w->done = true;
	w->rc = over->rc;
	if (over->err)
		w->err = *over->err;
	w->marks = over->marks;
	memcpy(w->new_id, over->new_id.ptr ? over->new_id.ptr : "", over->new_id.len);
	w->new_id[over->new_id.len] = '\0';
}

static void
run(struct rig *r, const struct rollover *how, struct watcher *w)
{
	rollover_run(r->en, how, on_over, w);
	assert_false(w->done);
	rig_settle_until(r, &w->done);
	rig_settle(r);
}

static struct watcher
roll(struct rig *r, const char *session, enum rollover_cause cause)
{
	struct watcher w = { 0 };

	run(r, &(struct rollover){ .old = str_of(session), .cause = cause, .notify = true }, &w);
	return w;
}

static enum lifecycle
lifecycle_of(struct rig *r, const char *session)
{
	return rig_row(r, session)->row.state.lifecycle;
}

static void
R3_an_idle_session_is_archived_and_the_new_one_linked(void **state)
{
	struct rig r;
	struct watcher w;
	const struct store_session *now;

	rig_init(&r, *state == NULL);
	rig_session_from(&r, "telegram:old", "main",
			 "{\"kind\":\"channel\",\"platform\":\"telegram\"}");
	rig_post(&r, "telegram:old", "say a");
	rig_await_log(&r, "telegram:old", 6, "model_request_end status_idle:end_turn");
	w = roll(&r, "telegram:old", ROLLOVER_IDLE);
	assert_int_equal(w.rc, 0);
	assert_int_equal(lifecycle_of(&r, "telegram:old"), LIFECYCLE_ARCHIVED);
	now = rig_row(&r, w.new_id);
	check_str("previous", now->previous_id, STR("telegram:old"));
	check_str("agent", now->agent_id, STR("main"));
	check_str("source", now->source, rig_row(&r, "telegram:old")->source);
	assert_true(str_starts(str_of(w.new_id), STR("telegram:20250615_")));
	assert_int_equal(strlen(w.new_id), strlen("telegram:20250615_150640_01234567"));
	assert_true(str_contains(
		rig_event_at(&r, "telegram:old", rig_head(&r, "telegram:old"))->payload,
		str_of(w.new_id)));
	rig_release(&r);
}

static void
R3_an_automatic_reset_is_told_once_to_model_and_user(void **state)
{
	struct rig r;
	struct watcher w;

	(void)state;
	rig_init(&r, true);
	rig_session(&r, "cli:s", "main");
	rig_post(&r, "cli:s", "say a");
	w = roll(&r, "cli:s", ROLLOVER_DAILY);
	assert_true(w.marks.was_auto_reset);
	assert_true(w.marks.had_activity);
	assert_int_equal(w.marks.reason, RESET_DAILY);
	assert_true(str_contains(rig_event_at(&r, w.new_id, 1)->payload,
				 STR("\"notice\":\"Daily reset; this is a new session.")));
	check_str("log", rig_log(&r, w.new_id, 1), STR("created message"));
	assert_true(str_contains(rig_event_at(&r, w.new_id, 2)->payload,
				 STR("ended with the daily reset")));
	rig_post(&r, w.new_id, "say b");
	check_str("log", rig_log(&r, w.new_id, 3),
		  STR("message status_running model_request_start message\"b\" "
		      "model_request_end status_idle:end_turn"));
	rig_release(&r);
}

static void
R3_nobody_is_told_of_a_session_without_content(void **state)
{
	struct rig r;
	struct watcher w;

	(void)state;
	rig_init(&r, true);
	rig_session(&r, "cli:s", "main");
	w = roll(&r, "cli:s", ROLLOVER_IDLE);
	assert_false(w.marks.had_activity);
	assert_false(str_contains(rig_event_at(&r, w.new_id, 1)->payload, STR("notice")));
	rig_release(&r);
}

/* The machine dies at any append: afterwards both sessions are as before, or both are changed. */
static void
R3_both_or_neither_survive_a_kill(void **state)
{
	(void)state;
	for (int fails = 0; fails < 2; fails++) {
		struct rig r;
		struct watcher w = { 0 };
		struct engine *dead;

		rig_init(&r, true);
		rig_session(&r, "cli:s", "main");
		r.unsure_appends = fails == 0;
		r.fail_appends = fails == 1;
		run(&r,
		    &(struct rollover){
			    .old = STR("cli:s"), .cause = ROLLOVER_IDLE, .new_id = STR("cli:t") },
		    &w);
		assert_int_equal(w.rc, fails == 0 ? ERR_UNAVAILABLE : ERR_NO_SPACE);
		dead = rig_kill(&r);
		assert_int_equal(lifecycle_of(&r, "cli:s"),
				 fails == 0 ? LIFECYCLE_ARCHIVED : LIFECYCLE_ACTIVE);
		if (fails == 0)
			assert_int_equal(rig_head(&r, "cli:t"), 2);
		rig_bury(&r, dead);
		rig_release(&r);
	}
}

/* ---- R2: never while work is open ---- */

static void
R2_no_automatic_reset_while_a_turn_is_open(void **state)
{
	struct rig r;
	struct watcher w;
	int64_t head;

	(void)state;
	rig_init(&r, true);
	rig_session(&r, "cli:s", "main");
	rig_post(&r, "cli:s", "wait 60");
	head = rig_head(&r, "cli:s");
	w = roll(&r, "cli:s", ROLLOVER_IDLE);
	assert_int_equal(w.rc, ERR_CONFLICT);
	w = roll(&r, "cli:s", ROLLOVER_DAILY);
	assert_int_equal(w.rc, ERR_CONFLICT);
	assert_int_equal(rig_head(&r, "cli:s"), head);
	rig_advance(&r, 60000);
	w = roll(&r, "cli:s", ROLLOVER_IDLE);
	assert_int_equal(w.rc, 0);
	rig_release(&r);
}

static void
R2_no_automatic_reset_while_a_message_waits(void **state)
{
	struct rig r;
	struct watcher w = { 0 };

	(void)state;
	rig_init(&r, true);
	rig_session(&r, "cli:s", "main");
	/* both are on their way: the message is in first */
	rig_post_later(&r, "cli:s", "say a");
	rollover_run(r.en, &(struct rollover){ .old = STR("cli:s"), .cause = ROLLOVER_IDLE },
		     on_over, &w);
	rig_settle_until(&r, &w.done);
	assert_int_equal(w.rc, ERR_CONFLICT);
	rig_settle(&r);
	assert_true(str_contains(rig_log(&r, "cli:s", 2), STR("message\"a\"")));
	rig_release(&r);
}

/* ---- R4: ended from outside ---- */

static void
R4_a_manual_reset_ends_the_running_turn(void **state)
{
	struct rig r;
	struct watcher w;
	int64_t fence;

	rig_init(&r, *state == NULL);
	rig_session(&r, "cli:s", "main");
	rig_watch(&r, "cli:s");
	rig_post(&r, "cli:s", "say half\nwait 60");
	rig_await_preview(&r, "half");
	rig_post(&r, "cli:s", "say queued");
	fence = rig_row(&r, "cli:s")->fence;
	w = roll(&r, "cli:s", ROLLOVER_MANUAL);
	assert_int_equal(w.rc, 0);
	if (r.mem) /* whoever runs the turn has found out already */
		assert_int_equal(engine_stats(r.en).open_turns, 0);
	assert_false(w.marks.was_auto_reset);
	check_str("log", rig_log(&r, "cli:s", 6),
		  STR("message!\"half\" model_request_end input_cancelled status_idle:interrupted "
		      "reset"));
	assert_int_equal(rig_row(&r, "cli:s")->fence, fence + 1);
	assert_int_equal(lifecycle_of(&r, "cli:s"), LIFECYCLE_ARCHIVED);
	assert_int_equal(rig_pending(&r, "cli:s"), 0);
	rig_advance(&r, 120000);
	check_str("nothing more", rig_log(&r, "cli:s", 11), STR(""));
	assert_int_equal(engine_stats(r.en).open_turns, 0);
	check_str("the new one", rig_log(&r, w.new_id, 1), STR("created"));
	rig_post(&r, w.new_id, "say b");
	rig_release(&r);
}

static void
R4_open_calls_are_cancelled(void **state)
{
	struct rig r;
	struct watcher w;

	(void)state;
	rig_init(&r, true);
	rig_agent(&r, "asks",
		  "{\"id\":\"asks\",\"version\":1,\"model\":\"demo\",\"tools\":[{"
		  "\"type\":\"custom\",\"name\":\"color\",\"description\":\"d\","
		  "\"input_schema\":{\"type\":\"object\"}}]}");
	rig_session(&r, "cli:s", "asks");
	rig_post(&r, "cli:s", "tool color {}\nsay thanks");
	assert_int_equal(rig_row(&r, "cli:s")->row.state.phase, TURN_PARKED);
	w = roll(&r, "cli:s", ROLLOVER_MANUAL);
	assert_int_equal(w.rc, 0);
	assert_int_equal(rig_row(&r, "cli:s")->row.state.phase, TURN_NONE);
	assert_true(str_ends(rig_log(&r, "cli:s", 2), STR("status_idle:interrupted reset")));
	rig_release(&r);
}

static void
R4_a_turn_that_a_dead_process_left_is_ended_too(void **state)
{
	struct rig r;
	struct watcher w;
	struct engine *dead;

	(void)state;
	rig_init(&r, true);
	rig_session(&r, "cli:s", "main");
	rig_post(&r, "cli:s", "say half\nwait 60");
	rig_advance(&r, 1500); /* so long that the text is saved */
	dead = rig_kill(&r);
	w = roll(&r, "cli:s", ROLLOVER_SUSPENDED);
	assert_int_equal(w.rc, 0);
	assert_true(str_contains(rig_log(&r, "cli:s", 2), STR("message!\"half\"")));
	assert_true(str_ends(rig_log(&r, "cli:s", 2), STR("status_idle:interrupted reset")));
	assert_int_equal(rig_pending(&r, "cli:s"), 0);
	assert_false(rig_has_record(&r, STR("partial"), "cli:s"));
	rig_bury(&r, dead);
	rig_release(&r);
}

static void
R4_without_a_lane_the_old_one_becomes_inactive(void **state)
{
	struct rig r;
	struct watcher w = { 0 };

	(void)state;
	rig_init(&r, true);
	rig_session(&r, "cli:s", "main");
	for (int i = 0; i < 2; i++) { /* also when it is inactive already */
		w = (struct watcher){ 0 };
		run(&r,
		    &(struct rollover){
			    .old = STR("cli:s"), .cause = ROLLOVER_MANUAL, .to_inactive = true },
		    &w);
		assert_int_equal(w.rc, 0);
		assert_int_equal(lifecycle_of(&r, "cli:s"), LIFECYCLE_INACTIVE);
		assert_int_equal(lifecycle_of(&r, w.new_id), LIFECYCLE_ACTIVE);
	}
	rig_post(&r, "cli:s", "say a");
	assert_int_equal(r.rc, 0);
	assert_int_equal(lifecycle_of(&r, "cli:s"), LIFECYCLE_ACTIVE);
	rig_release(&r);
}

static void
R4_what_the_caller_adds_shares_the_fate(void **state)
{
	struct rig r;
	struct rollover how = { .old = STR("cli:s"), .cause = ROLLOVER_MANUAL, .add = on_add };
	struct watcher w = { .add_rc = ERR_INVALID };

	(void)state;
	rig_init(&r, true);
	rig_session(&r, "cli:s", "main");
	run(&r, &how, &w);
	assert_int_equal(w.rc, ERR_INVALID);
	assert_int_equal(rig_head(&r, "cli:s"), 1);
	w = (struct watcher){ .put_if = 7 }; /* not the log: no second try helps */
	run(&r, &how, &w);
	assert_int_equal(w.rc, ERR_CONFLICT);
	assert_int_equal(w.adds, 1);
	assert_int_equal(rig_head(&r, "cli:s"), 1);
	w = (struct watcher){ .put_if = STORE_VERSION_ANY };
	run(&r, &how, &w);
	assert_int_equal(w.rc, 0);
	assert_true(rig_has_record(&r, STR("lane"), "l"));
	rig_release(&r);
}

static void
R4_the_log_that_moves_meanwhile_is_tried_again(void **state)
{
	struct rig r;
	struct watcher w = { 0 };

	(void)state;
	rig_init(&r, true);
	rig_session(&r, "cli:s", "main");
	rollover_run(
		r.en,
		&(struct rollover){ .old = STR("cli:s"), .cause = ROLLOVER_MANUAL, .add = on_add },
		on_over, &w);
	rig_post_later(&r, "cli:s", "wait 60");
	rig_settle_until(&r, &w.done);
	rig_settle(&r);
	assert_int_equal(w.rc, 0);
	assert_int_equal(lifecycle_of(&r, "cli:s"), LIFECYCLE_ARCHIVED);
	assert_int_equal(rig_pending(&r, "cli:s"), 0);
	rig_advance(&r, 60000);
	assert_int_equal(engine_stats(r.en).open_turns, 0);
	rig_release(&r);
}

static void
R4_what_is_archived_is_not_reset_again(void **state)
{
	struct rig r;
	struct watcher w;

	(void)state;
	rig_init(&r, true);
	rig_session(&r, "cli:s", "main");
	w = roll(&r, "cli:s", ROLLOVER_MANUAL);
	assert_int_equal(w.rc, 0);
	w = roll(&r, "cli:s", ROLLOVER_MANUAL);
	assert_int_equal(w.rc, ERR_CONFLICT);
	w = roll(&r, "cli:absent", ROLLOVER_MANUAL);
	assert_int_equal(w.rc, ERR_NOT_FOUND);
	rig_release(&r);
}

int
main(void)
{
	struct suite s = { 0 };
	static const int SQLITE = 1;

	SUITE_TEST(&s, R3_an_idle_session_is_archived_and_the_new_one_linked);
	suite_add(&s, "R3 archived and linked in sqlite",
		  R3_an_idle_session_is_archived_and_the_new_one_linked, &SQLITE);
	SUITE_TEST(&s, R3_an_automatic_reset_is_told_once_to_model_and_user);
	SUITE_TEST(&s, R3_nobody_is_told_of_a_session_without_content);
	SUITE_TEST(&s, R3_both_or_neither_survive_a_kill);
	SUITE_TEST(&s, R2_no_automatic_reset_while_a_turn_is_open);
	SUITE_TEST(&s, R2_no_automatic_reset_while_a_message_waits);
	SUITE_TEST(&s, R4_a_manual_reset_ends_the_running_turn);
	suite_add(&s, "R4 a manual reset ends the running turn in sqlite",
		  R4_a_manual_reset_ends_the_running_turn, &SQLITE);
	SUITE_TEST(&s, R4_open_calls_are_cancelled);
	SUITE_TEST(&s, R4_a_turn_that_a_dead_process_left_is_ended_too);
	SUITE_TEST(&s, R4_without_a_lane_the_old_one_becomes_inactive);
	SUITE_TEST(&s, R4_what_the_caller_adds_shares_the_fate);
	SUITE_TEST(&s, R4_the_log_that_moves_meanwhile_is_tried_again);
	SUITE_TEST(&s, R4_what_is_archived_is_not_reset_again);
	return suite_run(&s, "engine/rollover");
}

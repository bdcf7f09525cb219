#include "engine/wake_queue.h"

#include "core/event_make.h"
#include "engine/wake.h"
#include "turn_rig.h"

static const int64_t SECOND = 1000;

/* ---- wakes that somebody asked for ---- */

static void
on_done(void *ctx, const struct commit_result *result)
{
	if (result->store->rc != 0 && result->store->rc != ERR_UNAVAILABLE)
		fail_msg("%s", result->store->err.text);
	*(bool *)ctx = true;
}

static void
add(struct rig *r, const char *session, const struct queued_wake *wake, struct wake_list known)
{
	struct commit *c = commit_new(r->en, (struct str){ 0 });
	bool done = false;

	wake_queue_add(r->en, c, str_of(session), wake, known);
	commit_put(c, &(struct store_put){ .record = { .kind = STR("asked"),
						       .id = str_of(session),
						       .body = STR("{}") },
					   .if_version = STORE_VERSION_ANY });
	commit_submit(c, on_done, &done);
	rig_settle_until(r, &done);
}

static void
add_at(struct rig *r, const char *session, int64_t delay_ms, const char *reason)
{
	add(r, session,
	    &(struct queued_wake){ .item = { .due_ms = r->host.now_ms + delay_ms,
					     .priority = WAKE_NORMAL,
					     .reason = str_of(reason),
					     .note = STR("a \"note\"") } },
	    (struct wake_list){ 0 });
}

static void
on_interrupted(void *ctx, const struct engine_answer *answer)
{
	assert_int_equal(answer->rc, 0);
	*(bool *)ctx = true;
}

struct listing {
	struct wake_list wakes;
	bool done;
};

static void
on_listed(void *ctx, int rc, const struct err *err, const struct wake_list *wakes)
{
	struct listing *l = ctx;

	(void)err;
	assert_int_equal(rc, 0);
	*l = (struct listing){ *wakes, true };
}

static struct wake_list
list(struct rig *r, const char *session)
{
	struct listing l = { 0 };

	wake_queue_read(r->en, str_of(session), &r->arena, on_listed, &l);
	rig_settle_until(r, &l.done);
	return l.wakes;
}

/* ---- the record ---- */

static void
Q6_a_wake_is_read_as_it_was_written(void **state)
{
	struct queued_wake wake = { .item = { .due_ms = INT64_C(1750000123456),
					      .priority = WAKE_HIGH,
					      .reason = STR("session.follow_up"),
					      .note = STR("say \"hi\"\n\xc3\xa9"),
					      .dedupe_key = STR("follow_up") },
				    .continues = 2 };

	for (int mem = 0; mem < 2; mem++) {
		struct rig r;
		struct wake_list got;

		(void)state;
		rig_init(&r, mem);
		rig_session(&r, "s", "main");
		add(&r, "s", &wake, (struct wake_list){ 0 });
		got = list(&r, "s");
		assert_int_equal(got.len, 1);
		assert_true(str_starts(got.ptr[0].item.id, STR("wake_")));
		assert_int_equal(got.ptr[0].item.due_ms, wake.item.due_ms);
		assert_int_equal(got.ptr[0].item.priority, WAKE_HIGH);
		check_str("reason", got.ptr[0].item.reason, wake.item.reason);
		check_str("note", got.ptr[0].item.note, wake.item.note);
		check_str("key", got.ptr[0].item.dedupe_key, wake.item.dedupe_key);
		assert_int_equal(got.ptr[0].continues, 2);
		assert_int_equal(got.ptr[0].version, 1);
		assert_int_equal(got.ptr[0].created_at_ms, r.host.now_ms);
		assert_int_equal(list(&r, "other").len, 0);
		rig_release(&r);
	}
}

static void
Q6_a_dedupe_key_is_queued_once(void **state)
{
	struct queued_wake wake = { .item = { .due_ms = INT64_C(1750000123456),
					      .reason = STR("first"),
					      .dedupe_key = STR("k") } };
	struct rig r;

	(void)state;
	rig_init(&r, true);
	rig_session(&r, "s", "main");
	add(&r, "s", &wake, (struct wake_list){ 0 });
	wake.item.reason = STR("second");
	add(&r, "s", &wake, list(&r, "s"));
	assert_int_equal(list(&r, "s").len, 1);
	check_str("kept", list(&r, "s").ptr[0].item.reason, STR("first"));
	wake.item.dedupe_key = (struct str){ 0 };
	add(&r, "s", &wake, list(&r, "s"));
	assert_int_equal(list(&r, "s").len, 2);
	rig_release(&r);
}

static void
Q6_due_wakes_come_in_the_order_they_run(void **state)
{
	static const struct queued_wake ALL[] = {
		{ .item = { .id = { "d", 1 }, .due_ms = 5, .priority = WAKE_LOW } },
		{ .item = { .id = { "c", 1 }, .due_ms = 9, .priority = WAKE_NORMAL } },
		{ .item = { .id = { "b", 1 }, .due_ms = 7, .priority = WAKE_NORMAL } },
		{ .item = { .id = { "a", 1 }, .due_ms = 11, .priority = WAKE_HIGH } },
		{ .item = { .id = { "p", 1 }, .due_ms = 1, .parked = true } },
	};
	struct wake_list all = { ALL, ARRAY_LEN(ALL) }, due;
	struct arena a;

	(void)state;
	arena_init(&a);
	due = wake_queue_due(all, &a, 10);
	assert_int_equal(due.len, 3);
	check_str("first", due.ptr[0].item.id, STR("b"));
	check_str("second", due.ptr[1].item.id, STR("c"));
	check_str("third", due.ptr[2].item.id, STR("d"));
	assert_int_equal(wake_queue_due(all, &a, 11).len, 4);
	check_str("urgent", wake_queue_due(all, &a, 11).ptr[0].item.id, STR("a"));
	arena_release(&a);
}

/* ---- turns ---- */

#define TURN                                                                    \
	"status_running model_request_start message\"over\" model_request_end " \
	"status_idle:end_turn"

static void
Q6_a_due_wake_starts_a_turn_and_is_gone_when_it_succeeds(void **state)
{
	(void)state;
	for (int mem = 0; mem < 2; mem++) {
		struct rig r;

		rig_init(&r, mem);
		rig_session(&r, "s", "script");
		add_at(&r, "s", 90 * SECOND, "look again");
		rig_advance(&r, 90 * SECOND - 1);
		assert_int_equal(rig_head(&r, "s"), 1);
		rig_advance(&r, 1);
		rig_await_log(&r, "s", 2, "message " TURN);
		assert_int_equal(list(&r, "s").len, 0);
		rig_release(&r);
	}
}

struct heard {
	struct arena *arena;
	struct str last;
	enum message_role role;
};

static void
on_request(void *ctx, const struct provider_request *q)
{
	struct heard *h = ctx;

	h->last = arena_str(h->arena, q->messages[q->message_count - 1].content);
	h->role = q->messages[q->message_count - 1].role;
}

static void
Q6_the_model_reads_why_it_was_woken(void **state)
{
	struct rig r;
	struct heard heard;

	(void)state;
	rig_init(&r, true);
	heard = (struct heard){ .arena = &r.arena };
	provider_scripted_watch(r.scripted, on_request, &heard);
	rig_session(&r, "s", "script");
	add_at(&r, "s", SECOND, "look again");
	rig_advance(&r, SECOND);
	check_str("said", heard.last,
		  STR("Nobody wrote: the session was woken as it was asked to.\n- look again: a "
		      "\"note\""));
	assert_int_equal(heard.role, MESSAGE_SYSTEM);
	rig_release(&r);
}

static void
Q6_wakes_due_together_share_a_turn(void **state)
{
	struct rig r;

	(void)state;
	rig_init(&r, true);
	rig_session(&r, "s", "script");
	rig_session(&r, "t", "main");
	rig_post(&r, "s", "first"); /* busy while they become due */
	add_at(&r, "t", SECOND, "other");
	add_at(&r, "s", 3 * SECOND, "late");
	add_at(&r, "s", 0, "now");
	rig_settle(&r);
	check_str("now", rig_log(&r, "s", 8), STR("message " TURN));
	add_at(&r, "s", 2 * SECOND, "x");
	r.host.now_ms += 5 * SECOND; /* the machine slept */
	rig_advance(&r, 5 * SECOND);
	check_str("both", rig_log(&r, "s", 14), STR("message " TURN));
	assert_int_equal(rig_head(&r, "t"), 7);
	assert_int_equal(list(&r, "s").len, 0);
	rig_release(&r);
}

static void
Q6_an_inactive_session_is_woken_too(void **state)
{
	struct rig r;

	(void)state;
	rig_init(&r, true);
	rig_session(&r, "s", "script");
	add_at(&r, "s", SECOND, "x");
	rig_append(&r, "s", EVENT_SESSION_UPDATED,
		   "{\"type\":\"session.updated\",\"lifecycle\":\"inactive\"}");
	rig_advance(&r, SECOND);
	check_str("log", rig_log(&r, "s", 3), STR("updated message " TURN));
	rig_release(&r);
}

static void
Q6_pending_messages_run_before_wakes(void **state)
{
	static const struct scripted_step STEPS[] = {
		{ SCRIPTED_WAIT, .wait_ms = 5000 }, { SCRIPTED_TEXT, STR("a") }, { SCRIPTED_DONE },
		{ SCRIPTED_TEXT, STR("b") },        { SCRIPTED_DONE },
	};
	struct rig r;

	(void)state;
	rig_init(&r, true);
	provider_scripted_play(r.scripted, STEPS, ARRAY_LEN(STEPS));
	rig_session(&r, "s", "script");
	rig_post(&r, "s", "one");
	add_at(&r, "s", SECOND, "later");
	rig_advance(&r, 2 * SECOND);
	rig_post(&r, "s", "two");
	rig_advance(&r, 5 * SECOND);
	check_str("log", rig_log(&r, "s", 5),
		  STR("message message\"a\" model_request_end status_idle:end_turn status_running "
		      "model_request_start message\"b\" model_request_end status_idle:end_turn "
		      "message " TURN));
	assert_int_equal(list(&r, "s").len, 0);
	rig_release(&r);
}

#define FAILS                                                           \
	"message status_running model_request_start model_request_end " \
	"error:model_request_failed_error status_idle:retries_exhausted"

static void
Q6_a_failed_turn_is_tried_again_and_given_up_in_the_end(void **state)
{
	static const struct scripted_step STEPS[] = {
		{ SCRIPTED_FAIL, STR("no"), .failure = FAILURE_REQUEST },
		{ SCRIPTED_FAIL, STR("no"), .failure = FAILURE_REQUEST },
		{ SCRIPTED_FAIL, STR("no"), .failure = FAILURE_REQUEST },
		{ SCRIPTED_FAIL, STR("no"), .failure = FAILURE_REQUEST },
		{ SCRIPTED_FAIL, STR("no"), .failure = FAILURE_REQUEST },
	};
	static const int64_t WAITS_MS[] = { 1000, 2000, 4000, 8000, 16000 };
	struct rig r;
	int64_t head = 1;

	(void)state;
	rig_init(&r, true);
	provider_scripted_play(r.scripted, STEPS, ARRAY_LEN(STEPS));
	rig_session(&r, "s", "script");
	add_at(&r, "s", SECOND, "try");
	for (size_t i = 0; i < ARRAY_LEN(WAITS_MS); i++) {
		bool last = i + 1 == ARRAY_LEN(WAITS_MS);

		rig_advance(&r, WAITS_MS[i] - 1);
		assert_int_equal(rig_head(&r, "s"), head);
		assert_int_equal(list(&r, "s").ptr[0].item.attempt, (int)i);
		rig_advance(&r, 1);
		check_str("log", rig_log(&r, "s", head + 1),
			  last ? STR(FAILS " error:unknown_error") : STR(FAILS));
		head = rig_head(&r, "s");
	}
	assert_int_equal(list(&r, "s").len, 1);
	assert_true(list(&r, "s").ptr[0].item.parked);
	rig_advance(&r, 3600 * SECOND); /* never again by itself ... */
	rig_wake(&r, "s");
	rig_restart(&r, 0); /* ... nor after a start */
	rig_advance(&r, 3600 * SECOND);
	assert_int_equal(rig_head(&r, "s"), head);
	rig_post(&r, "s", "hello"); /* and messages are not hindered */
	check_str("message", rig_log(&r, "s", head + 1), STR("message " TURN));
	rig_release(&r);
}

static void
Q6_a_wake_outlives_the_process_and_is_found_by_the_next(void **state)
{
	(void)state;
	for (int mem = 0; mem < 2; mem++) {
		struct rig r;

		rig_init(&r, mem);
		rig_session(&r, "s", "script");
		rig_session(&r, "t", "script");
		add_at(&r, "s", 10 * SECOND, "future");
		add_at(&r, "t", 20 * SECOND, "past");
		add_at(&r, "t", 7200 * SECOND, "far");
		rig_restart(&r, 0);
		rig_advance(&r, 10 * SECOND);
		rig_await_log(&r, "s", 2, "message " TURN);
		assert_int_equal(rig_head(&r, "t"), 1);
		rig_restart(&r, 30 * SECOND); /* due while nobody was there */
		rig_await_log(&r, "t", 2, "message " TURN);
		assert_int_equal(list(&r, "t").len, 1);
		rig_release(&r);
	}
}

static void
Q6_a_wake_is_kept_until_its_turn_has_ended_whoever_ends_it(void **state)
{
	static const struct scripted_step STEPS[] = { { SCRIPTED_WAIT, .wait_ms = -1 } };
	struct rig r;
	struct engine *dead;

	(void)state;
	rig_init(&r, true);
	provider_scripted_play(r.scripted, STEPS, ARRAY_LEN(STEPS));
	rig_session(&r, "s", "script");
	add_at(&r, "s", SECOND, "long");
	rig_advance(&r, SECOND);
	check_str("runs", rig_log(&r, "s", 2), STR("message status_running model_request_start"));
	assert_int_equal(list(&r, "s").len, 1);
	dead = rig_kill(&r);
	rig_settle(&r);
	check_str("goes on", rig_log(&r, "s", 5),
		  STR("model_request_end status_rescheduled:restart_interrupted#1 " TURN));
	assert_int_equal(list(&r, "s").len, 0);
	rig_bury(&r, dead);
	rig_release(&r);
}

static void
Q5_an_interrupt_cancels_queued_wakes(void **state)
{
	static const struct scripted_step STEPS[] = { { SCRIPTED_WAIT, .wait_ms = -1 } };
	struct rig r;

	(void)state;
	rig_init(&r, true);
	provider_scripted_play(r.scripted, STEPS, ARRAY_LEN(STEPS));
	rig_session(&r, "s", "script");
	rig_session(&r, "t", "script");
	add_at(&r, "t", 9 * SECOND, "another session's");
	add_at(&r, "s", 9 * SECOND, "one");
	add_at(&r, "s", 9 * SECOND, "two");
	rig_interrupt(&r, "s"); /* nothing is open: it only cancels wakes */
	assert_int_equal(list(&r, "s").len, 0);
	assert_int_equal(list(&r, "t").len, 1);
	check_str("no terminal", rig_log(&r, "s", 2), STR("interrupt"));

	add_at(&r, "s", SECOND, "runs");
	add_at(&r, "s", 5 * SECOND, "waits");
	rig_advance(&r, SECOND);
	assert_int_equal(list(&r, "s").len, 2);
	rig_interrupt(&r, "s");
	assert_int_equal(list(&r, "s").len, 0);
	check_str("one terminal", rig_log(&r, "s", 3),
		  STR("message status_running model_request_start interrupt model_request_end "
		      "status_idle:interrupted+"));
	rig_advance(&r, 60 * SECOND);
	assert_int_equal(rig_head(&r, "s"), 8);
	rig_release(&r);
}

static void
Q6_a_store_that_fails_delays_a_wake_and_loses_none(void **state)
{
	struct rig r;

	(void)state;
	rig_init(&r, true);
	rig_session(&r, "s", "script");
	rig_advance(&r, SECOND); /* the purge that a start begins has made its reads */
	add_at(&r, "s", SECOND, "x");
	r.fail_reads = 2;
	rig_advance(&r, SECOND);
	assert_int_equal(rig_head(&r, "s"), 1);
	rig_advance(&r, 3 * SECOND);
	check_str("log", rig_log(&r, "s", 2), STR("message " TURN));
	add_at(&r, "s", SECOND, "y");
	r.fail_appends = 2;
	rig_advance(&r, 5 * SECOND);
	check_str("log", rig_log(&r, "s", 8), STR("message " TURN));
	assert_int_equal(list(&r, "s").len, 0);
	rig_release(&r);
}

static void
Q6_a_wake_that_may_be_stored_is_run_when_it_is_due(void **state)
{
	struct rig r;

	(void)state;
	rig_init(&r, true);
	rig_session(&r, "s", "main");
	r.unsure_appends = 1;
	add_at(&r, "s", 5 * SECOND, "look");
	rig_advance(&r, 6 * SECOND);
	assert_true(str_ends(rig_log(&r, "s", 1), STR("status_idle:end_turn")));
	assert_int_equal(list(&r, "s").len, 0);
	rig_release(&r);
}

/* A turn that waited to ask again, and then went on in another process. */
static void
Q6_a_wake_is_named_once_by_its_turn(void **state)
{
	static const struct scripted_step STEPS[] = {
		{ SCRIPTED_FAIL, STR("busy"), .failure = FAILURE_OVERLOADED },
		{ SCRIPTED_WAIT, .wait_ms = -1 },
		{ SCRIPTED_FAIL, STR("no"), .failure = FAILURE_REQUEST },
	};
	struct engine *dead;
	struct rig r;

	(void)state;
	rig_init(&r, true);
	provider_scripted_play(r.scripted, STEPS, ARRAY_LEN(STEPS));
	rig_session(&r, "s", "script");
	add_at(&r, "s", SECOND, "look");
	rig_advance(&r, 10 * SECOND);
	dead = rig_kill(&r);
	assert_int_equal(rig_row(&r, "s")->row.state.phase, TURN_NONE);
	assert_int_equal(list(&r, "s").ptr[0].item.attempt, 1);
	rig_bury(&r, dead);
	rig_release(&r);
}

static void
on_put(void *ctx, const struct store_result *result)
{
	assert_int_equal(result->rc, 0);
	*(bool *)ctx = true;
}

static void
Q6_a_wake_of_another_process_is_not_forgotten_once_it_was_seen(void **state)
{
	struct store_put put = {
		.record = { .kind = RECORD_WAKE,
			    .id = STR("wake_1"),
			    .owner = STR("s"),
			    .body = STR("{\"id\":\"wake_1\",\"reason\":\"look\",\"due_at\":"
					"\"2025-06-15T15:06:45.000Z\"}") },
		.if_version = STORE_VERSION_ANY,
	};
	bool done = false;
	struct rig r;

	(void)state;
	rig_init(&r, true);
	rig_session(&r, "s", "main");
	put.record.due_at_ms = r.host.now_ms + 5 * SECOND;
	r.real->append(r.store, &(struct store_item){ .puts = &put, .put_count = 1 }, on_put,
		       &done);
	rig_settle_until(&r, &done);
	assert_int_equal(list(&r, "s").ptr[0].item.due_ms, put.record.due_at_ms);
	rig_wake(&r, "s");
	rig_advance(&r, 10 * SECOND);
	assert_int_equal(list(&r, "s").len, 0);
	rig_release(&r);
}

/* It is told that it is due, and then it is not. */
static void
Q6_a_clock_that_is_set_back_delays_a_wake_and_loses_none(void **state)
{
	struct rig r;

	(void)state;
	rig_init(&r, true);
	rig_session(&r, "s", "main");
	add_at(&r, "s", 5 * SECOND, "look");
	r.set_back_ms = 60 * SECOND;
	rig_advance(&r, 5 * SECOND);
	rig_advance(&r, 61 * SECOND);
	assert_int_equal(list(&r, "s").len, 0);
	rig_release(&r);
}

static void
Q6_many_sessions_are_due_at_once(void **state)
{
	enum { MANY = 600 };
	struct rig r;

	(void)state;
	rig_init(&r, true);
	for (int i = 0; i < MANY; i++) {
		const char *id = arena_printf(&r.arena, "s%d", i).ptr;

		rig_session(&r, id, "main");
		add_at(&r, id, 2 * SECOND - i, "x");
	}
	rig_restart(&r, 0);
	rig_advance(&r, 2 * SECOND);
	for (int i = 0; i < MANY; i++)
		assert_int_equal(rig_head(&r, arena_printf(&r.arena, "s%d", i).ptr), 7);
	rig_release(&r);
}

/* Only so many are woken at once; those that run anyway are not among them. */
static void
Q6_sessions_that_are_busy_hold_up_no_others(void **state)
{
	enum { BUSY = 20 };
	struct rig r;

	(void)state;
	rig_init(&r, true);
	for (int i = 0; i < BUSY; i++) {
		const char *id = arena_printf(&r.arena, "s%d", i).ptr;

		rig_session(&r, id, "main");
		rig_post(&r, id, "wait 600");
		add_at(&r, id, 2 * SECOND, "x");
	}
	rig_session(&r, "idle", "main");
	add_at(&r, "idle", 3 * SECOND, "x");
	rig_advance(&r, 5 * SECOND);
	assert_int_equal(list(&r, "idle").len, 0);
	rig_advance(&r, 1300 * SECOND); /* the wake's turn waits as long */
	for (int i = 0; i < BUSY; i++)
		assert_int_equal(list(&r, arena_printf(&r.arena, "s%d", i).ptr).len, 0);
	rig_release(&r);
}

/* A wake that is queued while an interrupt is on its way: the log says which of them was first. */
static void
Q5_a_wake_before_the_interrupt_is_cancelled_and_one_after_is_not(void **state)
{
	static const char CHECKPOINT[] =
		"{\"type\":\"session.checkpoint\",\"reason\":\"manual\",\"success\":true,"
		"\"upto_seq\":1}";
	int before = 0, after = 0;

	(void)state;
	for (int turns = 0; turns < 12; turns++) {
		struct json_doc doc;
		struct engine_call call;
		struct commit *c;
		struct rig r;
		bool done = false, interrupted = false, first;

		rig_init(&r, true);
		rig_session(&r, "s", "main");
		call = (struct engine_call){ .caller = &r.owner,
					     .done = on_interrupted,
					     .ctx = &interrupted };
		assert_int_equal(json_parse(&r.arena, STR("[{\"type\":\"user.interrupt\"}]"),
					    &JSON_LIMITS_DEFAULT, &doc, NULL),
				 0);
		engine_send(r.en, &call, STR("s"), json_root(&doc));
		for (int i = 0; i < turns; i++)
			store_dispatch(r.store);
		c = commit_new(r.en, STR("s"));
		commit_append(c, &(struct commit_event){ .kind = EVENT_SESSION_CHECKPOINT,
							 .author = AUTHOR_SYSTEM,
							 .payload = str_of(CHECKPOINT) });
		wake_queue_add(
			r.en, c, STR("s"),
			&(struct queued_wake){ .item = { .due_ms = r.host.now_ms + 9 * SECOND,
							 .reason = STR("queued") } },
			(struct wake_list){ 0 });
		commit_submit(c, on_done, &done);
		rig_settle_until(&r, &done);
		rig_settle_until(&r, &interrupted);
		first = str_eq(rig_log(&r, "s", 2), STR("checkpoint interrupt"));
		if (!first)
			check_str("log", rig_log(&r, "s", 2), STR("interrupt checkpoint"));
		assert_int_equal(list(&r, "s").len, first ? 0 : 1);
		*(first ? &before : &after) += 1;
		rig_release(&r);
	}
	assert_true(before > 0);
	assert_true(after > 0);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, Q6_a_wake_is_read_as_it_was_written);
	SUITE_TEST(&s, Q6_a_dedupe_key_is_queued_once);
	SUITE_TEST(&s, Q6_due_wakes_come_in_the_order_they_run);
	SUITE_TEST(&s, Q6_a_due_wake_starts_a_turn_and_is_gone_when_it_succeeds);
	SUITE_TEST(&s, Q6_the_model_reads_why_it_was_woken);
	SUITE_TEST(&s, Q6_wakes_due_together_share_a_turn);
	SUITE_TEST(&s, Q6_an_inactive_session_is_woken_too);
	SUITE_TEST(&s, Q6_pending_messages_run_before_wakes);
	SUITE_TEST(&s, Q6_a_failed_turn_is_tried_again_and_given_up_in_the_end);
	SUITE_TEST(&s, Q6_a_wake_outlives_the_process_and_is_found_by_the_next);
	SUITE_TEST(&s, Q6_a_wake_is_kept_until_its_turn_has_ended_whoever_ends_it);
	SUITE_TEST(&s, Q5_an_interrupt_cancels_queued_wakes);
	SUITE_TEST(&s, Q5_a_wake_before_the_interrupt_is_cancelled_and_one_after_is_not);
	SUITE_TEST(&s, Q6_a_store_that_fails_delays_a_wake_and_loses_none);
	SUITE_TEST(&s, Q6_a_wake_that_may_be_stored_is_run_when_it_is_due);
	SUITE_TEST(&s, Q6_a_wake_is_named_once_by_its_turn);
	SUITE_TEST(&s, Q6_a_wake_of_another_process_is_not_forgotten_once_it_was_seen);
	SUITE_TEST(&s, Q6_a_clock_that_is_set_back_delays_a_wake_and_loses_none);
	SUITE_TEST(&s, Q6_many_sessions_are_due_at_once);
	SUITE_TEST(&s, Q6_sessions_that_are_busy_hold_up_no_others);
	return suite_run(&s, "engine/wake_queue");
}

#include "engine/work.h"

#include "core/token.h"
#include "engine/commit.h"
#include "work_world.h"

/* ---- items come and go ---- */

static void
T11_a_call_makes_an_item_and_a_worker_takes_it(void **state)
{
	struct world w;
	struct rig_answer a;
	struct engine_caller holder;

	world_init(&w, *state != NULL);
	assert_int_equal(poll(&w).id.len, 0);
	park(&w, "s");
	assert_int_equal(stats(&w).depth, 1);
	a = poll(&w);
	assert_true(str_starts(a.id, STR("work_")));
	assert_true(token_is_well_formed(a.secret));
	assert_int_equal(stats(&w).depth, 0);
	assert_int_equal(stats(&w).pending, 1);
	assert_int_equal(stats(&w).workers, 1);
	assert_int_equal(poll(&w).id.len, 0);
	assert_int_equal(acknowledge(&w, &w.key, a.id), 0);
	check_state(&w, a.id, "starting");
	holder = engine_rig_caller(&w.r, a.secret);
	assert_int_equal(beat(&w, &holder, a.id, 0), 0);
	check_state(&w, a.id, "active");
	assert_int_equal(beat(&w, &holder, a.id, 0), ERR_PRECONDITION);
	assert_int_equal(beat(&w, &holder, a.id, last_beat(&w, a.id)), 0);
	answer(&w, "s");
	assert_int_equal(stop(&w, &holder, a.id, true), 0);
	check_state(&w, a.id, "stopped");
	assert_int_equal(engine_rig_count(&w.r, RECORD_WORK), 1);
	assert_int_equal(stop(&w, &w.key, a.id, true), ERR_CONFLICT);
	engine_rig_release(&w.r);
}

static void
T11_only_sessions_of_remote_environments_have_items(void **state)
{
	struct world w;

	world_init(&w, *state != NULL);
	open_in(&w, "s", STR("local-default"));
	say(&w, "s", "tool deploy {}");
	assert_true(engine_rig_session(&w.r, "s")->row.state.phase == TURN_PARKED);
	open_in(&w, "t", w.environment);
	say(&w, "t", "say nothing");
	assert_int_equal(engine_rig_count(&w.r, RECORD_WORK), 0);
	engine_rig_release(&w.r);
}

static void
T11_an_item_that_others_answered_is_taken_back(void **state)
{
	struct world w;
	struct str id;

	world_init(&w, *state != NULL);
	park(&w, "s");
	answer(&w, "s");
	assert_int_equal(poll(&w).id.len, 0);
	assert_true(str_contains(engine_rig_last(&w.r, RECORD_WORK), STR("\"stopped\"")));
	say(&w, "s", "tool deploy {}");
	id = poll(&w).id;
	assert_true(id.len > 0);
	assert_int_equal(engine_rig_count(&w.r, RECORD_WORK), 2);
	engine_rig_release(&w.r);
}

/* One item for all calls of a session, however many turns it sees. */
static void
T11_an_item_stays_as_long_as_its_worker(void **state)
{
	struct world w;
	struct rig_answer a;

	world_init(&w, *state != NULL);
	park(&w, "s");
	a = poll(&w);
	assert_int_equal(acknowledge(&w, &w.key, a.id), 0);
	for (int i = 0; i < 3; i++) {
		answer(&w, "s");
		say(&w, "s", "tool deploy {}");
	}
	assert_int_equal(engine_rig_count(&w.r, RECORD_WORK), 1);
	check_state(&w, a.id, "starting");
	engine_rig_release(&w.r);
}

/* A worker that gives up is not asked again at once, or it would do so for ever. */
static void
T11_what_a_worker_gave_up_is_queued_again(void **state)
{
	struct world w;
	struct rig_answer a;
	struct heard h;

	world_init(&w, *state != NULL);
	park(&w, "s");
	a = poll(&w);
	assert_int_equal(acknowledge(&w, &w.key, a.id), 0);
	assert_int_equal(stop(&w, &w.key, a.id, true), 0);
	assert_int_equal(engine_rig_count(&w.r, RECORD_WORK), 2);
	poll_for(&w, &h, 60000);
	virtual_host_advance(&w.r.host, WORK_AGAIN_MS - 1);
	assert_false(h.answer.done);
	virtual_host_advance(&w.r.host, 1);
	rig_expect(&h.answer, 0, NULL);
	assert_true(h.answer.id.len > 0 && !str_eq(h.answer.id, a.id));
	engine_rig_release(&w.r);
}

static void
T11_the_end_of_a_session_stops_its_item(void **state)
{
	static const struct {
		rig_end_fn *end;
	} ENDS[] = { { engine_session_archive }, { engine_session_delete } };

	for (size_t i = 0; i < ARRAY_LEN(ENDS); i++) {
		struct world w;
		struct rig_answer a;

		world_init(&w, *state != NULL);
		park(&w, "s");
		a = poll(&w);
		assert_int_equal(acknowledge(&w, &w.key, a.id), 0);
		answer(&w, "s");
		check_state(&w, a.id, "starting");
		rig_expect(rig_end(&w.r, ENDS[i].end, (struct rig_call){ .id = STR("s") }), 0,
			   NULL);
		virtual_host_settle(&w.r.host);
		check_state(&w, a.id, "stopped");
		engine_rig_release(&w.r);
	}
}

/* ---- leases ---- */

static void
T11_a_lost_lease_goes_to_another_worker(void **state)
{
	struct world w;
	struct rig_answer first, second;
	struct engine_caller former, holder;
	int64_t beat_ms;

	world_init(&w, *state != NULL);
	park(&w, "s");
	first = poll(&w);
	former = engine_rig_caller(&w.r, first.secret);
	assert_int_equal(acknowledge(&w, &w.key, first.id), 0);
	assert_int_equal(beat(&w, &former, first.id, 0), 0);
	beat_ms = last_beat(&w, first.id);
	virtual_host_advance(&w.r.host, 59999);
	check_state(&w, first.id, "active");
	virtual_host_advance(&w.r.host, 1);
	check_state(&w, first.id, "queued");
	assert_int_equal(beat(&w, &former, first.id, beat_ms), ERR_PRECONDITION);
	second = poll(&w);
	check_str("the same item", second.id, first.id);
	holder = engine_rig_caller(&w.r, second.secret);
	assert_int_equal(acknowledge(&w, &w.key, second.id), 0);
	assert_int_equal(beat(&w, &holder, second.id, 0), 0);
	assert_int_equal(beat(&w, &w.key, first.id, beat_ms), ERR_PRECONDITION);
	assert_int_equal(beat(&w, &former, first.id, last_beat(&w, first.id)), ERR_PRECONDITION);
	engine_rig_release(&w.r);
}

static void
T11_a_lost_lease_with_nothing_to_do_is_the_end(void **state)
{
	struct world w;
	struct rig_answer a;

	world_init(&w, *state != NULL);
	park(&w, "s");
	a = poll(&w);
	assert_int_equal(acknowledge(&w, &w.key, a.id), 0);
	answer(&w, "s");
	virtual_host_advance(&w.r.host, 60000);
	check_state(&w, a.id, "stopped");
	engine_rig_release(&w.r);
}

static void
T11_the_operator_asks_a_worker_to_end(void **state)
{
	struct world w;
	struct rig_answer a;
	struct engine_caller holder;

	world_init(&w, *state != NULL);
	park(&w, "s");
	a = poll(&w);
	holder = engine_rig_caller(&w.r, a.secret);
	assert_int_equal(acknowledge(&w, &w.key, a.id), 0);
	assert_int_equal(beat(&w, &holder, a.id, 0), 0);
	assert_int_equal(stop(&w, &w.r.owner, a.id, false), 0);
	check_state(&w, a.id, "stopping");
	assert_int_equal(beat(&w, &holder, a.id, 7), 0); /* and reads there that it is to end */
	virtual_host_advance(&w.r.host, 60000);
	check_state(&w, a.id, "stopped");
	engine_rig_release(&w.r);
}

/* ---- restarts ---- */

static void
T11_a_start_knows_what_was_open(void **state)
{
	struct world w;
	struct rig_answer held, queued;
	struct engine_caller holder;

	world_init(&w, *state != NULL);
	park(&w, "s");
	held = poll(&w);
	assert_int_equal(acknowledge(&w, &w.key, held.id), 0);
	park(&w, "t");
	world_restart(&w);
	holder = engine_rig_caller(&w.r, held.secret);
	assert_false(holder.who.lease_lost);
	assert_int_equal(beat(&w, &holder, held.id, 0), 0);
	queued = poll(&w);
	assert_true(queued.id.len > 0 && !str_eq(queued.id, held.id));
	settle(&w);
	assert_int_equal(engine_rig_count(&w.r, RECORD_WORK), 2);
	world_restart(&w);
	virtual_host_advance(&w.r.host, 60001);
	settle(&w);
	check_state(&w, held.id, "queued");
	engine_rig_release(&w.r);
}

static void
on_removed(void *ctx, const struct commit_result *result)
{
	assert_int_equal(result->store->rc, 0);
	*(bool *)ctx = true;
}

/* The kill came between the call's commit and the item's. */
static void
T11_a_start_makes_the_item_that_is_missing(void **state)
{
	struct world w;
	struct rig_answer a;
	struct commit *c;
	bool removed = false;

	world_init(&w, *state != NULL);
	park(&w, "s");
	a = poll(&w);
	c = commit_new(w.r.en, STR(""));
	commit_put(c, &(struct store_put){ .record = { .kind = RECORD_WORK, .id = a.id },
					   .if_version = STORE_VERSION_ANY,
					   .remove = true });
	commit_submit(c, on_removed, &removed);
	engine_rig_await(&w.r, &removed);
	world_restart(&w);
	settle(&w);
	assert_int_equal(engine_rig_count(&w.r, RECORD_WORK), 1);
	assert_true(poll(&w).id.len > 0);
	engine_rig_release(&w.r);
}

/* ---- secrets ---- */

static void
T11_a_secret_is_good_for_its_session_and_item(void **state)
{
	struct world w;
	struct rig_answer a, b;
	struct engine_caller holder;
	struct engine_work_stats s;
	struct err e;

	world_init(&w, *state != NULL);
	park(&w, "s");
	park(&w, "t");
	a = poll(&w);
	b = poll(&w);
	holder = engine_rig_caller(&w.r, a.secret);
	assert_int_equal(holder.who.kind, TOKEN_ENVIRONMENT);
	check_str("session", holder.who.session_id, STR("s"));
	assert_int_equal(acknowledge(&w, &holder, b.id), ERR_NOT_FOUND);
	assert_int_equal(engine_work_stats(w.r.en, &holder, w.environment, &s, &e), ERR_NOT_FOUND);
	assert_true(engine_token_is_live(w.r.en, holder.token_id));
	assert_true(engine_renew_caller(w.r.en, &holder));
	assert_int_equal(acknowledge(&w, &holder, a.id), 0);
	assert_int_equal(stop(&w, &holder, a.id, true), 0);
	assert_false(engine_token_is_live(w.r.en, holder.token_id));
	assert_true(engine_renew_caller(w.r.en, &holder));
	assert_true(holder.who.lease_lost); /* it may still be told that it is over */
	assert_int_equal(beat(&w, &holder, a.id, 0), 0);
	virtual_host_advance(&w.r.host, 10 * 60 * 1000);
	assert_int_equal(engine_authenticate(w.r.en, a.secret, &holder, &e), ERR_AUTH);
	engine_rig_release(&w.r);
}

static void
T11_a_takeover_ends_what_the_secret_opened(void **state)
{
	struct world w;
	struct rig_answer first, second, third;
	struct engine_caller a, b;
	struct err e;

	world_init(&w, *state != NULL);
	park(&w, "s");
	first = poll(&w);
	a = engine_rig_caller(&w.r, first.secret);
	assert_true(engine_token_is_live(w.r.en, a.token_id));
	virtual_host_advance(&w.r.host, WORK_RECLAIM_MS_DEFAULT);
	second = poll(&w);
	b = engine_rig_caller(&w.r, second.secret);
	assert_false(engine_token_is_live(w.r.en, a.token_id));
	assert_true(engine_token_is_live(w.r.en, b.token_id));
	assert_true(engine_renew_caller(w.r.en, &a) && a.who.lease_lost);
	virtual_host_advance(&w.r.host, WORK_RECLAIM_MS_DEFAULT);
	third = poll(&w);
	assert_int_equal(engine_authenticate(w.r.en, first.secret, &a, &e), ERR_AUTH);
	assert_false(engine_renew_caller(w.r.en, &a));
	assert_true(engine_rig_caller(&w.r, second.secret).who.lease_lost);
	assert_false(engine_rig_caller(&w.r, third.secret).who.lease_lost);
	engine_rig_release(&w.r);
}

static void
T11_a_worker_sends_results_and_nothing_else(void **state)
{
	static const char MESSAGE[] = "[{'type':'user.message','content':[{'type':'text',"
				      "'text':'x'}]}]";
	struct world w;
	struct rig_answer first, second;
	struct engine_caller former, holder;
	struct rig_call call = { .caller = &holder, .id = STR("s"), .body = MESSAGE };

	world_init(&w, *state != NULL);
	park(&w, "s");
	park(&w, "t");
	first = poll(&w);
	virtual_host_advance(&w.r.host, WORK_RECLAIM_MS_DEFAULT);
	second = poll(&w);
	check_str("taken over", first.id, second.id);
	former = engine_rig_caller(&w.r, first.secret);
	holder = engine_rig_caller(&w.r, second.secret);
	assert_int_equal(answer_as(&w, &former, "s"), ERR_NOT_FOUND);
	assert_int_equal(answer_as(&w, &holder, "t"), ERR_NOT_FOUND);
	rig_expect(rig_events(&w.r, call), ERR_DENIED, "no right");
	call.body = "[{'type':'user.interrupt'}]";
	rig_expect(rig_events(&w.r, call), ERR_DENIED, "no right");
	assert_int_equal(answer_as(&w, &holder, "s"), 0);
	assert_int_equal(answer_as(&w, &w.key, "t"), 0);
	check_str("the end", engine_rig_log(&w.r, "s", engine_rig_session(&w.r, "s")->row.head_seq),
		  STR("status_idle"));
	assert_true(engine_rig_session(&w.r, "t")->row.state.phase == TURN_NONE);
	engine_rig_release(&w.r);
}

static void
P8_a_secret_is_stored_nowhere(void **state)
{
	struct world w;
	struct rig_answer a;
	struct str body;

	world_init(&w, *state != NULL);
	park(&w, "s");
	a = poll(&w);
	body = engine_rig_record(&w.r, RECORD_WORK, a.id);
	assert_false(str_contains(body, str_slice(a.secret, 4, a.secret.len)));
	engine_rig_release(&w.r);
}

/* ---- the rest ---- */

static void
T11_metadata_is_merged(void **state)
{
	static const struct row {
		const char *body;
		int rc;
		const char *want;
	} ROWS[] = {
		{ "{'metadata':{'a':'1','b':'2'}}", 0, "{\"a\":\"1\",\"b\":\"2\"}" },
		{ "{'metadata':{'a':null,'c':'3'}}", 0, "{\"b\":\"2\",\"c\":\"3\"}" },
		{ "{'metadata':{}}", 0, "{\"b\":\"2\",\"c\":\"3\"}" },
		{ "{'metadata':{'a':7}}", ERR_INVALID, "{\"b\":\"2\",\"c\":\"3\"}" },
		{ "{}", ERR_INVALID, "{\"b\":\"2\",\"c\":\"3\"}" },
		{ "{'metadata':{},'state':'stopped'}", ERR_INVALID, "{\"b\":\"2\",\"c\":\"3\"}" },
	};
	struct world w;
	struct str id;

	world_init(&w, *state != NULL);
	park(&w, "s");
	id = poll(&w).id;
	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		struct rig_answer a = { .rig = &w.r };
		struct engine_call call = { .caller = &w.key, .done = rig_answered, .ctx = &a };

		engine_work_update(w.r.en, &call, ref(&w, id), engine_rig_json(&w.r, ROWS[i].body));
		rig_expect(&a, ROWS[i].rc, NULL);
		assert_true(
			str_contains(engine_rig_record(&w.r, RECORD_WORK, id),
				     arena_printf(&w.r.arena, "\"metadata\":%s", ROWS[i].want)));
	}
	engine_rig_release(&w.r);
}

static void
T11_an_item_of_another_environment_is_absent(void **state)
{
	struct world w;
	struct rig_call call = { .body = "{'name':'other'}" };
	struct str id, other;
	struct rig_answer a = { .rig = &w.r };
	struct engine_call to = { .caller = &w.r.owner, .done = rig_answered, .ctx = &a };

	world_init(&w, *state != NULL);
	park(&w, "s");
	id = poll(&w).id;
	other = rig_make(&w.r, engine_environment_create, call)->id;
	engine_work_acknowledge(w.r.en, &to, (struct engine_work){ other, id });
	rig_expect(&a, ERR_NOT_FOUND, "there is no work item");
	a.done = false;
	to.caller = &w.key;
	engine_work_acknowledge(w.r.en, &to, (struct engine_work){ other, id });
	rig_expect(&a, ERR_NOT_FOUND, "there is no such work queue or item here");
	assert_int_equal(acknowledge(&w, &w.r.owner, STR("work_x")), ERR_NOT_FOUND);
	engine_rig_release(&w.r);
}

static void
A10_a_repeat_is_told_by_its_key(void **state)
{
	struct world w;
	struct str id;
	struct engine_repeat repeat = { .scope = STR("x"), .key = STR("k") };
	struct rig_answer a = { .rig = &w.r };
	struct engine_call call = {
		.caller = &w.key, .repeat = &repeat, .done = rig_answered, .ctx = &a
	};

	world_init(&w, *state != NULL);
	park(&w, "s");
	id = poll(&w).id;
	for (int i = 0; i < 2; i++) {
		a.done = false;
		engine_work_stop(w.r.en, &call, ref(&w, id), true);
		rig_expect(&a, 0, NULL);
		assert_int_equal(a.replayed, i == 1);
		check_str("id", a.id, id);
	}
	engine_rig_release(&w.r);
}

static const int64_t DAY_MS = INT64_C(86400000);

static void
T11_stopped_items_are_kept_for_a_week(void **state)
{
	struct world w;

	world_init(&w, *state != NULL);
	park(&w, "a");
	answer(&w, "a");
	park(&w, "b");
	answer(&w, "b");
	park(&w, "open"); /* nobody takes it: it stays */
	assert_int_equal(engine_rig_count(&w.r, RECORD_WORK), 3);
	virtual_host_advance(&w.r.host, 6 * DAY_MS);
	engine_rig_restart(&w.r);
	virtual_host_advance(&w.r.host, 1000);
	assert_int_equal(engine_rig_count(&w.r, RECORD_WORK), 3);
	virtual_host_advance(&w.r.host, 2 * DAY_MS);
	engine_rig_restart(&w.r);
	virtual_host_advance(&w.r.host, 1000);
	while (engine_rig_count(&w.r, RECORD_WORK) > 1)
		virtual_host_advance(&w.r.host, 1000);
	assert_true(str_contains(engine_rig_last(&w.r, RECORD_WORK), STR("\"queued\"")));
	engine_rig_release(&w.r);
}

static void
T11_and_go_while_others_come(void **state)
{
	struct world w;

	world_init(&w, *state != NULL);
	park(&w, "a");
	answer(&w, "a");
	virtual_host_advance(&w.r.host, 8 * DAY_MS);
	assert_int_equal(engine_rig_count(&w.r, RECORD_WORK), 0);
	park(&w, "b");
	answer(&w, "b");
	virtual_host_advance(&w.r.host, DAY_MS / 24);
	assert_int_equal(engine_rig_count(&w.r, RECORD_WORK), 1);
	engine_rig_release(&w.r);
}

int
main(void)
{
	static const bool ON_DISK = true;
	struct suite s = { 0 };
	static const int SQLITE = 1;

	SUITE_TEST(&s, T11_a_call_makes_an_item_and_a_worker_takes_it);
	SUITE_TEST(&s, T11_only_sessions_of_remote_environments_have_items);
	SUITE_TEST(&s, T11_stopped_items_are_kept_for_a_week);
	suite_add(&s, "T11 stopped items are kept for a week in sqlite",
		  T11_stopped_items_are_kept_for_a_week, &SQLITE);
	SUITE_TEST(&s, T11_and_go_while_others_come);
	SUITE_TEST(&s, T11_an_item_that_others_answered_is_taken_back);
	SUITE_TEST(&s, T11_an_item_stays_as_long_as_its_worker);
	SUITE_TEST(&s, T11_what_a_worker_gave_up_is_queued_again);
	SUITE_TEST(&s, T11_the_end_of_a_session_stops_its_item);
	SUITE_TEST(&s, T11_a_lost_lease_goes_to_another_worker);
	SUITE_TEST(&s, T11_a_lost_lease_with_nothing_to_do_is_the_end);
	SUITE_TEST(&s, T11_the_operator_asks_a_worker_to_end);
	SUITE_TEST(&s, T11_a_start_knows_what_was_open);
	SUITE_TEST(&s, T11_a_start_makes_the_item_that_is_missing);
	SUITE_TEST(&s, T11_a_secret_is_good_for_its_session_and_item);
	SUITE_TEST(&s, T11_a_takeover_ends_what_the_secret_opened);
	SUITE_TEST(&s, T11_a_worker_sends_results_and_nothing_else);
	SUITE_TEST(&s, P8_a_secret_is_stored_nowhere);
	SUITE_TEST(&s, T11_metadata_is_merged);
	SUITE_TEST(&s, T11_an_item_of_another_environment_is_absent);
	SUITE_TEST(&s, A10_a_repeat_is_told_by_its_key);
	suite_add(&s, "T11 on disk: a start knows what was open", T11_a_start_knows_what_was_open,
		  &ON_DISK);
	suite_add(&s, "T11 on disk: a start makes the item that is missing",
		  T11_a_start_makes_the_item_that_is_missing, &ON_DISK);
	return suite_run(&s, "engine/work");
}

#include "engine/work.h"

#include "core/token.h"
#include "engine/access.h"
#include "engine/commit.h"
#include "engine_rig.h"

/* A server with a self-hosted environment, its token, and an agent whose tool a client executes. */
struct world {
	struct engine_rig r;
	struct str environment, agent;
	struct engine_caller key;
};

static void
world_init(struct world *w, bool on_sqlite)
{
	struct rig_call call = { .body = "{'name':'e','config':{'type':'self_hosted'}}" };

	engine_rig_init(&w->r, on_sqlite);
	w->environment = rig_make(&w->r, engine_environment_create, call)->id;
	call.body = "{'name':'a','model':'demo','tools':[{'type':'custom','name':'deploy',"
		    "'description':'d','input_schema':{'type':'object'}}]}";
	w->agent = rig_make(&w->r, engine_agent_create, call)->id;
	call.body =
		arena_printf(&w->r.arena, "{'kind':'environment','environment_id':'" STR_FMT "'}",
			     STR_ARG(w->environment))
			.ptr;
	w->key = engine_rig_caller(&w->r, rig_make(&w->r, engine_token_create, call)->secret);
}

static void
world_restart(struct world *w)
{
	engine_rig_restart(&w->r);
	w->key = (struct engine_caller){ .who = { .kind = TOKEN_ENVIRONMENT,
						  .environment_id = w->environment },
					 .token_id = STR("tok") };
}

static void
open_in(struct world *w, const char *session, struct str environment)
{
	struct rig_call call = { .body = arena_printf(&w->r.arena,
						      "{'id':'%s','agent':'" STR_FMT
						      "','environment_id':'" STR_FMT "'}",
						      session, STR_ARG(w->agent),
						      STR_ARG(environment))
						 .ptr };

	rig_expect(rig_make(&w->r, engine_session_open, call), 0, NULL);
}

/* Whatever the engine does by itself: on disk one step of it takes as long as it takes. */
static void
settle(struct world *w)
{
	virtual_host_settle(&w->r.host);
	for (int quiet = 0; w->r.on_sqlite && quiet < 5;) {
		quiet = store_wait(w->r.store, 50) ? 0 : quiet + 1;
		virtual_host_settle(&w->r.host);
	}
}

static void
say(struct world *w, const char *session, const char *text)
{
	rig_expect(rig_say(&w->r, &(struct engine_message){ .text = str_of(text) },
			   (struct rig_call){ .id = str_of(session) }),
		   0, NULL);
	settle(w);
}

/* A session that waits for its tool. */
static void
park(struct world *w, const char *session)
{
	open_in(w, session, w->environment);
	say(w, session, "tool deploy {}");
}

/* The result of the call that the session waits for; NULL: the owner's. */
static int
answer_as(struct world *w, const struct engine_caller *who, const char *session)
{
	struct rig_call call = { .caller = who, .id = str_of(session) };
	struct rig_answer *a;
	struct str payload, id;
	size_t at;

	for (int64_t seq = engine_rig_session(&w->r, session)->row.head_seq;; seq--) {
		payload = engine_rig_payload(&w->r, session, seq);
		if (str_find(payload, STR("\"event_ids\":[\""), 0, &at))
			break;
	}
	str_cut(str_slice(payload, at + 14, payload.len), '"', &id, &payload);
	call.body = arena_printf(&w->r.arena,
				 "[{'type':'user.custom_tool_result','custom_tool_use_id':"
				 "'" STR_FMT "','content':[]}]",
				 STR_ARG(id))
			    .ptr;
	a = rig_events(&w->r, call);
	engine_rig_await(&w->r, &a->done);
	settle(w);
	return a->rc;
}

static void
answer(struct world *w, const char *session)
{
	assert_int_equal(answer_as(w, NULL, session), 0);
}

/* ---- commands ---- */

struct heard {
	struct rig_answer answer;
	struct engine_call call;
	struct engine_poll poll;
	bool gone;
};

static bool
is_there(void *ctx)
{
	struct rig_answer *a = ctx;

	return !LIST_OWNER(a, struct heard, answer)->gone;
}

static void
poll_for(struct world *w, struct heard *h, int64_t block_ms)
{
	*h = (struct heard){ .answer.rig = &w->r,
			     .call = { .caller = &w->key, .done = rig_answered, .ctx = &h->answer },
			     .poll = { .environment = w->environment,
				       .worker = STR("w1"),
				       .block_ms = block_ms,
				       .reclaim_ms = WORK_RECLAIM_MS_DEFAULT,
				       .is_there = is_there } };
	engine_work_poll(w->r.en, &h->call, &h->poll);
	assert_false(h->answer.done);
}

/* What a poll that does not wait gets; an empty id: nothing. */
static struct rig_answer
poll(struct world *w)
{
	struct heard h;

	poll_for(w, &h, 0);
	rig_expect(&h.answer, 0, NULL);
	return h.answer;
}

static struct engine_work
ref(struct world *w, struct str id)
{
	return (struct engine_work){ w->environment, id };
}

static int
acknowledge(struct world *w, const struct engine_caller *who, struct str id)
{
	struct rig_answer a = { .rig = &w->r };
	struct engine_call call = { .caller = who, .done = rig_answered, .ctx = &a };

	engine_work_acknowledge(w->r.en, &call, ref(w, id));
	engine_rig_await(&w->r, &a.done);
	return a.rc;
}

static int
beat(struct world *w, const struct engine_caller *who, struct str id, int64_t expected_ms)
{
	struct rig_answer a = { .rig = &w->r };
	struct engine_call call = { .caller = who, .done = rig_answered, .ctx = &a };
	struct work_heartbeat b = { .has_expected = expected_ms >= 0, .expected_ms = expected_ms };

	engine_work_heartbeat(w->r.en, &call, ref(w, id), &b);
	engine_rig_await(&w->r, &a.done);
	return a.rc;
}

static int
stop(struct world *w, const struct engine_caller *who, struct str id, bool force)
{
	struct rig_answer a = { .rig = &w->r };
	struct engine_call call = { .caller = who, .done = rig_answered, .ctx = &a };

	engine_work_stop(w->r.en, &call, ref(w, id), force);
	engine_rig_await(&w->r, &a.done);
	virtual_host_settle(&w->r.host);
	return a.rc;
}

static struct engine_work_stats
stats(struct world *w)
{
	struct engine_work_stats s;
	struct err e;

	assert_int_equal(engine_work_stats(w->r.en, &w->key, w->environment, &s, &e), 0);
	return s;
}

static void
check_state(struct world *w, struct str id, const char *state)
{
	struct str body = engine_rig_record(&w->r, RECORD_WORK, id);
	struct str want = arena_printf(&w->r.arena, "\"state\":\"%s\"", state);

	if (!str_contains(body, want))
		fail_msg("not %s: " STR_FMT, state, STR_ARG(body));
}

static int64_t
last_beat(struct world *w, struct str id)
{
	struct work_item item;
	struct json_doc doc;

	assert_int_equal(json_parse(&w->r.arena, engine_rig_record(&w->r, RECORD_WORK, id),
				    &JSON_LIMITS_DEFAULT, &doc, NULL),
			 0);
	assert_int_equal(work_item_read(json_root(&doc), &w->r.arena, &item, NULL), 0);
	return item.heartbeat_ms;
}

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

/* ---- waiting ---- */

static void
T11_a_poll_waits_for_what_comes(void **state)
{
	struct world w;
	struct heard first, second, late;

	world_init(&w, *state != NULL);
	poll_for(&w, &first, 10000);
	poll_for(&w, &second, 20000);
	virtual_host_advance(&w.r.host, 9999);
	assert_false(first.answer.done);
	park(&w, "s");
	rig_expect(&first.answer, 0, NULL);
	assert_true(first.answer.id.len > 0);
	assert_false(second.answer.done);
	assert_int_equal(acknowledge(&w, &w.key, first.answer.id), 0);
	virtual_host_advance(&w.r.host, 20001 - 9999);
	rig_expect(&second.answer, 0, NULL);
	assert_int_equal(second.answer.id.len, 0);
	poll_for(&w, &late, 1);
	virtual_host_advance(&w.r.host, 1);
	rig_expect(&late.answer, 0, NULL);
	engine_rig_release(&w.r);
}

static void
T11_many_polls_share_what_there_is(void **state)
{
	enum { POLLS = 50, ITEMS = 20 };
	struct world w;
	struct heard h[POLLS];
	size_t got = 0;

	world_init(&w, *state != NULL);
	for (size_t i = 0; i < POLLS; i++)
		poll_for(&w, &h[i], 60000);
	for (size_t i = 0; i < ITEMS; i++)
		park(&w, arena_printf(&w.r.arena, "s%zu", i).ptr);
	for (size_t i = 0; i < POLLS; i++)
		if (h[i].answer.done)
			got++;
	assert_int_equal(got, ITEMS);
	for (size_t i = 0; i < ITEMS; i++) /* first come, first served; nobody's twice */
		for (size_t k = 0; k < i; k++)
			assert_false(str_eq(h[i].answer.id, h[k].answer.id));
	engine_rig_drain(&w.r, w.r.en);
	for (size_t i = ITEMS; i < POLLS; i++)
		rig_expect(&h[i].answer, ERR_UNAVAILABLE, "shutting down");
	engine_rig_release(&w.r);
}

static void
T11_nothing_goes_to_one_who_left(void **state)
{
	struct world w;
	struct heard gone, there;

	world_init(&w, *state != NULL);
	poll_for(&w, &gone, 60000);
	poll_for(&w, &there, 60000);
	gone.gone = true;
	park(&w, "s");
	rig_expect(&there.answer, 0, NULL);
	assert_true(there.answer.id.len > 0);
	rig_expect(&gone.answer, 0, NULL);
	assert_int_equal(gone.answer.id.len, 0);
	engine_rig_release(&w.r);
}

static void
T11_what_nobody_acknowledged_is_handed_out_again(void **state)
{
	struct world w;
	struct rig_answer first;
	struct heard second;
	struct engine_caller former, holder;

	world_init(&w, *state != NULL);
	park(&w, "s");
	first = poll(&w);
	poll_for(&w, &second, 60000);
	virtual_host_advance(&w.r.host, WORK_RECLAIM_MS_DEFAULT - 1);
	assert_false(second.answer.done);
	virtual_host_advance(&w.r.host, 1);
	rig_expect(&second.answer, 0, NULL);
	check_str("the same item", second.answer.id, first.id);
	former = engine_rig_caller(&w.r, first.secret);
	holder = engine_rig_caller(&w.r, second.answer.secret);
	assert_true(former.who.lease_lost);
	assert_int_equal(acknowledge(&w, &former, first.id), ERR_CONFLICT);
	assert_int_equal(acknowledge(&w, &holder, first.id), 0);
	assert_int_equal(beat(&w, &former, first.id, 0), ERR_PRECONDITION);
	assert_int_equal(beat(&w, &holder, first.id, 0), 0);
	assert_int_equal(stop(&w, &former, first.id, true), ERR_CONFLICT);
	engine_rig_release(&w.r);
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
	rig_expect(&a, ERR_NOT_FOUND, "there is no such thing here");
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

int
main(void)
{
	static const bool ON_DISK = true;
	struct suite s = { 0 };

	SUITE_TEST(&s, T11_a_call_makes_an_item_and_a_worker_takes_it);
	SUITE_TEST(&s, T11_only_sessions_of_remote_environments_have_items);
	SUITE_TEST(&s, T11_an_item_that_others_answered_is_taken_back);
	SUITE_TEST(&s, T11_an_item_stays_as_long_as_its_worker);
	SUITE_TEST(&s, T11_what_a_worker_gave_up_is_queued_again);
	SUITE_TEST(&s, T11_the_end_of_a_session_stops_its_item);
	SUITE_TEST(&s, T11_a_poll_waits_for_what_comes);
	SUITE_TEST(&s, T11_many_polls_share_what_there_is);
	SUITE_TEST(&s, T11_nothing_goes_to_one_who_left);
	SUITE_TEST(&s, T11_what_nobody_acknowledged_is_handed_out_again);
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

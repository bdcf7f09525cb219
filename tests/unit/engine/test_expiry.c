#include "engine/expiry.h"

#include "engine/agent_cache.h"
#include "engine/expiry_private.h"
#include "lane_rig.h"

#define DM "{'source':{'platform':'telegram','chat_id':'1','user_id':'u'}}"

enum { PASS_MS = 300 * 1000 };
static const int64_t HOUR_MS = 3600 * 1000, DAY_MS = 24 * INT64_C(3600) * 1000;

/* A hook that fails so often, or that answers when it is told to. */
struct hook {
	int calls, failures;
	bool holds;
	engine_hook_done_fn *done;
	void *done_ctx;
	struct host *host;
	struct host_task task;
	char session[201];
};

static void
answer(struct host_task *task)
{
	struct hook *h = LIST_OWNER(task, struct hook, task);
	struct err e = { 0 };
	int rc = 0;

	if (h->failures > 0) {
		h->failures--;
		rc = err_set(&e, ERR_TIMEOUT, "the hook did not answer");
	}
	h->done(h->done_ctx, rc, &e);
}

static void
on_finalize(void *ctx, const struct engine_finalize *what, engine_hook_done_fn *done,
	    void *done_ctx)
{
	struct hook *h = ctx;

	h->calls++;
	h->done = done;
	h->done_ctx = done_ctx;
	memcpy(h->session, what->session.ptr, what->session.len);
	h->session[what->session.len] = '\0';
	if (h->holds)
		return;
	list_init(&h->task.node);
	h->task.fn = answer;
	host_defer(h->host, &h->task);
}

static void
listen(struct engine_rig *r, struct hook *h)
{
	h->host = r->en->host;
	r->en->config.hooks = (struct engine_hooks){ on_finalize, h };
	r->en->config.policies.reset = reset_soon;
}

static void
pass(struct engine_rig *r, int times)
{
	for (int i = 0; i < times; i++)
		virtual_host_advance(&r->host, PASS_MS);
}

static void
start(struct engine_rig *r, void **state, struct hook *h)
{
	engine_rig_init(r, *state != NULL);
	listen(r, h);
}

static void
R5_an_expired_lane_is_finalized_once(void **state)
{
	struct engine_rig r;
	struct hook h = { 0 };
	struct rig_answer *lane;

	start(&r, state, &h);
	lane = resolve(&r, DM);
	pass(&r, 1);
	assert_int_equal(h.calls, 1);
	assert_string_equal(h.session, lane->id.ptr);
	assert_true(stored_entry(&r, lane->lane).expiry_finalized);
	pass(&r, 3);
	assert_int_equal(h.calls, 1);
	assert_int_equal(engine_rig_session(&r, lane->id.ptr)->row.state.lifecycle,
			 LIFECYCLE_ACTIVE); /* finalizing changes no lifecycle */
	engine_rig_restart(&r);
	listen(&r, &h);
	pass(&r, 3);
	assert_int_equal(h.calls, 1);
	engine_rig_release(&r);
}

static void
R5_a_failing_hook_is_asked_three_times(void **state)
{
	struct engine_rig r;
	struct hook h = { .failures = 100 };
	struct rig_answer *lane;

	start(&r, state, &h);
	lane = resolve(&r, DM);
	pass(&r, 1);
	assert_int_equal(stored_entry(&r, lane->lane).finalize_attempts, 1);
	engine_rig_restart(&r); /* it counts on */
	listen(&r, &h);
	pass(&r, 1);
	assert_false(stored_entry(&r, lane->lane).expiry_finalized);
	pass(&r, 1);
	assert_int_equal(h.calls, 3);
	assert_true(stored_entry(&r, lane->lane).expiry_finalized);
	pass(&r, 2);
	assert_int_equal(h.calls, 3);
	engine_rig_release(&r);
}

static void
R5_with_mode_none_nothing_expires(void **state)
{
	struct engine_rig r;
	struct hook h = { 0 };
	struct rig_answer *lane;

	start(&r, state, &h);
	r.en->config.policies.reset = NULL;
	lane = resolve(&r, DM);
	virtual_host_advance(&r.host, 2 * DAY_MS);
	pass(&r, 2);
	assert_int_equal(h.calls, 0);
	assert_false(stored_entry(&r, lane->lane).expiry_finalized);
	engine_rig_release(&r);
}

static void
R5_a_running_session_is_never_touched(void **state)
{
	struct engine_rig r;
	struct hook h = { 0 };
	struct rig_answer *lane;

	start(&r, state, &h);
	lane = resolve(&r, DM);
	rig_expect(rig_say(&r, &(struct engine_message){ .text = STR("wait 1000") },
			   (struct rig_call){ .id = lane->id }),
		   0, NULL);
	pass(&r, 3);
	assert_int_equal(h.calls, 0);
	assert_int_equal(engine_rig_session(&r, lane->id.ptr)->row.state.phase, TURN_RUNNING);
	pass(&r, 2); /* it ends, and is used by that */
	pass(&r, 1);
	assert_int_equal(h.calls, 1);
	engine_rig_release(&r);
}

/* Written to by its id: the lane's own record knows nothing of it. */
static void
R5_a_session_that_was_used_meanwhile_goes_on(void **state)
{
	struct engine_rig r;
	struct hook h = { 0 };
	struct rig_answer *lane;

	start(&r, state, &h);
	lane = resolve(&r, DM);
	virtual_host_advance(&r.host, PASS_MS - 1000);
	rig_expect(rig_say(&r, &(struct engine_message){ .text = STR("say a") },
			   (struct rig_call){ .id = lane->id }),
		   0, NULL);
	virtual_host_advance(&r.host, 1000);
	assert_int_equal(h.calls, 0);
	assert_int_equal(stored_entry(&r, lane->lane).updated_ms, RIG_NOW_MS + PASS_MS - 1000);
	pass(&r, 1);
	assert_int_equal(h.calls, 1);
	engine_rig_release(&r);
}

/* Finalized, then written to by its id: once its lane goes on it has another life, and another end. */
static void
R5_a_lane_that_goes_on_may_expire_again(void **state)
{
	struct engine_rig r;
	struct hook h = { 0 };
	struct rig_answer *lane;

	start(&r, state, &h);
	lane = resolve(&r, DM);
	pass(&r, 1);
	assert_true(stored_entry(&r, lane->lane).expiry_finalized);
	rig_expect(rig_say(&r, &(struct engine_message){ .text = STR("say a") },
			   (struct rig_call){ .id = lane->id }),
		   0, NULL);
	check_str("goes on", resolve(&r, DM)->id, lane->id);
	assert_false(stored_entry(&r, lane->lane).expiry_finalized);
	pass(&r, 2);
	assert_int_equal(h.calls, 2);
	engine_rig_release(&r);
}

static void
R5_old_lanes_are_forgotten_hourly_and_their_sessions_stay(void **state)
{
	struct engine_rig r;
	struct hook h = { 0 };
	struct rig_answer *lane;

	start(&r, state, &h);
	r.en->config.policies.reset = NULL;
	lane = resolve(&r, DM);
	pass(&r, 1);
	r.en->config.settings.lane_max_age_days = 1;
	virtual_host_advance(&r.host, DAY_MS - 4 * HOUR_MS);
	pass(&r, 2);
	assert_int_equal(engine_rig_count(&r, RECORD_LANE), 1);
	virtual_host_advance(&r.host, 5 * HOUR_MS);
	pass(&r, 13);
	assert_int_equal(engine_rig_count(&r, RECORD_LANE), 0);
	assert_non_null(engine_rig_session(&r, lane->id.ptr));
	engine_rig_release(&r);
}

static void
R5_direct_sessions_become_inactive_after_three_days(void **state)
{
	struct engine_rig r;
	struct hook h = { 0 };

	start(&r, state, &h);
	for (int i = 0; i < 120; i++) /* more than a page */
		rig_open(&r, NULL, arena_printf(&r.arena, "cli:%d", i).ptr);
	rig_expect(rig_make(&r, engine_session_open,
			    (struct rig_call){ .body = "{'id':'cli:group','source':{'kind':'cli',"
						       "'type':'group'}}" }),
		   0, NULL);
	virtual_host_advance(&r.host, 2 * DAY_MS);
	rig_open(&r, NULL, "cli:young");
	virtual_host_advance(&r.host, DAY_MS - HOUR_MS);
	pass(&r, 2);
	assert_int_equal(engine_rig_session(&r, "cli:0")->row.state.lifecycle, LIFECYCLE_ACTIVE);
	virtual_host_advance(&r.host, HOUR_MS);
	pass(&r, 2);
	assert_int_equal(engine_rig_session(&r, "cli:0")->row.state.lifecycle, LIFECYCLE_INACTIVE);
	assert_int_equal(engine_rig_session(&r, "cli:119")->row.state.lifecycle,
			 LIFECYCLE_INACTIVE);
	assert_int_equal(engine_rig_session(&r, "cli:young")->row.state.lifecycle,
			 LIFECYCLE_ACTIVE);
	assert_int_equal(engine_rig_session(&r, "cli:group")->row.state.lifecycle,
			 LIFECYCLE_ACTIVE);
	rig_expect(rig_say(&r, &(struct engine_message){ .text = STR("say a") },
			   (struct rig_call){ .id = STR("cli:0") }),
		   0, NULL);
	assert_int_equal(engine_rig_session(&r, "cli:0")->row.state.lifecycle, LIFECYCLE_ACTIVE);
	virtual_host_advance(&r.host, 2 * DAY_MS);
	pass(&r, 2);
	assert_int_equal(engine_rig_session(&r, "cli:young")->row.state.lifecycle,
			 LIFECYCLE_INACTIVE);
	assert_int_equal(engine_rig_session(&r, "cli:0")->row.state.lifecycle, LIFECYCLE_ACTIVE);
	engine_rig_release(&r);
}

/* A hook that never answers holds a drain up to its timeout, and may answer when all is gone. */
static void
R5_a_drain_does_not_wait_for_a_hook_for_ever(void **state)
{
	struct engine_rig r;
	struct hook h = { .holds = true };
	struct rig_answer *lane;

	start(&r, state, &h);
	lane = resolve(&r, DM);
	pass(&r, 1);
	assert_int_equal(h.calls, 1);
	engine_rig_restart(&r);
	h.done(h.done_ctx, 0, NULL);
	assert_false(stored_entry(&r, lane->lane).expiry_finalized);
	engine_rig_release(&r);
}

/* ---- what finalizing closes and takes back ---- */

static void
say(struct engine_rig *r, struct str session)
{
	rig_expect(rig_say(r, &(struct engine_message){ .text = STR("say a") },
			   (struct rig_call){ .id = session }),
		   0, NULL);
	virtual_host_settle(&r->host);
}

static void
choose(struct engine_rig *r, struct str session)
{
	rig_expect(
		rig_change(r, engine_session_update,
			   (struct rig_call){ .id = session,
					      .body = "{'agent':{'tools':[],'model':{'id':'demo',"
						      "'effort':{'type':'high'}}},'budget':{"
						      "'type':'limit','max_list_cost':{'amount':"
						      "'250','currency':'USD'}}}" }),
		0, NULL);
}

static void
R5_finalizing_takes_back_the_choice_of_a_model(void **state)
{
	struct engine_rig r;
	struct hook h = { 0 };
	struct rig_answer *lane;
	struct str extra, told;

	start(&r, state, &h);
	lane = resolve(&r, DM);
	choose(&r, lane->id);
	extra = engine_rig_record(&r, RECORD_SESSION_EXTRA, lane->id);
	assert_true(str_contains(extra, STR("\"high\"")));
	pass(&r, 1);
	assert_true(stored_entry(&r, lane->lane).expiry_finalized);
	extra = engine_rig_record(&r, RECORD_SESSION_EXTRA, lane->id);
	assert_true(str_starts(extra, STR("{\"agent\":{\"id\":\"main\"")));
	assert_false(str_contains(extra, STR("high")));
	assert_false(str_contains(extra, STR("model_before")));
	assert_true(str_contains(extra, STR("\"tools\":[]")));       /* what else it changed ... */
	assert_true(str_contains(extra, STR("\"amount\":\"250\""))); /* ... stays */
	check_str("log", engine_rig_log(&r, lane->id.ptr, 1), STR("created updated updated"));
	told = engine_rig_payload(&r, lane->id.ptr, 3);
	assert_true(str_starts(told, STR("{\"type\":\"session.updated\",\"agent\":{\"id\":")));
	assert_false(str_contains(told, STR("high")));
	assert_int_equal(engine_rig_session(&r, lane->id.ptr)->row.state.lifecycle,
			 LIFECYCLE_ACTIVE);
	pass(&r, 3);
	check_str("log", engine_rig_log(&r, lane->id.ptr, 1), STR("created updated updated"));
	engine_rig_release(&r);
}

static void
on_past(void *ctx, const struct store_result *result)
{
	assert_int_equal(result->rc, 0);
	*(bool *)ctx = true;
}

/* A message that nobody here has heard of yet. */
static void
write_past(struct engine_rig *r, struct str session)
{
	struct event ev = { .id = STR("past"),
			    .kind = EVENT_USER_MESSAGE,
			    .author = AUTHOR_USER,
			    .created_at_ms = r->host.now_ms,
			    .meta = STR("{\"class\":\"trigger\"}"),
			    .payload = STR("{\"type\":\"user.message\",\"content\":[{\"type\":"
					   "\"text\",\"text\":\"hi\"}]}") };
	bool done = false;

	store_append(r->store,
		     &(struct store_item){ .session = session, .events = &ev, .event_count = 1 },
		     on_past, &done);
	engine_rig_await(r, &done);
}

/* The mark and the model are one transaction: of a session that somebody writes to neither is written. */
static void
R5_a_message_that_comes_with_the_hook_keeps_everything(void **state)
{
	struct engine_rig r;
	struct hook h = { .holds = true };
	struct rig_answer *lane;

	start(&r, state, &h);
	lane = resolve(&r, DM);
	choose(&r, lane->id);
	pass(&r, 1);
	assert_int_equal(h.calls, 1);
	write_past(&r, lane->id);
	h.done(h.done_ctx, 0, NULL);
	virtual_host_settle(&r.host);
	assert_false(stored_entry(&r, lane->lane).expiry_finalized);
	assert_true(str_contains(engine_rig_record(&r, RECORD_SESSION_EXTRA, lane->id),
				 STR("\"high\"")));
	engine_rig_release(&r);
}

/* Somebody names the lane while the hook is asked: its record is younger than what was looked at. */
static void
R5_a_lane_that_changes_meanwhile_is_finalized_as_it_is(void **state)
{
	struct engine_rig r;
	struct hook h = { .holds = true };
	struct rig_answer *lane;

	start(&r, state, &h);
	lane = resolve(&r, DM);
	choose(&r, lane->id);
	pass(&r, 1);
	rig_expect(rig_end(&r, engine_lane_suspend, (struct rig_call){ .id = lane->lane }), 0,
		   NULL);
	h.done(h.done_ctx, 0, NULL);
	virtual_host_settle(&r.host);
	assert_true(stored_entry(&r, lane->lane).expiry_finalized);
	assert_true(stored_entry(&r, lane->lane).recover.suspended);
	assert_false(str_contains(engine_rig_record(&r, RECORD_SESSION_EXTRA, lane->id),
				  STR("\"high\"")));
	engine_rig_release(&r);
}

/* Tools that only count. */
struct counting {
	struct toolset port;
	char ended[201];
	int ends;
};

static size_t
none_busy(struct toolset *t, struct str session)
{
	(void)t, (void)session;
	return 0;
}

static void
count_end(struct toolset *t, struct str session)
{
	struct counting *c = (struct counting *)t;

	c->ends++;
	memcpy(c->ended, session.ptr, session.len);
	c->ended[session.len] = '\0';
}

static void
R5_finalizing_ends_tools_and_evicts_the_agent(void **state)
{
	static const struct toolset_ops OPS = { .busy = none_busy, .end_session = count_end };
	struct counting tools = { .port.ops = &OPS }, servers = { .port.ops = &OPS };
	struct engine_rig r;
	struct hook h = { 0 };
	struct rig_answer *lane;

	start(&r, state, &h);
	lane = resolve(&r, DM);
	say(&r, lane->id);
	assert_int_equal(engine_stats(r.en).kept_agents, 1);
	r.en->config.tools = &tools.port;
	r.en->config.servers = &servers.port;
	pass(&r, 2);
	assert_true(stored_entry(&r, lane->lane).expiry_finalized);
	assert_int_equal(engine_stats(r.en).kept_agents, 0);
	assert_int_equal(tools.ends, 1);
	assert_string_equal(tools.ended, lane->id.ptr);
	assert_int_equal(servers.ends, 1);
	assert_string_equal(servers.ended, lane->id.ptr);
	r.en->config.tools = r.en->config.servers = NULL;
	engine_rig_release(&r);
}

static void
R5_idle_agents_go_after_half_an_hour_and_an_hour(void **state)
{
	struct engine_rig r;
	struct hook h = { 0 };
	struct rig_answer *lane;

	start(&r, state, &h);
	r.en->config.policies.reset = NULL; /* whatever the policy says of lanes */
	lane = resolve(&r, DM);
	rig_open(&r, NULL, "cli:a");
	pass(&r, 1);
	say(&r, lane->id);
	say(&r, STR("cli:a"));
	pass(&r, 5);
	assert_int_equal(engine_stats(r.en).kept_agents, 2);
	pass(&r, 1);
	assert_int_equal(engine_stats(r.en).kept_agents, 1);
	pass(&r, 5);
	assert_int_equal(engine_stats(r.en).kept_agents, 1);
	pass(&r, 1);
	assert_int_equal(engine_stats(r.en).kept_agents, 0);
	assert_false(stored_entry(&r, lane->lane).expiry_finalized);
	engine_rig_release(&r);
}

int
main(void)
{
	struct suite s = { 0 };
	static const int SQLITE = 1;

	SUITE_TEST(&s, R5_an_expired_lane_is_finalized_once);
	suite_add(&s, "R5 an expired lane is finalized once in sqlite",
		  R5_an_expired_lane_is_finalized_once, &SQLITE);
	SUITE_TEST(&s, R5_a_failing_hook_is_asked_three_times);
	SUITE_TEST(&s, R5_with_mode_none_nothing_expires);
	SUITE_TEST(&s, R5_a_running_session_is_never_touched);
	SUITE_TEST(&s, R5_a_session_that_was_used_meanwhile_goes_on);
	SUITE_TEST(&s, R5_a_lane_that_goes_on_may_expire_again);
	SUITE_TEST(&s, R5_old_lanes_are_forgotten_hourly_and_their_sessions_stay);
	SUITE_TEST(&s, R5_direct_sessions_become_inactive_after_three_days);
	suite_add(&s, "R5 direct sessions become inactive in sqlite",
		  R5_direct_sessions_become_inactive_after_three_days, &SQLITE);
	SUITE_TEST(&s, R5_a_drain_does_not_wait_for_a_hook_for_ever);
	SUITE_TEST(&s, R5_finalizing_takes_back_the_choice_of_a_model);
	suite_add(&s, "R5 finalizing takes back the choice of a model in sqlite",
		  R5_finalizing_takes_back_the_choice_of_a_model, &SQLITE);
	SUITE_TEST(&s, R5_a_message_that_comes_with_the_hook_keeps_everything);
	SUITE_TEST(&s, R5_a_lane_that_changes_meanwhile_is_finalized_as_it_is);
	SUITE_TEST(&s, R5_finalizing_ends_tools_and_evicts_the_agent);
	SUITE_TEST(&s, R5_idle_agents_go_after_half_an_hour_and_an_hour);
	return suite_run(&s, "engine/expiry");
}

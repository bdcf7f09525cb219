#include "engine/expiry.h"

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
	virtual_host_advance(&r.host, DAY_MS);
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
	return suite_run(&s, "engine/expiry");
}

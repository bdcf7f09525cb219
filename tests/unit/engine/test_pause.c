#include "engine/pause.h"

#include "engine/wake_queue.h"
#include "thrifty.h"

static const int64_t SECOND = 1000;

/* usr_1 has nothing left in s, and a message of theirs waits there. */
static void
begin_broke(struct rig *r)
{
	thrifty_init(r);
	r->user_budget = 10 * CENT;
	rig_restart(r, 0);
	thrifty_user(r, "usr_1", "s");
	thrifty_spend_all(r, "s");
	rig_post(r, "s", "waits");
	assert_int_equal(rig_pending(r, "s"), 1);
}

static void
on_added(void *ctx, const struct commit_result *result)
{
	assert_int_equal(result->store->rc, 0);
	*(bool *)ctx = true;
}

/* Something that the session does by itself, in a second that then passes. */
static void
wake_later(struct rig *r, const char *session)
{
	struct commit *c = commit_new(r->en, (struct str){ 0 });
	bool added = false;

	wake_queue_add(r->en, c, str_of(session),
		       &(struct queued_wake){ .item = { .due_ms = r->host.now_ms + SECOND,
							.reason = STR("by itself") } },
		       (struct wake_list){ 0 });
	commit_submit(c, on_added, &added);
	rig_settle_until(r, &added);
	rig_advance(r, SECOND);
}

static void
T15_a_user_without_money_keeps_nobody_else_from_speaking(void **state)
{
	struct rig r;
	int64_t head;

	(void)state;
	begin_broke(&r);
	thrifty_user(&r, "usr_2", "s");
	for (int i = 0; i < 2; i++) {
		head = rig_head(&r, "s");
		rig_post(&r, "s", "my own money");
		check_str("turn", rig_log(&r, "s", head + 1),
			  STR("message status_running model_request_start message\"over\" "
			      "model_request_end status_idle:end_turn"));
		rig_wake(&r, "s");
		rig_restart(&r, 0);
		rig_settle(&r);
		assert_int_equal(rig_pending(&r, "s"), 1);
	}
	thrifty_user(&r, "usr_1", "s");
	rig_post_busy(&r, "s", "me first", BUSY_INTERRUPT);
	assert_int_equal(rig_pending(&r, "s"), 2);
	thrifty_allow(&r, 100 * CENT);
	assert_int_equal(rig_pending(&r, "s"), 0);
	assert_int_equal(thrifty_last_stop(&r, "s"), STOP_END_TURN);
	rig_release(&r);
}

static void
T15_a_message_that_waits_for_money_holds_no_wake_that_another_pays(void **state)
{
	struct rig r;

	(void)state;
	begin_broke(&r);
	thrifty_user(&r, "usr_2", "s");
	rig_post(&r, "s", "my own money");
	wake_later(&r, "s");
	assert_int_equal(rig_count_records(&r, RECORD_WAKE, "s"), 0);
	assert_int_equal(thrifty_last_stop(&r, "s"), STOP_END_TURN);
	assert_int_equal(rig_pending(&r, "s"), 1);
	rig_release(&r);
}

static void
T15_two_users_without_money_spend_nothing(void **state)
{
	struct rig r;
	int64_t sum;

	(void)state;
	begin_broke(&r);
	thrifty_user(&r, "usr_2", "s");
	thrifty_spend_all(&r, "s");
	sum = thrifty_spent(&r, "s");
	assert_true(sum <= 20 * CENT);
	for (int i = 0; i < 4; i++) {
		thrifty_user(&r, i % 2 ? "usr_2" : "usr_1", "s");
		rig_post(&r, "s", "nothing left");
	}
	assert_true(rig_pending(&r, "s") <= 5);
	assert_int_equal(thrifty_last_stop(&r, "s"), STOP_BUDGET_REACHED);
	assert_int_equal(thrifty_spent(&r, "s"), sum);
	thrifty_user(&r, "usr_3", "s");
	rig_post(&r, "s", "but I have");
	assert_true(thrifty_spent(&r, "s") > sum);
	rig_release(&r);
}

static void
T15_what_waits_for_money_leaves_room_in_the_queue(void **state)
{
	struct rig r;
	int64_t sum;

	(void)state;
	begin_broke(&r);
	sum = thrifty_spent(&r, "s");
	for (int i = 0; i < 15; i++)
		rig_post(&r, "s", "again");
	assert_int_equal(rig_pending(&r, "s"), QUEUE_DEPTH_DEFAULT / 2);
	assert_int_equal(thrifty_spent(&r, "s"), sum);
	thrifty_user(&r, "usr_2", "s");
	rig_post(&r, "s", "my own money");
	assert_int_equal(rig_pending(&r, "s"), QUEUE_DEPTH_DEFAULT / 2);
	assert_int_equal(thrifty_last_stop(&r, "s"), STOP_END_TURN);
	rig_release(&r);
}

static void
T15_behind_a_turn_there_is_room_beside_what_waits_for_money(void **state)
{
	static const struct scripted_step STEPS[] = { { SCRIPTED_WAIT, .wait_ms = 1000 } };
	enum { MANY = QUEUE_DEPTH_DEFAULT / 2 };
	struct rig r;

	(void)state;
	begin_broke(&r);
	for (int i = 0; i < 15; i++)
		rig_post(&r, "s", "again");
	thrifty_user(&r, "usr_2", "s");
	provider_scripted_play(r.scripted, STEPS, ARRAY_LEN(STEPS));
	rig_post(&r, "s", "my own money");
	for (int i = 0; i < MANY - 1; i++)
		rig_post(&r, "s", "and more of it");
	assert_int_equal(rig_pending(&r, "s"), 2 * MANY - 1);
	thrifty_allow(&r, 1000 * CENT);
	rig_advance(&r, 2 * SECOND);
	assert_int_equal(rig_pending(&r, "s"), 0);
	rig_release(&r);
}

/* The seq of the next turn's start behind seq; it must consume that message. */
static int64_t
check_runs(struct rig *r, int64_t seq, struct str message)
{
	const struct event *ev;

	do
		ev = rig_event_at(r, "s", ++seq);
	while (ev->kind != EVENT_STATUS_RUNNING);
	assert_true(str_contains(ev->payload, message));
	return seq;
}

static void
T15_messages_of_two_users_wait_until_there_is_money_and_run_in_order(void **state)
{
	enum { MANY = 8 };
	struct rig r;
	struct str ids[MANY];
	int64_t head;

	(void)state;
	thrifty_init(&r);
	r.user_budget = 10 * CENT;
	rig_restart(&r, 0);
	thrifty_user(&r, "usr_1", "s");
	thrifty_spend_all(&r, "s");
	thrifty_user(&r, "usr_2", "s");
	thrifty_spend_all(&r, "s");
	head = rig_head(&r, "s");
	for (int i = 0; i < MANY; i++) {
		thrifty_user(&r, i % 3 ? "usr_2" : "usr_1", "s");
		rig_post(&r, "s", "waits");
		ids[i] = arena_str(&r.arena, r.last_id);
		if (i == MANY / 2) {
			rig_restart(&r, 0);
			rig_settle(&r);
		}
	}
	assert_int_equal(rig_head(&r, "s"), head + MANY); /* no turn has begun */
	assert_int_equal(rig_pending(&r, "s"), MANY);
	head += MANY;
	thrifty_allow(&r, 100 * CENT);
	assert_int_equal(rig_pending(&r, "s"), 0);
	for (int i = 0; i < MANY; i++)
		head = check_runs(&r, head, ids[i]);
	assert_int_equal(thrifty_last_stop(&r, "s"), STOP_END_TURN);
	rig_release(&r);
}

/* As it was written when a session had one pause. */
static void
T15_an_old_pause_of_a_user_holds_that_user(void **state)
{
	struct rig r;

	(void)state;
	thrifty_init(&r);
	r.user_budget = 10 * CENT;
	rig_restart(&r, 0);
	rig_put(&r, RECORD_PAUSE, "s", "",
		"{\"scope\":\"user\",\"limit\":100000000000,\"day\":0,\"user\":\"usr_1\"}");
	thrifty_user(&r, "usr_1", "s");
	rig_post(&r, "s", "waits");
	assert_int_equal(rig_pending(&r, "s"), 1);
	thrifty_user(&r, "usr_2", "s");
	rig_post(&r, "s", "runs");
	assert_int_equal(rig_pending(&r, "s"), 1);
	assert_int_equal(thrifty_last_stop(&r, "s"), STOP_END_TURN);
	thrifty_allow(&r, 11 * CENT);
	assert_int_equal(rig_pending(&r, "s"), 0);
	rig_release(&r);
}

static void
set_budget(struct rig *r, const char *body)
{
	struct json_doc *doc = ARENA_NEW(&r->arena, struct json_doc);

	assert_int_equal(json_parse(&r->arena, str_of(body), &JSON_LIMITS_DEFAULT, doc, NULL), 0);
	rig_update(r, "s", json_root(doc));
	rig_settle(r);
}

/* Nor does a user's pause hold what another pays. */
static void
T15_more_money_for_the_session_is_none_for_a_user(void **state)
{
	struct rig r;

	(void)state;
	begin_broke(&r);
	set_budget(&r, "{\"budget\":{\"type\":\"limit\",\"max_list_cost\":{\"amount\":\"1\","
		       "\"currency\":\"USD\"}}}");
	thrifty_user(&r, "usr_2", "s");
	rig_post(&r, "s", "the session has nothing left");
	assert_int_equal(thrifty_last_stop(&r, "s"), STOP_BUDGET_REACHED);
	rig_post(&r, "s", "waits too");
	wake_later(&r, "s");
	assert_int_equal(rig_pending(&r, "s"), 2);
	assert_int_equal(rig_count_records(&r, RECORD_WAKE, "s"), 1);
	set_budget(&r, "{\"budget\":null}");
	assert_int_equal(rig_pending(&r, "s"), 1);
	assert_int_equal(rig_count_records(&r, RECORD_WAKE, "s"), 0);
	assert_int_equal(thrifty_last_stop(&r, "s"), STOP_END_TURN);
	rig_release(&r);
}

/* A turn with a step border, a second from now. */
static const struct scripted_step TWO_STEPS[] = {
	{ SCRIPTED_WAIT, .wait_ms = 1000 },
	{ SCRIPTED_CALL, .call = { .id = STR("c1"), .name = STR("bash"), .arguments = STR("{}") } },
	{ SCRIPTED_DONE, .stop = PROVIDER_STOP_TOOLS },
};

static void
T15_steering_is_no_way_to_spend_what_is_anothers(void **state)
{
	struct rig r;

	(void)state;
	begin_broke(&r);
	thrifty_user(&r, "usr_2", "s");
	provider_scripted_play(r.scripted, TWO_STEPS, ARRAY_LEN(TWO_STEPS));
	rig_post(&r, "s", "my own money");
	rig_post_busy(&r, "s", "and this too", BUSY_STEER);
	thrifty_user(&r, "usr_1", "s");
	rig_post_busy(&r, "s", "and mine", BUSY_STEER);
	assert_int_equal(rig_pending(&r, "s"), 3);
	rig_advance(&r, SECOND);
	assert_int_equal(thrifty_last_stop(&r, "s"), STOP_END_TURN);
	assert_int_equal(rig_pending(&r, "s"), 2);
	thrifty_allow(&r, 100 * CENT);
	assert_int_equal(rig_pending(&r, "s"), 0);
	rig_release(&r);
}

static void
T15_a_turn_that_goes_on_after_a_start_is_not_steered_by_who_has_no_money(void **state)
{
	struct rig r;

	(void)state;
	begin_broke(&r);
	thrifty_user(&r, "usr_2", "s");
	provider_scripted_play(r.scripted, TWO_STEPS, ARRAY_LEN(TWO_STEPS));
	rig_post(&r, "s", "my own money");
	thrifty_user(&r, "usr_1", "s");
	rig_post_busy(&r, "s", "and mine", BUSY_STEER);
	rig_restart(&r, 0);
	rig_advance(&r, 2 * SECOND);
	assert_int_equal(thrifty_last_stop(&r, "s"), STOP_END_TURN);
	assert_int_equal(rig_pending(&r, "s"), 2);
	rig_release(&r);
}

static void
T15_a_pause_that_names_nobody_holds_for_all(void **state)
{
	struct rig r;

	(void)state;
	begin_broke(&r);
	rig_put(&r, RECORD_PAUSE, "s", "", "{\"scope\":\"user\",\"limit\":100000000000,\"day\":0}");
	thrifty_user(&r, "usr_2", "s");
	rig_post(&r, "s", "waits too");
	assert_int_equal(rig_pending(&r, "s"), 2);
	rig_release(&r);
}

static void
T15_a_day_has_a_budget_and_the_next_one_another(void **state)
{
	static const int64_t DAY = INT64_C(86400) * 1000;
	struct rig r;
	int64_t rest;

	(void)state;
	thrifty_init(&r);
	thrifty_set_day(&r, 10 * CENT);
	rig_session(&r, "t", "thrifty");
	thrifty_spend_all(&r, "s");
	rig_restart(&r, 0);
	thrifty_spend_all(&r, "t");
	assert_true(thrifty_spent(&r, "s") + thrifty_spent(&r, "t") <= 10 * CENT);
	rig_post(&r, "t", "waits");
	rest = DAY - r.host.now_ms % DAY;
	rig_advance(&r, rest - 1);
	assert_int_equal(rig_pending(&r, "t"), 1);
	rig_advance(&r, 1);
	assert_int_equal(rig_pending(&r, "t"), 0);
	assert_int_equal(thrifty_last_stop(&r, "t"), STOP_END_TURN);
	rig_release(&r);
}

static void
T15_what_a_session_does_by_itself_is_paid_by_who_spoke_last(void **state)
{
	struct rig r;

	(void)state;
	thrifty_init(&r);
	r.user_budget = 10 * CENT;
	rig_restart(&r, 0);
	thrifty_user(&r, "usr_1", "s");
	thrifty_spend_all(&r, "s");
	rig_session(&r, "t", "thrifty");
	thrifty_user(&r, "usr_1", "t");
	thrifty_spend_all(&r, "t");
	thrifty_allow(&r, 100 * CENT);
	rig_post(&r, "t", "go");
	assert_int_equal(thrifty_last_stop(&r, "t"), STOP_END_TURN);
	thrifty_allow(&r, 10 * CENT);
	wake_later(&r, "t");
	assert_int_equal(thrifty_last_stop(&r, "t"), STOP_BUDGET_REACHED);
	assert_int_equal(rig_count_records(&r, RECORD_WAKE, "t"), 1); /* it waits for money too */
	thrifty_user(&r, "usr_2", "t");
	rig_post(&r, "t", "go on");
	assert_int_equal(rig_count_records(&r, RECORD_WAKE, "t"), 0); /* usr_2 pays now */
	assert_int_equal(thrifty_last_stop(&r, "t"), STOP_END_TURN);
	rig_release(&r);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, T15_a_user_without_money_keeps_nobody_else_from_speaking);
	SUITE_TEST(&s, T15_a_message_that_waits_for_money_holds_no_wake_that_another_pays);
	SUITE_TEST(&s, T15_two_users_without_money_spend_nothing);
	SUITE_TEST(&s, T15_what_waits_for_money_leaves_room_in_the_queue);
	SUITE_TEST(&s, T15_behind_a_turn_there_is_room_beside_what_waits_for_money);
	SUITE_TEST(&s, T15_messages_of_two_users_wait_until_there_is_money_and_run_in_order);
	SUITE_TEST(&s, T15_an_old_pause_of_a_user_holds_that_user);
	SUITE_TEST(&s, T15_more_money_for_the_session_is_none_for_a_user);
	SUITE_TEST(&s, T15_steering_is_no_way_to_spend_what_is_anothers);
	SUITE_TEST(&s, T15_a_turn_that_goes_on_after_a_start_is_not_steered_by_who_has_no_money);
	SUITE_TEST(&s, T15_a_pause_that_names_nobody_holds_for_all);
	SUITE_TEST(&s, T15_a_day_has_a_budget_and_the_next_one_another);
	SUITE_TEST(&s, T15_what_a_session_does_by_itself_is_paid_by_who_spoke_last);
	return suite_run(&s, "engine/pause");
}

#include "engine/spending.h"

#include "engine/wake_queue.h"
#include "thrifty.h"

static const int64_t SECOND = 1000;

static void
set_budget(struct rig *r, const char *session, const char *cents)
{
	struct json_doc *doc = ARENA_NEW(&r->arena, struct json_doc);
	struct str body = cents ? arena_printf(&r->arena,
					       "{\"budget\":{\"type\":\"limit\",\"max_list_cost\":"
					       "{\"amount\":\"%s\",\"currency\":\"USD\"}}}",
					       cents)
				: STR("{\"budget\":null}");

	assert_int_equal(json_parse(&r->arena, body, &JSON_LIMITS_DEFAULT, doc, NULL), 0);
	rig_update(r, session, json_root(doc));
}

/* Says something until no money is left; how many turns that took. */
static int
spend_all(struct rig *r, const char *session)
{
	int turns = 0;

	do {
		rig_post(r, session, "go");
		turns++;
		assert_true(turns < 100);
	} while (thrifty_last_stop(r, session) == STOP_END_TURN);
	assert_int_equal(thrifty_last_stop(r, session), STOP_BUDGET_REACHED);
	return turns;
}

static void
T15_a_session_stops_at_its_budget_and_goes_on_when_it_is_raised(void **state)
{
	struct rig r;
	int64_t head;

	(void)state;
	thrifty_init(&r);
	set_budget(&r, "s", "10");
	assert_true(spend_all(&r, "s") > 2);
	assert_true(thrifty_spent(&r, "s") <= 10 * CENT); /* hard: never above */
	assert_true(thrifty_spent(&r, "s") > 5 * CENT);   /* and not far below */
	head = rig_head(&r, "s");
	check_str("terminal", rig_log(&r, "s", head - 4),
		  STR("status_running model_request_start model_request_end error:billing_error "
		      "status_idle:budget_reached"));

	rig_post(&r, "s", "waits");
	rig_post(&r, "s", "too");
	assert_int_equal(rig_pending(&r, "s"), 2);
	rig_wake(&r, "s");
	rig_restart(&r, 0); /* nor does a start run it */
	rig_settle(&r);
	assert_int_equal(rig_pending(&r, "s"), 2);
	set_budget(&r, "s", "9"); /* that is no raise */
	assert_int_equal(rig_pending(&r, "s"), 2);
	set_budget(&r, "s", "1000");
	rig_settle(&r);
	assert_int_equal(rig_pending(&r, "s"), 0);
	assert_int_equal(thrifty_last_stop(&r, "s"), STOP_END_TURN);
	rig_release(&r);
}

static void
T15_taking_the_budget_away_lets_it_run(void **state)
{
	struct rig r;

	(void)state;
	thrifty_init(&r);
	set_budget(&r, "s", "10");
	spend_all(&r, "s");
	rig_post(&r, "s", "waits");
	set_budget(&r, "s", NULL);
	rig_settle(&r);
	assert_int_equal(rig_pending(&r, "s"), 0);
	assert_int_equal(thrifty_last_stop(&r, "s"), STOP_END_TURN);
	rig_release(&r);
}

static void
T15_a_budget_of_nothing_allows_no_request(void **state)
{
	struct rig r;

	(void)state;
	thrifty_init(&r);
	set_budget(&r, "s", "0");
	rig_post(&r, "s", "go");
	assert_int_equal(thrifty_last_stop(&r, "s"), STOP_BUDGET_REACHED);
	assert_int_equal(thrifty_spent(&r, "s"), 0);
	rig_release(&r);
}

static void
T15_a_model_without_price_is_refused_where_a_budget_holds(void **state)
{
	struct rig r;

	(void)state;
	thrifty_init(&r);
	r.price = 0;
	rig_post(&r, "s", "no budget, no matter");
	assert_int_equal(thrifty_last_stop(&r, "s"), STOP_END_TURN);
	set_budget(&r, "s", "1000");
	rig_post(&r, "s", "go");
	check_str("log", rig_log(&r, "s", 9),
		  STR("message status_running model_request_start model_request_end "
		      "error:model_request_failed_error status_idle:retries_exhausted"));
	rig_release(&r);
}

static void
become_user(struct rig *r, const char *user, const char *session)
{
	r->owner.who = (struct principal){ .kind = TOKEN_USER,
					   .role = ROLE_USER,
					   .user_id = str_of(user) };
	rig_put(r, RECORD_PARTICIPANT, arena_printf(&r->arena, "%s/%s", session, user).ptr, user,
		"{}");
}

static void
T15_a_user_has_a_budget_over_all_sessions(void **state)
{
	struct rig r;
	int64_t sum;

	(void)state;
	thrifty_init(&r);
	r.user_budget = 10 * CENT;
	rig_restart(&r, 0);
	rig_session(&r, "t", "thrifty");
	become_user(&r, "usr_1", "s");
	become_user(&r, "usr_1", "t");
	rig_post(&r, "s", "go");
	assert_int_equal(thrifty_last_stop(&r, "s"), STOP_END_TURN);
	rig_restart(&r, 0); /* what was spent is known again */
	spend_all(&r, "t");
	sum = thrifty_spent(&r, "s") + thrifty_spent(&r, "t");
	assert_true(sum <= 10 * CENT && sum > 5 * CENT);
	spend_all(&r, "s"); /* the rest: its prompt is smaller */
	assert_true(thrifty_spent(&r, "s") + thrifty_spent(&r, "t") <= 10 * CENT);

	become_user(&r, "usr_2", "t2");
	rig_session(&r, "t2", "thrifty");
	rig_post(&r, "t2", "another's money");
	assert_int_equal(thrifty_last_stop(&r, "t2"), STOP_END_TURN);

	become_user(&r, "usr_1", "s");
	rig_post(&r, "s", "waits");
	assert_int_equal(rig_pending(&r, "s"), 1);
	engine_reload(r.en, &(struct engine_settings){ .default_model = STR("demo"),
						       .queue_depth = 20,
						       .user_budget = 100 * CENT });
	rig_settle(&r);
	assert_int_equal(rig_pending(&r, "s"), 0);
	assert_int_equal(thrifty_last_stop(&r, "s"), STOP_END_TURN);
	rig_release(&r);
}

/* usr_1 has nothing left in s, and a message of theirs waits there. */
static void
begin_broke(struct rig *r)
{
	thrifty_init(r);
	r->user_budget = 10 * CENT;
	rig_restart(r, 0);
	become_user(r, "usr_1", "s");
	spend_all(r, "s");
	rig_post(r, "s", "waits");
	assert_int_equal(rig_pending(r, "s"), 1);
}

static void
T15_a_user_without_money_keeps_nobody_else_from_speaking(void **state)
{
	struct rig r;
	int64_t head;

	(void)state;
	begin_broke(&r);
	become_user(&r, "usr_2", "s");
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
	become_user(&r, "usr_1", "s");
	rig_post_busy(&r, "s", "me first", BUSY_INTERRUPT);
	assert_int_equal(rig_pending(&r, "s"), 2);
	engine_reload(r.en, &(struct engine_settings){ .default_model = STR("demo"),
						       .queue_depth = 20,
						       .user_budget = 100 * CENT });
	rig_settle(&r);
	assert_int_equal(rig_pending(&r, "s"), 0);
	assert_int_equal(thrifty_last_stop(&r, "s"), STOP_END_TURN);
	rig_release(&r);
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
T15_a_message_that_waits_for_money_holds_no_wake_that_another_pays(void **state)
{
	struct rig r;

	(void)state;
	begin_broke(&r);
	become_user(&r, "usr_2", "s");
	rig_post(&r, "s", "my own money");
	wake_later(&r, "s");
	assert_int_equal(rig_count_records(&r, RECORD_WAKE, "s"), 0);
	assert_int_equal(thrifty_last_stop(&r, "s"), STOP_END_TURN);
	assert_int_equal(rig_pending(&r, "s"), 1);
	rig_release(&r);
}

static void
T15_two_users_without_money_end_at_once(void **state)
{
	struct rig r;
	int64_t sum;

	(void)state;
	begin_broke(&r);
	become_user(&r, "usr_2", "s");
	spend_all(&r, "s");
	sum = thrifty_spent(&r, "s");
	assert_true(sum <= 20 * CENT);
	for (int i = 0; i < 4; i++) {
		become_user(&r, i % 2 ? "usr_2" : "usr_1", "s");
		rig_post(&r, "s", "nothing left");
	}
	assert_true(rig_pending(&r, "s") <= 5);
	assert_int_equal(thrifty_last_stop(&r, "s"), STOP_BUDGET_REACHED);
	assert_int_equal(thrifty_spent(&r, "s"), sum);
	become_user(&r, "usr_3", "s");
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
	for (int i = 0; i < 30; i++)
		rig_post(&r, "s", "again");
	assert_int_equal(rig_pending(&r, "s"), 20);
	assert_int_equal(thrifty_spent(&r, "s"), sum);
	become_user(&r, "usr_2", "s");
	rig_post(&r, "s", "my own money");
	assert_int_equal(rig_pending(&r, "s"), 20);
	assert_int_equal(thrifty_last_stop(&r, "s"), STOP_END_TURN);
	rig_release(&r);
}

static void
T15_a_pause_that_names_nobody_holds_for_all(void **state)
{
	struct rig r;

	(void)state;
	begin_broke(&r);
	rig_put(&r, RECORD_PAUSE, "s", "", "{\"scope\":\"user\",\"limit\":100000000000,\"day\":0}");
	become_user(&r, "usr_2", "s");
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
	spend_all(&r, "s");
	rig_restart(&r, 0);
	spend_all(&r, "t");
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

/* Requests that are on their way have their most reserved: together they stay below the limit. */
static void
T15_requests_under_way_are_counted_at_their_most(void **state)
{
	enum { MANY = 14 };
	static const struct scripted_step STEPS[] = { { SCRIPTED_WAIT, .wait_ms = 1000 } };
	struct rig r;
	int64_t sum = 0;
	int reached = 0;

	(void)state;
	thrifty_init(&r);
	thrifty_set_day(&r, 10 * CENT);
	for (int i = 0; i < MANY; i++) {
		const char *id = arena_printf(&r.arena, "p%d", i).ptr;

		rig_session(&r, id, "thrifty");
		provider_scripted_play(r.scripted, STEPS, ARRAY_LEN(STEPS));
		rig_post(&r, id, "go");
	}
	for (int i = 0; i < MANY; i++)
		reached += thrifty_last_stop(&r, arena_printf(&r.arena, "p%d", i).ptr) ==
			   STOP_BUDGET_REACHED;
	assert_true(reached > 0); /* although nothing is spent yet */
	rig_advance(&r, 2 * SECOND);
	for (int i = 0; i < MANY; i++)
		sum += thrifty_spent(&r, arena_printf(&r.arena, "p%d", i).ptr);
	assert_true(sum <= 10 * CENT);
	rig_session(&r, "later", "thrifty");
	rig_post(&r, "later", "what was reserved and not spent is free again");
	assert_int_equal(thrifty_last_stop(&r, "later"), STOP_END_TURN);
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
	become_user(&r, "usr_1", "s");
	spend_all(&r, "s");
	rig_session(&r, "t", "thrifty");
	become_user(&r, "usr_1", "t");
	spend_all(&r, "t");
	engine_reload(r.en, &(struct engine_settings){ .default_model = STR("demo"),
						       .user_budget = 100 * CENT });
	rig_post(&r, "t", "go");
	assert_int_equal(thrifty_last_stop(&r, "t"), STOP_END_TURN);
	engine_reload(r.en, &(struct engine_settings){ .default_model = STR("demo"),
						       .user_budget = 10 * CENT });
	wake_later(&r, "t");
	assert_int_equal(thrifty_last_stop(&r, "t"), STOP_BUDGET_REACHED);
	assert_int_equal(rig_count_records(&r, RECORD_WAKE, "t"), 1); /* it waits for money too */
	become_user(&r, "usr_2", "t");
	rig_post(&r, "t", "go on");
	assert_int_equal(rig_count_records(&r, RECORD_WAKE, "t"), 0); /* usr_2 pays now */
	assert_int_equal(thrifty_last_stop(&r, "t"), STOP_END_TURN);
	rig_release(&r);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, T15_a_session_stops_at_its_budget_and_goes_on_when_it_is_raised);
	SUITE_TEST(&s, T15_taking_the_budget_away_lets_it_run);
	SUITE_TEST(&s, T15_a_budget_of_nothing_allows_no_request);
	SUITE_TEST(&s, T15_a_model_without_price_is_refused_where_a_budget_holds);
	SUITE_TEST(&s, T15_a_user_has_a_budget_over_all_sessions);
	SUITE_TEST(&s, T15_a_user_without_money_keeps_nobody_else_from_speaking);
	SUITE_TEST(&s, T15_a_message_that_waits_for_money_holds_no_wake_that_another_pays);
	SUITE_TEST(&s, T15_two_users_without_money_end_at_once);
	SUITE_TEST(&s, T15_what_waits_for_money_leaves_room_in_the_queue);
	SUITE_TEST(&s, T15_a_pause_that_names_nobody_holds_for_all);
	SUITE_TEST(&s, T15_a_day_has_a_budget_and_the_next_one_another);
	SUITE_TEST(&s, T15_requests_under_way_are_counted_at_their_most);
	SUITE_TEST(&s, T15_what_a_session_does_by_itself_is_paid_by_who_spoke_last);
	return suite_run(&s, "engine/spending");
}

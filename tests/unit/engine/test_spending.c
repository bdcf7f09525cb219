#include "engine/spending.h"

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

static void
T15_a_session_stops_at_its_budget_and_goes_on_when_it_is_raised(void **state)
{
	struct rig r;
	int64_t head;

	(void)state;
	thrifty_init(&r);
	set_budget(&r, "s", "10");
	assert_true(thrifty_spend_all(&r, "s") > 2);
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
T15_stopping_again_and_again_uses_up_a_sessions_budget(void **state)
{
	static const struct scripted_step STEPS[] = { { SCRIPTED_TEXT, STR("almost done") },
						      { SCRIPTED_WAIT, .wait_ms = -1 } };
	struct rig r;
	int turns = 0;

	(void)state;
	thrifty_init(&r);
	set_budget(&r, "s", "10");
	do {
		provider_scripted_play(r.scripted, STEPS, ARRAY_LEN(STEPS));
		rig_post(&r, "s", "go");
		rig_interrupt(&r, "s");
		turns++;
	} while (turns < 100 && thrifty_last_stop(&r, "s") == STOP_INTERRUPTED);
	assert_int_equal(thrifty_last_stop(&r, "s"), STOP_BUDGET_REACHED);
	assert_true(thrifty_spent(&r, "s") > 5 * CENT && thrifty_spent(&r, "s") <= 10 * CENT);
	rig_release(&r);
}

static void
T15_taking_the_budget_away_lets_it_run(void **state)
{
	struct rig r;

	(void)state;
	thrifty_init(&r);
	set_budget(&r, "s", "10");
	thrifty_spend_all(&r, "s");
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
T15_a_user_has_a_budget_over_all_sessions(void **state)
{
	struct rig r;
	int64_t sum;

	(void)state;
	thrifty_init(&r);
	r.user_budget = 10 * CENT;
	rig_restart(&r, 0);
	rig_session(&r, "t", "thrifty");
	thrifty_user(&r, "usr_1", "s");
	thrifty_user(&r, "usr_1", "t");
	rig_post(&r, "s", "go");
	assert_int_equal(thrifty_last_stop(&r, "s"), STOP_END_TURN);
	rig_restart(&r, 0); /* what was spent is known again */
	thrifty_spend_all(&r, "t");
	sum = thrifty_spent(&r, "s") + thrifty_spent(&r, "t");
	assert_true(sum <= 10 * CENT && sum > 5 * CENT);
	thrifty_spend_all(&r, "s"); /* the rest: its prompt is smaller */
	assert_true(thrifty_spent(&r, "s") + thrifty_spent(&r, "t") <= 10 * CENT);

	thrifty_user(&r, "usr_2", "t2");
	rig_session(&r, "t2", "thrifty");
	rig_post(&r, "t2", "another's money");
	assert_int_equal(thrifty_last_stop(&r, "t2"), STOP_END_TURN);

	thrifty_user(&r, "usr_1", "s");
	rig_post(&r, "s", "waits");
	assert_int_equal(rig_pending(&r, "s"), 1);
	thrifty_allow(&r, 100 * CENT);
	assert_int_equal(rig_pending(&r, "s"), 0);
	assert_int_equal(thrifty_last_stop(&r, "s"), STOP_END_TURN);
	rig_release(&r);
}

/* Requests that are on their way have their most reserved, so that together they stay below the limit;
 * the others wait, and go on with what comes back. */
static void
T15_requests_under_way_are_counted_at_their_most(void **state)
{
	enum { MANY = 14 };
	static const struct scripted_step STEPS[] = { { SCRIPTED_WAIT, .wait_ms = 1000 } };
	struct rig r;
	int64_t sum = 0;
	size_t open, ended = 0;

	(void)state;
	thrifty_init(&r);
	thrifty_set_day(&r, 10 * CENT);
	for (int i = 0; i < MANY; i++) {
		const char *id = arena_printf(&r.arena, "p%d", i).ptr;

		rig_session(&r, id, "thrifty");
		provider_scripted_play(r.scripted, STEPS, ARRAY_LEN(STEPS));
		rig_post(&r, id, "go");
	}
	open = provider_scripted_open(r.scripted);
	assert_true(open >= 4 && open < 8); /* although nothing is spent yet */
	for (int i = 0; i < MANY; i++)      /* and nobody was sent away */
		assert_int_equal(thrifty_last_stop(&r, arena_printf(&r.arena, "p%d", i).ptr),
				 STOP_NONE);
	rig_advance(&r, 2 * SECOND);
	for (int i = 0; i < MANY; i++) {
		const char *id = arena_printf(&r.arena, "p%d", i).ptr;

		sum += thrifty_spent(&r, id);
		ended += thrifty_last_stop(&r, id) == STOP_END_TURN;
	}
	assert_true(sum <= 10 * CENT);
	assert_true(sum + 2 * CENT > 10 * CENT); /* as far as it went */
	assert_true(ended > open);
	rig_release(&r);
}

/* ---- waiting for what others have reserved ---- */

static const struct scripted_step A_SECOND[] = { { SCRIPTED_WAIT, .wait_ms = 1000 } };

/* There is enough for one request that may cost six cents and costs one, and then for another such one.
 * a has begun one, which takes a second; b waits for it. */
static void
begin_waiting(struct rig *r, const char *limits)
{
	thrifty_init(r);
	rig_agent(r, "roomy",
		  arena_printf(&r->arena,
			       "{\"id\":\"roomy\",\"version\":1,\"model\":{\"id\":\"scripted\"},"
			       "\"limits\":{\"max_output_tokens\":500%s},\"system\":\"" TEN_WORDS
				       TEN_WORDS TEN_WORDS TEN_WORDS "\"}",
			       limits)
			  .ptr);
	rig_session(r, "a", "roomy");
	rig_session(r, "b", "roomy");
	rig_session(r, "c", "thrifty");
	thrifty_set_day(r, 15 * CENT / 2);
	provider_scripted_play(r->scripted, A_SECOND, ARRAY_LEN(A_SECOND));
	rig_post(r, "a", "go");
	rig_post(r, "b", "go");
	assert_int_equal(provider_scripted_open(r->scripted), 1);
	check_str("waits", rig_log(r, "b", 2), STR("message status_running model_request_start"));
}

static void
T15_a_request_waits_for_what_others_have_reserved(void **state)
{
	struct rig r;

	(void)state;
	begin_waiting(&r, "");
	rig_advance(&r, SECOND);
	assert_int_equal(thrifty_last_stop(&r, "a"), STOP_END_TURN);
	check_str("runs", rig_log(&r, "b", 5),
		  STR("message\"over\" model_request_end status_idle:end_turn"));
	rig_post(&r, "b", "what is left is too little");
	assert_int_equal(thrifty_last_stop(&r, "b"), STOP_BUDGET_REACHED);
	rig_release(&r);
}

static void
T15_a_request_that_waits_ends_when_too_little_comes_back(void **state)
{
	struct rig r;

	(void)state;
	thrifty_init(&r);
	rig_session(&r, "t", "thrifty");
	thrifty_set_day(&r, 2 * CENT);
	provider_scripted_play(r.scripted, A_SECOND, ARRAY_LEN(A_SECOND));
	rig_post(&r, "s", "go");
	rig_post(&r, "t", "go");
	assert_int_equal(thrifty_last_stop(&r, "t"), STOP_NONE);
	rig_advance(&r, SECOND);
	assert_int_equal(thrifty_last_stop(&r, "s"), STOP_END_TURN);
	assert_int_equal(thrifty_last_stop(&r, "t"), STOP_BUDGET_REACHED);
	rig_release(&r);
}

static void
T15_a_request_that_waits_can_be_stopped(void **state)
{
	struct rig r;

	(void)state;
	begin_waiting(&r, "");
	rig_interrupt(&r, "b");
	assert_int_equal(thrifty_last_stop(&r, "b"), STOP_INTERRUPTED);
	rig_advance(&r, SECOND);
	assert_int_equal(thrifty_last_stop(&r, "b"), STOP_INTERRUPTED);
	assert_int_equal(thrifty_spent(&r, "b"), 0);
	rig_post(&r, "b", "again");
	assert_int_equal(thrifty_last_stop(&r, "b"), STOP_END_TURN);
	rig_release(&r);
}

static void
T15_a_request_that_waits_is_put_off_by_a_restart(void **state)
{
	struct rig r;

	(void)state;
	begin_waiting(&r, "");
	rig_restart(&r, 0);
	rig_advance(&r, 60 * SECOND);
	assert_int_equal(thrifty_last_stop(&r, "a"), STOP_END_TURN);
	assert_int_equal(thrifty_last_stop(&r, "b"), STOP_END_TURN);
	rig_release(&r);
}

static void
T15_a_drain_lets_a_request_wait_and_run(void **state)
{
	struct rig r;

	(void)state;
	begin_waiting(&r, "");
	rig_restart(&r, 10 * SECOND);
	assert_int_equal(thrifty_last_stop(&r, "a"), STOP_END_TURN);
	assert_int_equal(thrifty_last_stop(&r, "b"), STOP_END_TURN);
	rig_release(&r);
}

static void
T15_a_request_waits_no_longer_than_its_turn_may_take(void **state)
{
	static const struct scripted_step LONG[] = { { SCRIPTED_WAIT, .wait_ms = 5000 } };
	struct rig r;

	(void)state;
	begin_waiting(&r, ",\"turn_timeout_s\":3");
	rig_interrupt(&r, "b");
	rig_advance(&r, SECOND);
	provider_scripted_play(r.scripted, LONG, ARRAY_LEN(LONG));
	rig_post(&r, "c", "go");
	rig_post(&r, "b", "go");
	assert_int_equal(rig_row(&r, "b")->row.state.phase, TURN_RUNNING);
	rig_advance(&r, 3 * SECOND);
	assert_int_equal(thrifty_last_stop(&r, "b"), STOP_LIMIT_TIME);
	rig_advance(&r, 10 * SECOND);
	assert_int_equal(thrifty_last_stop(&r, "c"), STOP_END_TURN);
	assert_int_equal(thrifty_last_stop(&r, "b"), STOP_LIMIT_TIME);
	rig_release(&r);
}

static void
T15_more_money_ends_the_waiting(void **state)
{
	struct rig r;

	(void)state;
	begin_waiting(&r, "");
	r.day_budget = 20 * CENT;
	thrifty_allow(&r, 0);
	assert_int_equal(thrifty_last_stop(&r, "b"), STOP_END_TURN);
	assert_int_equal(thrifty_last_stop(&r, "a"), STOP_NONE);
	rig_release(&r);
}

/* What b waits for is not given to c, who needs less and comes later. */
static void
T15_requests_wait_in_line(void **state)
{
	struct rig r;

	(void)state;
	begin_waiting(&r, "");
	rig_post(&r, "c", "go");
	assert_int_equal(thrifty_last_stop(&r, "c"), STOP_NONE);
	provider_scripted_play(r.scripted, A_SECOND, ARRAY_LEN(A_SECOND));
	rig_interrupt(&r, "a"); /* beside b there is room */
	assert_int_equal(thrifty_last_stop(&r, "b"), STOP_NONE);
	assert_int_equal(thrifty_last_stop(&r, "c"), STOP_END_TURN);
	rig_advance(&r, SECOND);
	assert_int_equal(thrifty_last_stop(&r, "b"), STOP_END_TURN);
	rig_release(&r);
}

static void
T15_who_waits_no_longer_is_in_nobodys_way(void **state)
{
	struct rig r;

	(void)state;
	begin_waiting(&r, "");
	rig_post(&r, "c", "go");
	assert_int_equal(thrifty_last_stop(&r, "c"), STOP_NONE);
	rig_interrupt(&r, "b");
	assert_int_equal(thrifty_last_stop(&r, "c"), STOP_END_TURN);
	assert_int_equal(thrifty_last_stop(&r, "a"), STOP_NONE);
	rig_release(&r);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, T15_a_session_stops_at_its_budget_and_goes_on_when_it_is_raised);
	SUITE_TEST(&s, T15_stopping_again_and_again_uses_up_a_sessions_budget);
	SUITE_TEST(&s, T15_taking_the_budget_away_lets_it_run);
	SUITE_TEST(&s, T15_a_budget_of_nothing_allows_no_request);
	SUITE_TEST(&s, T15_a_model_without_price_is_refused_where_a_budget_holds);
	SUITE_TEST(&s, T15_a_user_has_a_budget_over_all_sessions);
	SUITE_TEST(&s, T15_requests_under_way_are_counted_at_their_most);
	SUITE_TEST(&s, T15_a_request_waits_for_what_others_have_reserved);
	SUITE_TEST(&s, T15_a_request_that_waits_ends_when_too_little_comes_back);
	SUITE_TEST(&s, T15_a_request_that_waits_can_be_stopped);
	SUITE_TEST(&s, T15_a_request_that_waits_is_put_off_by_a_restart);
	SUITE_TEST(&s, T15_a_drain_lets_a_request_wait_and_run);
	SUITE_TEST(&s, T15_a_request_waits_no_longer_than_its_turn_may_take);
	SUITE_TEST(&s, T15_more_money_ends_the_waiting);
	SUITE_TEST(&s, T15_requests_wait_in_line);
	SUITE_TEST(&s, T15_who_waits_no_longer_is_in_nobodys_way);
	return suite_run(&s, "engine/spending");
}

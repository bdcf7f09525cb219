#include "engine/spending.h"

#include "base/timestamp.h"
#include "engine/wake_queue.h"
#include "turn_rig.h"

static const int64_t CENT = INT64_C(10000000000);
static const int64_t SECOND = 1000;

#define TEN_WORDS "one two three four five six seven eight nine ten "

/* A model for which a call of the script's (110 tokens) costs 1.1 cents, and a prompt that is no
 * shorter than the script says. */
static void
begin(struct rig *r, bool mem)
{
	rig_init(r, mem);
	r->price = CENT / 100;
	rig_agent(r, "thrifty",
		  "{\"id\":\"thrifty\",\"version\":1,\"model\":{\"id\":\"scripted\"},\"limits\":{"
		  "\"max_output_tokens\":50},\"system\":\"" TEN_WORDS TEN_WORDS TEN_WORDS TEN_WORDS
		  "\"}");
	rig_session(r, "s", "thrifty");
}

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

static int64_t
spent(struct rig *r, const char *session)
{
	return rig_row(r, session)->row.counters.cost_picodollars;
}

static enum stop_kind
last_stop(struct rig *r, const char *session)
{
	return rig_row(r, session)->row.last_stop;
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
	} while (last_stop(r, session) == STOP_END_TURN);
	assert_int_equal(last_stop(r, session), STOP_BUDGET_REACHED);
	return turns;
}

static void
T15_a_session_stops_at_its_budget_and_goes_on_when_it_is_raised(void **state)
{
	struct rig r;
	int64_t head;

	(void)state;
	begin(&r, true);
	set_budget(&r, "s", "10");
	assert_true(spend_all(&r, "s") > 2);
	assert_true(spent(&r, "s") <= 10 * CENT); /* hard: never above */
	assert_true(spent(&r, "s") > 5 * CENT);   /* and not far below */
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
	assert_int_equal(last_stop(&r, "s"), STOP_END_TURN);
	rig_release(&r);
}

static void
T15_taking_the_budget_away_lets_it_run(void **state)
{
	struct rig r;

	(void)state;
	begin(&r, true);
	set_budget(&r, "s", "10");
	spend_all(&r, "s");
	rig_post(&r, "s", "waits");
	set_budget(&r, "s", NULL);
	rig_settle(&r);
	assert_int_equal(rig_pending(&r, "s"), 0);
	assert_int_equal(last_stop(&r, "s"), STOP_END_TURN);
	rig_release(&r);
}

static void
T15_a_budget_of_nothing_allows_no_request(void **state)
{
	struct rig r;

	(void)state;
	begin(&r, true);
	set_budget(&r, "s", "0");
	rig_post(&r, "s", "go");
	assert_int_equal(last_stop(&r, "s"), STOP_BUDGET_REACHED);
	assert_int_equal(spent(&r, "s"), 0);
	rig_release(&r);
}

static void
T15_a_model_without_price_is_refused_where_a_budget_holds(void **state)
{
	struct rig r;

	(void)state;
	begin(&r, true);
	r.price = 0;
	rig_post(&r, "s", "no budget, no matter");
	assert_int_equal(last_stop(&r, "s"), STOP_END_TURN);
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
	begin(&r, true);
	r.user_budget = 10 * CENT;
	rig_restart(&r, 0);
	rig_session(&r, "t", "thrifty");
	become_user(&r, "usr_1", "s");
	become_user(&r, "usr_1", "t");
	rig_post(&r, "s", "go");
	assert_int_equal(last_stop(&r, "s"), STOP_END_TURN);
	rig_restart(&r, 0); /* what was spent is known again */
	spend_all(&r, "t");
	sum = spent(&r, "s") + spent(&r, "t");
	assert_true(sum <= 10 * CENT && sum > 5 * CENT);
	spend_all(&r, "s"); /* the rest: its prompt is smaller */
	assert_true(spent(&r, "s") + spent(&r, "t") <= 10 * CENT);

	become_user(&r, "usr_2", "t2");
	rig_session(&r, "t2", "thrifty");
	rig_post(&r, "t2", "another's money");
	assert_int_equal(last_stop(&r, "t2"), STOP_END_TURN);

	become_user(&r, "usr_1", "s");
	rig_post(&r, "s", "waits");
	assert_int_equal(rig_pending(&r, "s"), 1);
	engine_reload(r.en, &(struct engine_settings){ .default_model = STR("demo"),
						       .queue_depth = 20,
						       .user_budget = 100 * CENT });
	rig_settle(&r);
	assert_int_equal(rig_pending(&r, "s"), 0);
	assert_int_equal(last_stop(&r, "s"), STOP_END_TURN);
	rig_release(&r);
}

/* usr_1 has nothing left in s, and a message of theirs waits there. */
static void
begin_broke(struct rig *r)
{
	begin(r, true);
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
	assert_int_equal(last_stop(&r, "s"), STOP_END_TURN);
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
	assert_int_equal(last_stop(&r, "s"), STOP_END_TURN);
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
	sum = spent(&r, "s");
	assert_true(sum <= 20 * CENT);
	for (int i = 0; i < 4; i++) {
		become_user(&r, i % 2 ? "usr_2" : "usr_1", "s");
		rig_post(&r, "s", "nothing left");
	}
	assert_true(rig_pending(&r, "s") <= 5);
	assert_int_equal(last_stop(&r, "s"), STOP_BUDGET_REACHED);
	assert_int_equal(spent(&r, "s"), sum);
	become_user(&r, "usr_3", "s");
	rig_post(&r, "s", "but I have");
	assert_true(spent(&r, "s") > sum);
	rig_release(&r);
}

static void
T15_what_waits_for_money_leaves_room_in_the_queue(void **state)
{
	struct rig r;
	int64_t sum;

	(void)state;
	begin_broke(&r);
	sum = spent(&r, "s");
	for (int i = 0; i < 30; i++)
		rig_post(&r, "s", "again");
	assert_int_equal(rig_pending(&r, "s"), 20);
	assert_int_equal(spent(&r, "s"), sum);
	become_user(&r, "usr_2", "s");
	rig_post(&r, "s", "my own money");
	assert_int_equal(rig_pending(&r, "s"), 20);
	assert_int_equal(last_stop(&r, "s"), STOP_END_TURN);
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
	begin(&r, true);
	r.day_budget = 10 * CENT;
	rig_restart(&r, 0);
	rig_session(&r, "t", "thrifty");
	spend_all(&r, "s");
	rig_restart(&r, 0);
	spend_all(&r, "t");
	assert_true(spent(&r, "s") + spent(&r, "t") <= 10 * CENT);
	rig_post(&r, "t", "waits");
	rest = DAY - r.host.now_ms % DAY;
	rig_advance(&r, rest - 1);
	assert_int_equal(rig_pending(&r, "t"), 1);
	rig_advance(&r, 1);
	assert_int_equal(rig_pending(&r, "t"), 0);
	assert_int_equal(last_stop(&r, "t"), STOP_END_TURN);
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
	begin(&r, true);
	r.day_budget = 10 * CENT;
	rig_restart(&r, 0);
	for (int i = 0; i < MANY; i++) {
		const char *id = arena_printf(&r.arena, "p%d", i).ptr;

		rig_session(&r, id, "thrifty");
		provider_scripted_play(r.scripted, STEPS, ARRAY_LEN(STEPS));
		rig_post(&r, id, "go");
	}
	for (int i = 0; i < MANY; i++)
		reached +=
			last_stop(&r, arena_printf(&r.arena, "p%d", i).ptr) == STOP_BUDGET_REACHED;
	assert_true(reached > 0); /* although nothing is spent yet */
	rig_advance(&r, 2 * SECOND);
	for (int i = 0; i < MANY; i++)
		sum += spent(&r, arena_printf(&r.arena, "p%d", i).ptr);
	assert_true(sum <= 10 * CENT);
	rig_session(&r, "later", "thrifty");
	rig_post(&r, "later", "what was reserved and not spent is free again");
	assert_int_equal(last_stop(&r, "later"), STOP_END_TURN);
	rig_release(&r);
}

static void
T15_a_request_that_was_stopped_gives_its_reservation_back(void **state)
{
	static const struct scripted_step STEPS[] = { { SCRIPTED_WAIT, .wait_ms = -1 } };
	struct rig r;

	(void)state;
	begin(&r, true);
	r.day_budget = 10 * CENT;
	rig_restart(&r, 0);
	for (int i = 0; i < 20; i++) {
		provider_scripted_play(r.scripted, STEPS, ARRAY_LEN(STEPS));
		rig_post(&r, "s", "go");
		rig_interrupt(&r, "s");
		assert_int_equal(last_stop(&r, "s"), STOP_INTERRUPTED);
	}
	rig_release(&r);
}

/* What the day has spent, in tokens of the rig's price. */
static int64_t
day_tokens(struct rig *r)
{
	struct civil c = timestamp_to_civil(r->host.now_ms);
	const char *id =
		arena_printf(&r->arena, "day/%04d-%02d-%02d", (int)c.year, c.month, c.day).ptr;
	struct str body = rig_record(r, RECORD_SPENT, id);
	struct json_doc doc;
	struct json v;
	int64_t sum = 0;

	if (body.len == 0)
		return 0;
	assert_int_equal(json_parse(&r->arena, body, &JSON_LIMITS_DEFAULT, &doc, NULL), 0);
	assert_true(json_find(json_root(&doc), STR("picodollars"), &v) && json_int(v, &sum));
	return sum / r->price;
}

static void
begin_limited(struct rig *r)
{
	begin(r, true);
	r->day_budget = 1000 * CENT;
	rig_restart(r, 0);
}

static void
T15_an_answer_that_was_stopped_is_paid_as_far_as_it_was_heard(void **state)
{
	static const struct scripted_step STEPS[] = { { SCRIPTED_THINKING, STR("abcdefgh") },
						      { SCRIPTED_TEXT, STR("abcdefghij") },
						      { SCRIPTED_WAIT, .wait_ms = -1 } };
	static const struct scripted_step SHORT[] = { { SCRIPTED_TEXT, STR("ab") },
						      { SCRIPTED_WAIT, .wait_ms = -1 } };
	struct rig r;
	int64_t longer, prompt;

	(void)state;
	begin_limited(&r);
	rig_session(&r, "t", "thrifty");
	provider_scripted_play(r.scripted, STEPS, ARRAY_LEN(STEPS));
	rig_post(&r, "s", "go");
	rig_interrupt(&r, "s");
	assert_int_equal(last_stop(&r, "s"), STOP_INTERRUPTED);
	longer = day_tokens(&r);
	provider_scripted_play(r.scripted, SHORT, ARRAY_LEN(SHORT));
	rig_post(&r, "t", "go"); /* the same prompt */
	rig_interrupt(&r, "t");
	prompt = day_tokens(&r) - longer - 1;
	assert_true(prompt > 40); /* what was sent */
	assert_int_equal(longer, prompt + 5);
	rig_release(&r);
}

static void
T15_stopping_again_and_again_is_not_free(void **state)
{
	static const struct scripted_step STEPS[] = { { SCRIPTED_TEXT, STR("almost done") },
						      { SCRIPTED_WAIT, .wait_ms = -1 } };
	struct rig r;
	int turns = 0;

	(void)state;
	begin(&r, true);
	r.day_budget = 10 * CENT;
	rig_restart(&r, 0);
	do {
		provider_scripted_play(r.scripted, STEPS, ARRAY_LEN(STEPS));
		rig_post(&r, "s", "go");
		rig_interrupt(&r, "s");
		turns++;
	} while (turns < 100 && last_stop(&r, "s") == STOP_INTERRUPTED);
	assert_int_equal(last_stop(&r, "s"), STOP_BUDGET_REACHED);
	assert_true(day_tokens(&r) > 500 && day_tokens(&r) <= 1000);
	rig_release(&r);
}

static void
T15_an_estimate_is_never_above_what_was_reserved(void **state)
{
	static const struct scripted_step STEPS[] = {
		{ SCRIPTED_TEXT, STR(TEN_WORDS TEN_WORDS TEN_WORDS TEN_WORDS TEN_WORDS TEN_WORDS
					     TEN_WORDS TEN_WORDS TEN_WORDS TEN_WORDS) },
		{ SCRIPTED_WAIT, .wait_ms = -1 }
	};
	static const struct scripted_step NOTHING[] = { { SCRIPTED_TEXT, STR("a") },
							{ SCRIPTED_WAIT, .wait_ms = -1 } };
	struct rig r;
	int64_t most;

	(void)state;
	begin_limited(&r);
	rig_session(&r, "t", "thrifty");
	provider_scripted_play(r.scripted, STEPS, ARRAY_LEN(STEPS));
	rig_post(&r, "s", "go");
	rig_interrupt(&r, "s");
	most = day_tokens(&r);
	provider_scripted_play(r.scripted, NOTHING, ARRAY_LEN(NOTHING));
	rig_post(&r, "t", "go");
	rig_interrupt(&r, "t");
	assert_int_equal(most, day_tokens(&r) - most - 1 + 50); /* max_output_tokens */
	rig_release(&r);
}

static void
T15_a_request_that_fails_is_paid_once_it_was_worked_on(void **state)
{
	static const struct scripted_step REFUSED[] = {
		{ SCRIPTED_FAIL, STR("no"), .failure = FAILURE_REQUEST },
	};
	static const struct scripted_step TOLD[] = {
		{ SCRIPTED_FAIL, STR("broke"), .failure = FAILURE_REQUEST,
		  .usage = { .input = 23, .output = 1 } },
	};
	static const struct scripted_step HEARD[] = {
		{ SCRIPTED_TEXT, STR("abcdefgh") },
		{ SCRIPTED_FAIL, STR("broke"), .failure = FAILURE_REQUEST,
		  .usage = { .input = 23, .output = 1 } },
	};
	struct rig r;

	(void)state;
	begin_limited(&r);
	provider_scripted_play(r.scripted, REFUSED, ARRAY_LEN(REFUSED));
	rig_post(&r, "s", "go");
	assert_int_equal(day_tokens(&r), 0);
	provider_scripted_play(r.scripted, TOLD, ARRAY_LEN(TOLD));
	rig_post(&r, "s", "go");
	assert_int_equal(day_tokens(&r), 24);
	provider_scripted_play(r.scripted, HEARD, ARRAY_LEN(HEARD));
	rig_post(&r, "s", "go");
	assert_int_equal(day_tokens(&r), 24 + 25);
	rig_release(&r);
}

static void
T15_an_answer_without_usage_is_estimated_where_a_budget_holds(void **state)
{
	static const struct scripted_step STEPS[] = {
		{ SCRIPTED_TEXT, STR("abcdefgh") },
		{ SCRIPTED_DONE, .tells_no_usage = true },
	};
	struct rig r;

	(void)state;
	begin(&r, true);
	provider_scripted_play(r.scripted, STEPS, ARRAY_LEN(STEPS));
	rig_post(&r, "s", "no budget, nothing to keep");
	assert_int_equal(spent(&r, "s"), 0);
	r.day_budget = 1000 * CENT;
	rig_restart(&r, 0);
	provider_scripted_play(r.scripted, STEPS, ARRAY_LEN(STEPS));
	rig_post(&r, "s", "go");
	assert_int_equal(last_stop(&r, "s"), STOP_END_TURN);
	assert_true(day_tokens(&r) > 40);
	assert_int_equal(spent(&r, "s"), day_tokens(&r) * r.price); /* so a session's is kept too */
	rig_release(&r);
}

static void
T15_what_a_session_does_by_itself_is_paid_by_who_spoke_last(void **state)
{
	struct rig r;

	(void)state;
	begin(&r, true);
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
	assert_int_equal(last_stop(&r, "t"), STOP_END_TURN);
	engine_reload(r.en, &(struct engine_settings){ .default_model = STR("demo"),
						       .user_budget = 10 * CENT });
	wake_later(&r, "t");
	assert_int_equal(last_stop(&r, "t"), STOP_BUDGET_REACHED);
	assert_int_equal(rig_count_records(&r, RECORD_WAKE, "t"), 1); /* it waits for money too */
	become_user(&r, "usr_2", "t");
	rig_post(&r, "t", "go on");
	assert_int_equal(rig_count_records(&r, RECORD_WAKE, "t"), 0); /* usr_2 pays now */
	assert_int_equal(last_stop(&r, "t"), STOP_END_TURN);
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
	SUITE_TEST(&s, T15_a_request_that_was_stopped_gives_its_reservation_back);
	SUITE_TEST(&s, T15_an_answer_that_was_stopped_is_paid_as_far_as_it_was_heard);
	SUITE_TEST(&s, T15_stopping_again_and_again_is_not_free);
	SUITE_TEST(&s, T15_an_estimate_is_never_above_what_was_reserved);
	SUITE_TEST(&s, T15_a_request_that_fails_is_paid_once_it_was_worked_on);
	SUITE_TEST(&s, T15_an_answer_without_usage_is_estimated_where_a_budget_holds);
	SUITE_TEST(&s, T15_what_a_session_does_by_itself_is_paid_by_who_spoke_last);
	return suite_run(&s, "engine/spending");
}

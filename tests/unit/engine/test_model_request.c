/* What a request costs that did not come to a proper end; the rest of it shows in test_turn. */
#include "engine/model_request.h"

#include "thrifty.h"

static void
T15_a_request_that_was_stopped_gives_its_reservation_back(void **state)
{
	static const struct scripted_step STEPS[] = { { SCRIPTED_WAIT, .wait_ms = -1 } };
	struct rig r;

	(void)state;
	thrifty_init(&r);
	thrifty_set_day(&r, 10 * CENT);
	for (int i = 0; i < 20; i++) {
		provider_scripted_play(r.scripted, STEPS, ARRAY_LEN(STEPS));
		rig_post(&r, "s", "go");
		rig_interrupt(&r, "s");
		assert_int_equal(thrifty_last_stop(&r, "s"), STOP_INTERRUPTED);
	}
	rig_release(&r);
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
	thrifty_init(&r);
	thrifty_set_day(&r, 1000 * CENT);
	rig_session(&r, "t", "thrifty");
	provider_scripted_play(r.scripted, STEPS, ARRAY_LEN(STEPS));
	rig_post(&r, "s", "go");
	rig_interrupt(&r, "s");
	assert_int_equal(thrifty_last_stop(&r, "s"), STOP_INTERRUPTED);
	longer = thrifty_day_tokens(&r);
	provider_scripted_play(r.scripted, SHORT, ARRAY_LEN(SHORT));
	rig_post(&r, "t", "go"); /* the same prompt */
	rig_interrupt(&r, "t");
	prompt = thrifty_day_tokens(&r) - longer - 1;
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
	thrifty_init(&r);
	thrifty_set_day(&r, 10 * CENT);
	do {
		provider_scripted_play(r.scripted, STEPS, ARRAY_LEN(STEPS));
		rig_post(&r, "s", "go");
		rig_interrupt(&r, "s");
		turns++;
	} while (turns < 100 && thrifty_last_stop(&r, "s") == STOP_INTERRUPTED);
	assert_int_equal(thrifty_last_stop(&r, "s"), STOP_BUDGET_REACHED);
	assert_true(thrifty_day_tokens(&r) > 500 && thrifty_day_tokens(&r) <= 1000);
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
	thrifty_init(&r);
	thrifty_set_day(&r, 1000 * CENT);
	rig_session(&r, "t", "thrifty");
	provider_scripted_play(r.scripted, STEPS, ARRAY_LEN(STEPS));
	rig_post(&r, "s", "go");
	rig_interrupt(&r, "s");
	most = thrifty_day_tokens(&r);
	provider_scripted_play(r.scripted, NOTHING, ARRAY_LEN(NOTHING));
	rig_post(&r, "t", "go");
	rig_interrupt(&r, "t");
	assert_int_equal(most, thrifty_day_tokens(&r) - most - 1 + 50); /* max_output_tokens */
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
	thrifty_init(&r);
	thrifty_set_day(&r, 1000 * CENT);
	provider_scripted_play(r.scripted, REFUSED, ARRAY_LEN(REFUSED));
	rig_post(&r, "s", "go");
	assert_int_equal(thrifty_day_tokens(&r), 0);
	provider_scripted_play(r.scripted, TOLD, ARRAY_LEN(TOLD));
	rig_post(&r, "s", "go");
	assert_int_equal(thrifty_day_tokens(&r), 24);
	provider_scripted_play(r.scripted, HEARD, ARRAY_LEN(HEARD));
	rig_post(&r, "s", "go");
	assert_int_equal(thrifty_day_tokens(&r), 24 + 25);
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
	thrifty_init(&r);
	provider_scripted_play(r.scripted, STEPS, ARRAY_LEN(STEPS));
	rig_post(&r, "s", "no budget, nothing to keep");
	assert_int_equal(thrifty_spent(&r, "s"), 0);
	thrifty_set_day(&r, 1000 * CENT);
	provider_scripted_play(r.scripted, STEPS, ARRAY_LEN(STEPS));
	rig_post(&r, "s", "go");
	assert_int_equal(thrifty_last_stop(&r, "s"), STOP_END_TURN);
	assert_true(thrifty_day_tokens(&r) > 40);
	assert_int_equal(thrifty_spent(&r, "s"),
			 thrifty_day_tokens(&r) * r.price); /* so a session's is kept too */
	rig_release(&r);
}

/* What the day pays for a request that was stopped behind these steps. */
static int64_t
tokens_of_cut(struct rig *r, const char *session, const struct scripted_step *steps, size_t count)
{
	int64_t before = thrifty_day_tokens(r);

	provider_scripted_play(r->scripted, steps, count);
	rig_post(r, session, "go");
	rig_interrupt(r, session);
	assert_int_equal(thrifty_last_stop(r, session), STOP_INTERRUPTED);
	return thrifty_day_tokens(r) - before;
}

static void
T15_arguments_are_paid_as_far_as_they_were_heard(void **state)
{
	static const struct scripted_step BEGUN[] = { { SCRIPTED_HEARD, STR("") },
						      { SCRIPTED_WAIT, .wait_ms = -1 } };
	static const struct scripted_step STEPS[] = { { SCRIPTED_HEARD, STR("{\"path\":\"a\"") },
						      { SCRIPTED_HEARD, STR(",\"text\":\"é") },
						      { SCRIPTED_WAIT, .wait_ms = -1 } };
	struct rig r;
	int64_t prompt;

	(void)state;
	thrifty_init(&r);
	thrifty_set_day(&r, 1000 * CENT);
	rig_session(&r, "t", "thrifty");
	prompt = tokens_of_cut(&r, "s", BEGUN, ARRAY_LEN(BEGUN));
	assert_true(prompt > 40);
	assert_int_equal(tokens_of_cut(&r, "t", STEPS, ARRAY_LEN(STEPS)), prompt + 7 + 1);
	rig_release(&r);
}

static void
T15_what_the_peer_has_told_is_paid_when_it_is_stopped(void **state)
{
	static const struct scripted_step STEPS[] = { { SCRIPTED_HEARD, STR(""),
							.usage = { .input = 23, .output = 1 } },
						      { SCRIPTED_WAIT, .wait_ms = -1 } };
	struct rig r;

	(void)state;
	thrifty_init(&r);
	thrifty_set_day(&r, 1000 * CENT);
	assert_int_equal(tokens_of_cut(&r, "s", STEPS, ARRAY_LEN(STEPS)), 24);
	rig_release(&r);
}

static void
T15_arguments_that_were_heard_are_paid_once(void **state)
{
	static const struct scripted_step PIECES[] = {
		{ SCRIPTED_HEARD, STR("{\"q\":") },
		{ SCRIPTED_HEARD, STR("1234567}") },
		{ SCRIPTED_CALL, .call = { STR("a"), STR("look"), STR("{\"q\":1234567}") } },
		{ SCRIPTED_WAIT, .wait_ms = -1 }
	};
	struct rig r;
	int64_t in_pieces;

	(void)state;
	thrifty_init(&r);
	thrifty_set_day(&r, 1000 * CENT);
	rig_session(&r, "t", "thrifty");
	in_pieces = tokens_of_cut(&r, "s", PIECES, ARRAY_LEN(PIECES));
	assert_int_equal(tokens_of_cut(&r, "t", PIECES + 2, ARRAY_LEN(PIECES) - 2), in_pieces);
	rig_release(&r);
}

/* As the log has it: the next turn begins with that sum. */
static void
T15_a_session_pays_for_what_was_stopped_and_what_broke(void **state)
{
	static const struct scripted_step STOPPED[] = { { SCRIPTED_TEXT, STR("almost done") },
							{ SCRIPTED_WAIT, .wait_ms = -1 } };
	static const struct scripted_step BROKEN[] = {
		{ SCRIPTED_HEARD, STR("{\"path\":\"a\"") },
		{ SCRIPTED_FAIL, STR("broke"), .failure = FAILURE_REQUEST },
	};
	struct rig r;
	int64_t stopped;

	(void)state;
	thrifty_init(&r);
	thrifty_set_day(&r, 1000 * CENT);
	stopped = tokens_of_cut(&r, "s", STOPPED, ARRAY_LEN(STOPPED));
	assert_true(stopped > 40);
	assert_int_equal(thrifty_spent(&r, "s"), stopped * r.price);
	provider_scripted_play(r.scripted, BROKEN, ARRAY_LEN(BROKEN));
	rig_post(&r, "s", "go");
	assert_int_equal(thrifty_last_stop(&r, "s"), STOP_RETRIES_EXHAUSTED);
	assert_true(thrifty_day_tokens(&r) > 2 * stopped - 10);
	assert_int_equal(thrifty_spent(&r, "s"), thrifty_day_tokens(&r) * r.price);
	rig_release(&r);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, T15_a_request_that_was_stopped_gives_its_reservation_back);
	SUITE_TEST(&s, T15_an_answer_that_was_stopped_is_paid_as_far_as_it_was_heard);
	SUITE_TEST(&s, T15_stopping_again_and_again_is_not_free);
	SUITE_TEST(&s, T15_an_estimate_is_never_above_what_was_reserved);
	SUITE_TEST(&s, T15_a_request_that_fails_is_paid_once_it_was_worked_on);
	SUITE_TEST(&s, T15_an_answer_without_usage_is_estimated_where_a_budget_holds);
	SUITE_TEST(&s, T15_arguments_are_paid_as_far_as_they_were_heard);
	SUITE_TEST(&s, T15_what_the_peer_has_told_is_paid_when_it_is_stopped);
	SUITE_TEST(&s, T15_arguments_that_were_heard_are_paid_once);
	SUITE_TEST(&s, T15_a_session_pays_for_what_was_stopped_and_what_broke);
	return suite_run(&s, "engine/model_request");
}

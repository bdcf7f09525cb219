#include "engine/own_tool_directive.h"

#include "tool_rig.h"

static const int64_t SECOND = 1000;

static void
on_listed(void *ctx, int rc, const struct err *err, const struct wake_list *wakes)
{
	(void)err;
	assert_int_equal(rc, 0);
	*(struct wake_list *)ctx = *wakes;
}

static struct wake_list
list(struct rig *r, const char *session)
{
	struct wake_list wakes = { 0 };

	wake_queue_read(r->en, str_of(session), &r->arena, on_listed, &wakes);
	for (int i = 0; !wakes.ptr && i < 1000; i++)
		rig_settle(r);
	return wakes;
}

/* An agent with the built-in tools whose model is scripted. */
static void
begin(struct rig *r, const struct scripted_step *steps, size_t count)
{
	tool_rig_init(r);
	rig_agent(r, "plays",
		  "{\"id\":\"plays\",\"version\":1,\"model\":{\"id\":\"scripted\"},\"tools\":"
		  "[" TOOL_RIG_BLOCK("always_allow") "]}");
	provider_scripted_play(r->scripted, steps, count);
	rig_session(r, "s", "plays");
}

#define ASKS(arguments)                                                                    \
	{ SCRIPTED_CALL, .call = { STR("c"), STR("session_directive"), STR(arguments) } }, \
	{                                                                                  \
		SCRIPTED_DONE, .stop = PROVIDER_STOP_TOOLS                                 \
	}
#define ENDS                            \
	{ SCRIPTED_TEXT, STR("done") }, \
	{                               \
		SCRIPTED_DONE           \
	}
#define TURN_FROM_CALL                                                                   \
	"tool_use model_request_end tool_result:ok model_request_start message\"done\" " \
	"model_request_end "
#define WOKEN "message status_running model_request_start "

static void
T16_sleep_ends_the_turn_and_queues_nothing(void **state)
{
	static const struct scripted_step STEPS[] = { ASKS("{\"outcome\":\"sleep\"}"), ENDS };
	struct rig r;

	(void)state;
	begin(&r, STEPS, ARRAY_LEN(STEPS));
	rig_post(&r, "s", "go");
	check_str("log", rig_log(&r, "s", 5), STR(TURN_FROM_CALL "status_idle:end_turn"));
	assert_int_equal(list(&r, "s").len, 0);
	rig_release(&r);
}

static void
T16_wakes_are_queued_with_the_terminal_and_M8_it_says_rescheduling(void **state)
{
	static const struct scripted_step STEPS[] = {
		ASKS("{\"outcome\":\"sleep\",\"wakes\":[{\"delay_seconds\":60,\"reason\":\"mail\","
		     "\"note\":\"inbox\"},{\"delay_seconds\":30,\"reason\":\"news\"}]}"),
		{ SCRIPTED_WAIT, .wait_ms = 1000 },
		ENDS,
		ENDS,
		ENDS,
	};
	struct rig r;
	struct wake_list wakes;

	(void)state;
	begin(&r, STEPS, ARRAY_LEN(STEPS));
	rig_post(&r, "s", "go");
	assert_int_equal(list(&r, "s").len, 0); /* the turn is not over */
	rig_advance(&r, SECOND);
	check_str("log", rig_log(&r, "s", 5), STR(TURN_FROM_CALL "status_idle:rescheduling"));
	wakes = list(&r, "s");
	assert_int_equal(wakes.len, 2);
	check_str("reason", wakes.ptr[0].item.reason, STR("mail"));
	check_str("note", wakes.ptr[0].item.note, STR("inbox"));
	assert_int_equal(wakes.ptr[0].item.due_ms, r.host.now_ms + 60 * SECOND);
	assert_int_equal(wakes.ptr[1].item.due_ms, r.host.now_ms + 30 * SECOND);
	assert_int_equal(rig_row(&r, "s")->row.last_stop, STOP_RESCHEDULING);
	rig_advance(&r, 60 * SECOND);
	check_str("both ran", rig_log(&r, "s", 12),
		  STR(WOKEN "message\"done\" model_request_end status_idle:end_turn " WOKEN
			    "message\"done\" model_request_end status_idle:end_turn"));
	assert_int_equal(list(&r, "s").len, 0);
	rig_release(&r);
}

#define CONTINUES ASKS("{\"outcome\":\"continue\",\"follow_up_seconds\":10}"), ENDS

static void
T16_the_fourth_continue_in_a_row_is_put_to_sleep(void **state)
{
	static const struct scripted_step STEPS[] = { CONTINUES, CONTINUES, CONTINUES, CONTINUES };
	struct rig r;
	int64_t head;

	(void)state;
	begin(&r, STEPS, ARRAY_LEN(STEPS));
	rig_post(&r, "s", "go");
	for (int i = 1; i <= 3; i++) {
		assert_int_equal(list(&r, "s").len, 1);
		assert_int_equal(list(&r, "s").ptr[0].continues, i);
		assert_int_equal(rig_row(&r, "s")->row.last_stop, STOP_RESCHEDULING);
		if (i == 2)
			rig_restart(&r, 0); /* the count outlives the process */
		rig_advance(&r, 10 * SECOND);
	}
	assert_int_equal(rig_row(&r, "s")->row.last_stop, STOP_END_TURN);
	assert_int_equal(rig_row(&r, "s")->row.counters.completed_turns, 4);
	assert_int_equal(list(&r, "s").len, 0);
	head = rig_head(&r, "s");
	rig_advance(&r, 3600 * SECOND);
	assert_int_equal(rig_head(&r, "s"), head);
	rig_release(&r);
}

static void
T16_without_a_time_continue_follows_up_in_five_minutes(void **state)
{
	static const struct scripted_step STEPS[] = { ASKS("{\"outcome\":\"continue\"}"), ENDS,
						      ENDS };
	struct rig r;

	(void)state;
	begin(&r, STEPS, ARRAY_LEN(STEPS));
	rig_post(&r, "s", "go");
	assert_int_equal(list(&r, "s").ptr[0].item.due_ms, r.host.now_ms + 300 * SECOND);
	rig_advance(&r, 300 * SECOND);
	check_str("log", rig_log(&r, "s", 12),
		  STR(WOKEN "message\"done\" model_request_end status_idle:end_turn"));
	rig_release(&r);
}

static void
T16_the_last_directive_of_a_turn_counts(void **state)
{
	static const struct scripted_step STEPS[] = {
		ASKS("{\"outcome\":\"continue\",\"wakes\":[{\"delay_seconds\":5,\"reason\":\"a\"}]"
		     "}"),
		ASKS("{\"outcome\":\"sleep\"}"),
		ENDS,
	};
	struct rig r;

	(void)state;
	begin(&r, STEPS, ARRAY_LEN(STEPS));
	rig_post(&r, "s", "go");
	assert_int_equal(list(&r, "s").len, 0);
	assert_int_equal(rig_row(&r, "s")->row.last_stop, STOP_END_TURN);
	rig_release(&r);
}

static void
T16_what_is_beyond_the_limits_is_refused_and_changes_nothing(void **state)
{
	static const struct scripted_step STEPS[] = {
		ASKS("{\"outcome\":\"sleep\",\"wakes\":[{\"delay_seconds\":86401,\"reason\":\"a\"}]"
		     "}"),
		ENDS,
	};
	struct rig r;

	(void)state;
	begin(&r, STEPS, ARRAY_LEN(STEPS));
	rig_post(&r, "s", "go");
	check_str("log", rig_log(&r, "s", 5),
		  STR("tool_use model_request_end tool_result:error model_request_start "
		      "message\"done\" model_request_end status_idle:end_turn"));
	assert_int_equal(list(&r, "s").len, 0);
	rig_release(&r);
}

static void
T16_a_turn_that_a_person_stops_leaves_nothing(void **state)
{
	static const struct scripted_step STEPS[] = {
		ASKS("{\"outcome\":\"continue\",\"learnings\":[{\"title\":\"t\"}]}"),
		{ SCRIPTED_WAIT, .wait_ms = -1 },
	};
	struct rig r;

	(void)state;
	begin(&r, STEPS, ARRAY_LEN(STEPS));
	rig_post(&r, "s", "go");
	rig_interrupt(&r, "s");
	assert_int_equal(rig_row(&r, "s")->row.last_stop, STOP_INTERRUPTED);
	assert_int_equal(list(&r, "s").len, 0);
	rig_release(&r);
}

/* Killed after the directive was noted, and before the turn ended: the log still has it. */
static void
T16_a_directive_outlives_the_process(void **state)
{
	static const struct scripted_step STEPS[] = {
		ASKS("{\"outcome\":\"continue\",\"follow_up_seconds\":9,\"wakes\":[{\"delay_"
		     "seconds\":"
		     "5,\"reason\":\"a\"}]}"),
		{ SCRIPTED_WAIT, .wait_ms = -1 },
		ENDS,
	};
	struct rig r;
	struct engine *dead;

	(void)state;
	begin(&r, STEPS, ARRAY_LEN(STEPS));
	rig_post(&r, "s", "go");
	dead = rig_kill(&r);
	rig_settle(&r);
	assert_int_equal(rig_row(&r, "s")->row.last_stop, STOP_RESCHEDULING);
	assert_int_equal(list(&r, "s").len, 2);
	rig_bury(&r, dead);
	rig_release(&r);
}

/* A follow-up that waits already is not queued again, whoever asks. */
static void
T16_there_is_one_follow_up_at_a_time(void **state)
{
	static const struct scripted_step STEPS[] = { CONTINUES, CONTINUES };
	struct rig r;
	int64_t due_ms;

	(void)state;
	begin(&r, STEPS, ARRAY_LEN(STEPS));
	rig_post(&r, "s", "one");
	due_ms = list(&r, "s").ptr[0].item.due_ms;
	rig_advance(&r, SECOND);
	rig_post(&r, "s", "two");
	assert_int_equal(list(&r, "s").len, 1);
	assert_int_equal(list(&r, "s").ptr[0].item.due_ms, due_ms);
	rig_release(&r);
}

static void
T16_learnings_are_kept_for_the_agent_once(void **state)
{
	static const struct scripted_step STEPS[] = {
		ASKS("{\"outcome\":\"sleep\",\"learnings\":[{\"title\":\"Tests first\",\"detail\":"
		     "\"d\"},{\"title\":\"Other\"}]}"),
		ENDS,
		ASKS("{\"outcome\":\"sleep\",\"learnings\":[{\"title\":\"tests FIRST\",\"detail\":"
		     "\"D\"}]}"),
		ENDS,
	};
	struct rig r;
	size_t count;

	(void)state;
	begin(&r, STEPS, ARRAY_LEN(STEPS));
	rig_post(&r, "s", "one");
	count = rig_count_records(&r, RECORD_LEARNING, "plays");
	assert_int_equal(count, 2);
	rig_post(&r, "s", "two");
	assert_int_equal(rig_count_records(&r, RECORD_LEARNING, "plays"), 2);
	assert_int_equal(rig_count_records(&r, RECORD_LEARNING, "main"), 0);
	rig_release(&r);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, T16_sleep_ends_the_turn_and_queues_nothing);
	SUITE_TEST(&s, T16_wakes_are_queued_with_the_terminal_and_M8_it_says_rescheduling);
	SUITE_TEST(&s, T16_the_fourth_continue_in_a_row_is_put_to_sleep);
	SUITE_TEST(&s, T16_without_a_time_continue_follows_up_in_five_minutes);
	SUITE_TEST(&s, T16_the_last_directive_of_a_turn_counts);
	SUITE_TEST(&s, T16_what_is_beyond_the_limits_is_refused_and_changes_nothing);
	SUITE_TEST(&s, T16_a_turn_that_a_person_stops_leaves_nothing);
	SUITE_TEST(&s, T16_a_directive_outlives_the_process);
	SUITE_TEST(&s, T16_there_is_one_follow_up_at_a_time);
	SUITE_TEST(&s, T16_learnings_are_kept_for_the_agent_once);
	return suite_run(&s, "engine/own_tool_directive");
}

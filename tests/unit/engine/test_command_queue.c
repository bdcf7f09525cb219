#include "engine/command.h"

#include "tool_rig.h"

struct answer {
	bool done;
	int rc;
	char text[ERR_TEXT_MAX], said[512], data[2048];
};

static void
on_answer(void *ctx, const struct engine_answer *answer)
{
	struct answer *a = ctx;

	a->done = true;
	a->rc = answer->rc;
	if (answer->rc != 0)
		memcpy(a->text, answer->err->text, sizeof a->text);
	snprintf(a->said, sizeof a->said, STR_FMT, STR_ARG(answer->text));
	snprintf(a->data, sizeof a->data, STR_FMT, STR_ARG(answer->data));
}

static struct answer
run(struct rig *r, const char *line)
{
	struct answer a = { 0 };
	struct engine_call call = { .caller = &r->owner, .done = on_answer, .ctx = &a };

	engine_command(r->en, &call, STR("s"), str_of(line));
	rig_settle_until(r, &a.done);
	rig_settle(r);
	return a;
}

static void
expect(struct answer a, int rc, const char *part)
{
	if (a.rc != rc)
		fail_msg("%s, not %s: %s", err_name(a.rc), err_name(rc), a.text);
	if (part && !strstr(rc == 0 ? a.said : a.text, part))
		fail_msg("'%s' does not say '%s'", rc == 0 ? a.said : a.text, part);
}

static void
begin(struct rig *r, const char *agent)
{
	tool_rig_init(r);
	rig_agent(r, "asking", TOOL_RIG_ASKING_AGENT("asking"));
	rig_session(r, "s", agent);
}

static void
Q8_stop_interrupts_and_clears_the_queue_in_one_item(void **state)
{
	struct rig r;
	struct answer a;
	int64_t head;

	(void)state;
	begin(&r, "worker");
	rig_post(&r, "s", "wait 60");
	rig_post(&r, "s", "say two");
	rig_post(&r, "s", "say three");
	head = rig_head(&r, "s");
	a = run(&r, "/stop");
	expect(a, 0, "stopped; 2 waiting messages cancelled");
	assert_non_null(strstr(a.data, "\"interrupted\":true,\"cancelled\":2,"));
	assert_int_equal(rig_event_at(&r, "s", head + 1)->kind, EVENT_USER_INTERRUPT);
	assert_int_equal(rig_event_at(&r, "s", head + 2)->kind, EVENT_INPUT_CANCELLED);
	rig_advance(&r, 120000);
	assert_int_equal(rig_pending(&r, "s"), 0);
	assert_int_equal(rig_row(&r, "s")->row.state.phase, TURN_NONE);
	assert_int_equal(rig_row(&r, "s")->row.last_stop, STOP_INTERRUPTED);
	assert_int_equal(rig_row(&r, "s")->row.counters.completed_turns, 1);
	assert_int_equal(rig_row(&r, "s")->row.state.lifecycle, LIFECYCLE_ACTIVE);
	/* the session goes on */
	rig_post(&r, "s", "say four");
	rig_advance(&r, 1000);
	assert_int_equal(rig_row(&r, "s")->row.last_stop, STOP_END_TURN);
	rig_release(&r);
}

static void
Q8_stop_at_rest_ends_nothing(void **state)
{
	struct rig r;

	(void)state;
	begin(&r, "worker");
	expect(run(&r, "/stop"), 0, "nothing runs and nothing waits");
	assert_int_equal(rig_row(&r, "s")->row.state.phase, TURN_NONE);
	assert_int_equal(rig_row(&r, "s")->row.last_stop, STOP_NONE);
	rig_release(&r);
}

static void
Q8_suspending_needs_a_lane_and_stops_nothing_without_one(void **state)
{
	struct rig r;

	(void)state;
	begin(&r, "worker");
	rig_post(&r, "s", "wait 60");
	expect(run(&r, "/stop --suspend"), ERR_CONFLICT, "only a conversation of a chat");
	assert_int_equal(rig_row(&r, "s")->row.state.phase, TURN_RUNNING);
	rig_release(&r);
}

static void
Q8_suspending_stops_and_marks_the_lane(void **state)
{
	struct rig r;

	(void)state;
	begin(&r, "worker");
	rig_put(&r, RECORD_LANE, "lane_1", "s",
		"{\"session_key\":\"agent:main:telegram:dm:1\",\"session_id\":\"s\"}");
	rig_post(&r, "s", "wait 60");
	expect(run(&r, "/stop --suspend"), 0, "the next message opens a new session");
	assert_int_equal(rig_row(&r, "s")->row.last_stop, STOP_INTERRUPTED);
	assert_true(str_contains(rig_record(&r, RECORD_LANE, "lane_1"), STR("\"suspended\":true")));
	rig_release(&r);
}

static void
Q3_queue_is_first_in_first_out_whatever_is_said_of_others(void **state)
{
	struct rig r;
	struct answer a;

	(void)state;
	begin(&r, "worker");
	a = run(&r, "/queue wait 5");
	expect(a, 0, "runs now");
	rig_post_busy(&r, "s", "say b", BUSY_COLLECT);
	a = run(&r, "/queue say c");
	expect(a, 0, "waits as number 2");
	assert_non_null(strstr(a.data, "\"queue_position\":2"));
	a = run(&r, "/queue say d");
	expect(a, 0, "waits as number 3");
	a = run(&r, "/queue");
	assert_non_null(strstr(a.data, "\"queue_depth\":3,\"queue\":[{"));
	assert_non_null(strstr(a.data, "\"position\":3,\"busy\":\"queue\"}]"));
	rig_advance(&r, 60000);
	/* b was not merged with what came after it, nor were c and d */
	assert_int_equal(rig_row(&r, "s")->row.counters.completed_turns, 4);
	rig_release(&r);
}

static void
Q3_a_steer_goes_into_the_turn(void **state)
{
	struct rig r;

	(void)state;
	begin(&r, "worker");
	rig_post(&r, "s", "wait 5\ntool bash {}\nsay done");
	expect(run(&r, "/steer be quick"), 0, "goes into the turn at its next step");
	rig_advance(&r, 60000);
	assert_true(rig_event_id(&r, "s", EVENT_INPUT_CONSUMED).len > 0);
	assert_int_equal(rig_row(&r, "s")->row.counters.completed_turns, 1);
	rig_release(&r);
}

static void
Q3_a_full_queue_refuses_it(void **state)
{
	struct rig r;

	(void)state;
	begin(&r, "worker");
	rig_post(&r, "s", "wait 60");
	for (int i = 0; i < 20; i++)
		expect(run(&r, "/queue say x"), 0, NULL);
	expect(run(&r, "/queue say x"), ERR_LIMIT, NULL);
	rig_release(&r);
}

static void
L3_what_is_asked_is_allowed(void **state)
{
	struct rig r;
	struct answer a;

	(void)state;
	begin(&r, "asking");
	expect(run(&r, "/approve"), ERR_CONFLICT, "nothing is asked");
	rig_post(&r, "s", "tool bash {\"command\":\"ls\"}");
	assert_int_equal(rig_row(&r, "s")->row.state.phase, TURN_PARKED);
	a = run(&r, "/status");
	expect(a, 0, "/approve or /deny");
	assert_non_null(strstr(a.data, "\"questions\":[\"sevt_"));
	expect(run(&r, "/approve sevt_none"), ERR_CONFLICT, "not open");
	a = run(&r, "/approve");
	expect(a, 0, "allowed 1 call");
	assert_int_equal(tool_scripted_started(r.tools), 1);
	rig_release(&r);
}

static void
L3_what_is_asked_is_denied_with_a_reason(void **state)
{
	struct rig r;
	int64_t head;

	(void)state;
	begin(&r, "asking");
	rig_post(&r, "s", "tool bash {\"command\":\"ls\"}");
	head = rig_head(&r, "s");
	expect(run(&r, "/deny not on a sunday"), 0, "denied 1 call");
	assert_int_equal(tool_scripted_started(r.tools), 0);
	assert_true(str_contains(rig_event_at(&r, "s", head + 1)->payload,
				 STR("\"deny_message\":\"not on a sunday\"")));
	rig_release(&r);
}

static void
L3_what_is_allowed_for_good_is_not_asked_again(void **state)
{
	struct rig r;

	(void)state;
	begin(&r, "asking");
	rig_post(&r, "s", "tool bash {\"command\":\"ls\"}");
	expect(run(&r, "/approve --always"), 0, "allowed 1 call, for good");
	rig_advance(&r, 1000);
	assert_int_equal(tool_scripted_started(r.tools), 1);
	rig_release(&r);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, Q8_stop_interrupts_and_clears_the_queue_in_one_item);
	SUITE_TEST(&s, Q8_stop_at_rest_ends_nothing);
	SUITE_TEST(&s, Q8_suspending_needs_a_lane_and_stops_nothing_without_one);
	SUITE_TEST(&s, Q8_suspending_stops_and_marks_the_lane);
	SUITE_TEST(&s, Q3_queue_is_first_in_first_out_whatever_is_said_of_others);
	SUITE_TEST(&s, Q3_a_steer_goes_into_the_turn);
	SUITE_TEST(&s, Q3_a_full_queue_refuses_it);
	SUITE_TEST(&s, L3_what_is_asked_is_allowed);
	SUITE_TEST(&s, L3_what_is_asked_is_denied_with_a_reason);
	SUITE_TEST(&s, L3_what_is_allowed_for_good_is_not_asked_again);
	return suite_run(&s, "engine/command_queue");
}

#include "engine/own_tool.h"

#include "engine/engine_private.h"
#include "tool_rig.h"

/* What a test's own tool was asked, and how it was ended. */
static struct {
	struct own_tool_call *open;
	size_t starts, cancels;
	char session[32];
	int64_t fence;
} seen;

static void
start_now(struct own_tool_call *call)
{
	seen.starts++;
	seen.fence = call->fence;
	snprintf(seen.session, sizeof seen.session, "%.*s", STR_ARG(call->session));
	own_tool_done(call, OUTCOME_OK, call->arguments);
}

static void
start_slow(struct own_tool_call *call)
{
	seen.starts++;
	seen.open = call;
}

static void
cancel_slow(struct own_tool_call *call)
{
	assert_ptr_equal(call, seen.open);
	seen.cancels++;
}

static const struct own_tool NOW = { { .name = STR("now"), .input_schema = STR("{}") },
				     start_now,
				     NULL };
static const struct own_tool SLOW = { { .name = STR("slow"), .input_schema = STR("{}") },
				      start_slow,
				      cancel_slow };
static const struct own_tool *const TABLE[] = { &NOW, &SLOW, NULL };

static void
begin(struct rig *r)
{
	memset(&seen, 0, sizeof seen);
	tool_rig_init(r);
	r->en->own_tools = TABLE;
	rig_session(r, "s", "worker");
}

static void
T12_the_engines_own_tools_are_offered_with_the_built_in_ones(void **state)
{
	struct rig r;

	(void)state;
	begin(&r);
	rig_post(&r, "s", "tool now {\"a\":1}");
	check_str("log", rig_log(&r, "s", 5),
		  STR("tool_use model_request_end tool_result:ok model_request_start "
		      "message\"now: {\\\"a\\\":1}\" model_request_end status_idle:end_turn"));
	assert_string_equal(seen.session, "s");
	assert_int_equal(seen.fence, rig_row(&r, "s")->fence);
	assert_int_equal(tool_scripted_started(r.tools), 0);
	rig_release(&r);
}

static void
T12_one_may_take_its_time(void **state)
{
	struct rig r;

	(void)state;
	begin(&r);
	rig_post(&r, "s", "tool slow {}");
	own_tool_done(seen.open, OUTCOME_ERROR, STR("no"));
	rig_settle(&r);
	check_str("log", rig_log(&r, "s", 7),
		  STR("tool_result:error model_request_start message\"slow: no\" "
		      "model_request_end status_idle:end_turn"));
	assert_int_equal(seen.cancels, 0);
	rig_release(&r);
}

static void
T4_one_that_takes_too_long_is_stopped(void **state)
{
	struct rig r;

	(void)state;
	begin(&r);
	rig_post(&r, "s", "tool slow {}");
	rig_advance(&r, 120000);
	assert_int_equal(seen.cancels, 1);
	check_str("log", rig_log(&r, "s", 7),
		  STR("tool_result:timeout model_request_start message\"slow: timed out after 120 "
		      "s\" model_request_end status_idle:end_turn"));
	rig_release(&r);
}

static void
Q5_an_interrupt_stops_one(void **state)
{
	struct rig r;

	(void)state;
	begin(&r);
	rig_post(&r, "s", "tool slow {}");
	rig_interrupt(&r, "s");
	assert_int_equal(seen.cancels, 1);
	rig_release(&r);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, T12_the_engines_own_tools_are_offered_with_the_built_in_ones);
	SUITE_TEST(&s, T12_one_may_take_its_time);
	SUITE_TEST(&s, T4_one_that_takes_too_long_is_stopped);
	SUITE_TEST(&s, Q5_an_interrupt_stops_one);
	return suite_run(&s, "engine/own_tool");
}

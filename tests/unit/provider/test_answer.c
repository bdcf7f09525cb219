#include "provider/answer.h"

#include "dialect_rig.h"

struct hearing {
	struct dialect_trace trace;
	struct answer answer;
};

static void
begin(struct hearing *h)
{
	dialect_trace_init(&h->trace);
	answer_init(&h->answer, &DIALECT_TRACE, &h->trace);
	h->answer.from = STR("acme/m");
}

static void
end(struct hearing *h, const char *want)
{
	answer_finish(&h->answer, -1);
	check_str("told", buf_str(&h->trace.out), str_of(want));
	answer_release(&h->answer);
	dialect_trace_release(&h->trace);
}

static void
T3_empty_pieces_are_not_told(void **state)
{
	struct hearing h;

	(void)state;
	begin(&h);
	answer_text(&h.answer, STR(""));
	answer_thinking(&h.answer, STR(""));
	assert_false(h.answer.spoke || h.answer.thought_aloud);
	h.answer.complete = true;
	end(&h, "end 0+0 r0 0+0");
}

static void
T3_reasoning_has_its_place(void **state)
{
	struct hearing h;

	(void)state;
	begin(&h);
	answer_keep(&h.answer, STR("{}"));
	answer_text(&h.answer, STR("a"));
	answer_keep(&h.answer, STR("{}"));
	answer_call_new(&h.answer, 0, STR("x"), STR("f"));
	answer_keep(&h.answer, STR("{}"));
	answer_call_new(&h.answer, 1, STR("y"), STR("g"));
	h.answer.complete = true;
	end(&h, "\"a\" {\"from\":\"acme/m\",\"items\":[{\"at\":0,\"item\":{}},{\"at\":1,\"item\":"
		"{}},{\"at\":2,\"item\":{}}]} call(x f {}) call(y g {}) tools 0+0 r0 0+0");
}

static void
T6_the_first_failure_counts(void **state)
{
	struct hearing h;

	(void)state;
	begin(&h);
	answer_fail(&h.answer, FAILURE_SERVER, "one");
	answer_fail(&h.answer, FAILURE_NETWORK, "two");
	answer_text(&h.answer, STR("late"));
	end(&h, "!server acme/m: one");
}

static struct usage told;

static void
keep_usage(void *ctx, const struct provider_failure *failure)
{
	(void)ctx;
	told = failure->usage;
}

static void
T15_a_failure_tells_the_usage_that_was_known(void **state)
{
	struct provider_events events = DIALECT_TRACE;
	struct hearing h;

	(void)state;
	begin(&h);
	events.on_failed = keep_usage;
	h.answer.events = &events;
	h.answer.usage = (struct usage){ .input = 7, .output = 1, .cache_read = 3 };
	answer_fail(&h.answer, FAILURE_NETWORK, "it broke");
	end(&h, "");
	assert_int_equal(told.input, 7);
	assert_int_equal(told.output, 1);
	assert_int_equal(told.cache_read, 3);
}

static void
T6_too_much_is_refused(void **state)
{
	struct hearing h;
	struct answer_call *call;
	char piece[64 * 1024];

	(void)state;
	memset(piece, 'x', sizeof piece);
	begin(&h);
	call = answer_call_new(&h.answer, 0, STR("x"), STR("f"));
	for (size_t i = 0; i <= ANSWER_BYTES_MAX / sizeof piece; i++)
		answer_arguments(&h.answer, call, (struct str){ piece, sizeof piece });
	assert_true(h.answer.failed);
	end(&h, "!malformed acme/m: the argument of a tool call is larger than "
		"16777216 bytes");
	begin(&h);
	for (int i = 0; i < ANSWER_CALLS_MAX; i++)
		assert_non_null(answer_call_new(&h.answer, i, STR("x"), STR("f")));
	assert_null(answer_call_new(&h.answer, -1, STR("x"), STR("f")));
	end(&h, "!malformed acme/m: the answer has more than 512 tool calls");
}

static void
T6_a_thought_that_is_too_long_is_refused(void **state)
{
	struct hearing h;
	char piece[64 * 1024];

	(void)state;
	memset(piece, 'x', sizeof piece);
	begin(&h);
	for (size_t i = 0; i <= ANSWER_BYTES_MAX / sizeof piece; i++)
		answer_thought(&h.answer, (struct str){ piece, sizeof piece });
	assert_true(h.answer.failed);
	assert_string_equal(h.answer.err.text, "acme/m: a thought is larger than 16777216 bytes");
	answer_release(&h.answer);
	dialect_trace_release(&h.trace);
}

/* An event may cancel: whatever comes first is the last that is told. */
static void
Q5_a_muted_answer_tells_nothing(void **state)
{
	struct hearing h;

	(void)state;
	begin(&h);
	h.trace.mute_at_once = &h.answer;
	answer_text(&h.answer, STR("a"));
	answer_text(&h.answer, STR("b"));
	end(&h, "\"a\"");
	begin(&h);
	h.trace.mute_at_once = &h.answer;
	answer_keep(&h.answer, STR("{}"));
	answer_call_new(&h.answer, 0, STR("x"), STR("f"));
	h.answer.complete = true;
	end(&h, "{\"from\":\"acme/m\",\"items\":[{\"at\":0,\"item\":{}}]}");
	begin(&h);
	h.trace.mute_at_once = &h.answer;
	answer_call_new(&h.answer, 0, STR("x"), STR("f"));
	answer_call_new(&h.answer, 1, STR("y"), STR("f"));
	h.answer.complete = true;
	end(&h, "call(x f {})");
	begin(&h);
	answer_fail(&h.answer, FAILURE_SERVER, "one");
	h.answer.muted = true;
	end(&h, "");
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, T3_empty_pieces_are_not_told);
	SUITE_TEST(&s, T3_reasoning_has_its_place);
	SUITE_TEST(&s, T6_the_first_failure_counts);
	SUITE_TEST(&s, T15_a_failure_tells_the_usage_that_was_known);
	SUITE_TEST(&s, T6_too_much_is_refused);
	SUITE_TEST(&s, T6_a_thought_that_is_too_long_is_refused);
	SUITE_TEST(&s, Q5_a_muted_answer_tells_nothing);
	return suite_run(&s, "provider/answer");
}

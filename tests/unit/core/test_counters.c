#include "core/counters.h"
#include "harness.h"

static void
add(struct session_counters *c, const char *usage)
{
	char text[512];
	struct arena a;
	struct json_doc doc;
	struct err e = { 0 };

	arena_init(&a);
	snprintf(text, sizeof text, "{\"model_usage\":%s}", usage);
	if (json_parse(&a, str_of(text), &JSON_LIMITS_DEFAULT, &doc, &e) != 0)
		fail_msg("%s", e.text);
	counters_add_request(c, json_root(&doc));
	arena_release(&a);
}

static void
M12_a_request_adds_up(void **state)
{
	struct session_counters c = { 0 };

	(void)state;
	add(&c, "{\"input_tokens\":10,\"output_tokens\":5,\"reasoning_tokens\":2,"
		"\"cache_read_input_tokens\":3,\"cache_creation_input_tokens\":4,"
		"\"cost_picodollars\":7}");
	add(&c, "{\"input_tokens\":0,\"output_tokens\":1}");
	assert_int_equal(c.usage.input, 10);
	assert_int_equal(c.usage.output, 6);
	assert_int_equal(c.usage.reasoning, 2);
	assert_int_equal(c.usage.cache_read, 3);
	assert_int_equal(c.usage.cache_write, 4);
	assert_int_equal(c.total_tokens, 10 + 3 + 4 + 6);
	assert_int_equal(c.last_prompt_tokens, 17);
	assert_int_equal(c.cost_picodollars, 7);
	assert_int_equal(c.priced_requests, 1);
	assert_int_equal(c.unpriced_requests, 1);
}

static void
M12_sums_stop_at_the_end_of_the_scale(void **state)
{
	struct session_counters c = { .usage.input = INT64_MAX - 1, .cost_picodollars = INT64_MAX };

	(void)state;
	add(&c, "{\"input_tokens\":9223372036854775807,\"output_tokens\":9223372036854775807,"
		"\"cost_picodollars\":1}");
	assert_int_equal(c.usage.input, INT64_MAX);
	assert_int_equal(c.total_tokens, INT64_MAX);
	assert_int_equal(c.cost_picodollars, INT64_MAX);
}

static void
M12_an_end_without_usage_adds_nothing(void **state)
{
	struct session_counters c = { 0 }, none = { 0 };

	(void)state;
	counters_add_request(&c, (struct json){ 0 });
	assert_memory_equal(&c, &none, sizeof c);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, M12_a_request_adds_up);
	SUITE_TEST(&s, M12_sums_stop_at_the_end_of_the_scale);
	SUITE_TEST(&s, M12_an_end_without_usage_adds_nothing);
	return suite_run(&s, "counters");
}

#include "provider/dialect.h"

#include "dialect_rig.h"

static const struct row {
	const char *name, *given, *want;
} ROWS[] = {
	{ "T3 arguments as they are", " {\"q\": 1} ", "{\"q\": 1}" },
	{ "T3 no arguments", "", "{}" },
	{ "T3 only blanks", " \n", "{}" },
	{ "T3 no JSON", "say \"hi\"", "{\"arguments\":\"say \\\"hi\\\"\"}" },
	{ "T3 JSON that is no object", "[1]", "{\"arguments\":\"[1]\"}" },
	{ "T3 cut off", "{\"q\":", "{\"arguments\":\"{\\\"q\\\":\"}" },
};

static void
check_arguments(void **state)
{
	const struct row *row = *state;
	struct arena a;

	arena_init(&a);
	check_str(row->name, dialect_arguments(str_of(row->given), &a), str_of(row->want));
	arena_release(&a);
}

#define TEN "a-b_c_D-E9"
static const struct row NAMES[] = {
	{ "T3 a name as it is", "look_At-2", "look_At-2" },
	{ "T3 a name that was made up", "multi_tool_use.parallel", "multi_tool_use_parallel" },
	{ "T3 a name with blanks and signs", "run \"it\"\n", "run__it__" },
	{ "T3 a name in another script", "sé", "s__" },
	{ "T3 a name of 64 bytes", TEN TEN TEN TEN TEN TEN "1234", TEN TEN TEN TEN TEN TEN "1234" },
	{ "T3 a name that is too long", TEN TEN TEN TEN TEN TEN "123é",
	  TEN TEN TEN TEN TEN TEN "123_" },
	{ "T3 no name", "", "unnamed" },
};

static void
check_name(void **state)
{
	const struct row *row = *state;
	struct arena a;

	arena_init(&a);
	check_str(row->name, dialect_tool_name(str_of(row->given), 64, &a), str_of(row->want));
	arena_release(&a);
}

static void
T3_cached_tokens_are_not_counted_twice(void **state)
{
	struct usage u = { 0 };

	(void)state;
	dialect_openai_usage(&u, 30, 20);
	assert_int_equal(u.input, 10);
	assert_int_equal(u.cache_read, 20);
	dialect_openai_usage(&u, 5, 9);
	assert_int_equal(u.input, 0);
	assert_int_equal(usage_prompt_tokens(&u), 5);
}

static void
T3_counts_that_are_none_change_nothing(void **state)
{
	static const char TEXT[] = "{\"a\":3,\"b\":-1,\"c\":null,\"d\":\"4\",\"e\":1e99}";
	struct json_doc doc;
	struct arena a;
	int64_t n = 7;

	(void)state;
	arena_init(&a);
	assert_int_equal(json_parse(&a, str_of(TEXT), &JSON_LIMITS_DEFAULT, &doc, NULL), 0);
	for (const char *const *name = (const char *const[]){ "b", "c", "d", "e", "f", NULL };
	     *name; name++)
		dialect_count(json_root(&doc), *name, &n);
	assert_int_equal(n, 7);
	dialect_count(json_root(&doc), "a", &n);
	assert_int_equal(n, 3);
	dialect_count((struct json){ 0 }, "a", &n);
	arena_release(&a);
}

static void
M11_an_image_is_an_address(void **state)
{
	struct message_image bytes = { .media_type = STR("image/png"), .data = STR("QUJD") };
	struct message_image far = { .url = STR("https://example.org/a") };
	struct arena a;

	(void)state;
	arena_init(&a);
	check_str("data", dialect_image_url(&bytes, &a), STR("data:image/png;base64,QUJD"));
	check_str("url", dialect_image_url(&far, &a), far.url);
	arena_release(&a);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, check_arguments);
	SUITE_ROWS(&s, NAMES, check_name);
	SUITE_TEST(&s, T3_cached_tokens_are_not_counted_twice);
	SUITE_TEST(&s, T3_counts_that_are_none_change_nothing);
	SUITE_TEST(&s, M11_an_image_is_an_address);
	return suite_run(&s, "provider/dialect");
}

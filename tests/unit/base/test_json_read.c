#include <math.h>

#include "base/json.h"
#include "harness.h"

struct fixture {
	struct arena a;
	struct json_doc doc;
};

static struct json
parse(struct fixture *f, const char *text)
{
	struct err e = { 0 };

	arena_init(&f->a);
	if (json_parse(&f->a, str_of(text), &JSON_LIMITS_DEFAULT, &f->doc, &e) != 0)
		fail_msg("%s: %s", text, e.text);
	return json_root(&f->doc);
}

static const struct int_row {
	const char *name; /* the number itself */
	bool fits;
	int64_t want;
} int_rows[] = {
	{ "0", true, 0 },
	{ "-0", true, 0 },
	{ "0.0", true, 0 },
	{ "0e999999999999999999999", true, 0 },
	{ "-0.000e-5", true, 0 },
	{ "1", true, 1 },
	{ "-1", true, -1 },
	{ "1.0", true, 1 },
	{ "1e2", true, 100 },
	{ "1E+2", true, 100 },
	{ "100e-2", true, 1 },
	{ "12.50e1", true, 125 },
	{ "1.5", false, 0 },
	{ "1e-1", false, 0 },
	{ "0.1", false, 0 },
	{ "100e-3", false, 0 },
	{ "9007199254740993", true, INT64_C(9007199254740993) },
	{ "9223372036854775807", true, INT64_MAX },
	{ "9223372036854775807.000", true, INT64_MAX },
	{ "9223372036854775808", false, 0 },
	{ "-9223372036854775808", true, INT64_MIN },
	{ "-9223372036854775809", false, 0 },
	{ "92233720368547758.07e2", true, INT64_MAX },
	{ "9.223372036854775808e18", false, 0 },
	{ "1e18", true, INT64_C(1000000000000000000) },
	{ "1e19", false, 0 },
	{ "1e400", false, 0 },
	{ "1e99999999999999999999", false, 0 },
	{ "1e-99999999999999999999", false, 0 },
	{ "0.00000000000000000000001e23", true, 1 },
	{ "100000000000000000000000e-23", true, 1 },
	{ "true", false, 0 },
	{ "\"1\"", false, 0 },
	{ "[1]", false, 0 },
};

static void
reads_ints(void **state)
{
	const struct int_row *row = *state;
	struct fixture f;
	struct json v = parse(&f, row->name);
	int64_t got = 77;

	assert_int_equal(json_int(v, &got), row->fits);
	assert_true(got == (row->fits ? row->want : 77));
	arena_release(&f.a);
}

static const struct double_row {
	const char *name;
	bool fits;
	double want;
} double_rows[] = {
	{ "0.5", true, 0.5 },
	{ "-1.25e2", true, -125 },
	{ "0.1", true, 0.1 },
	{ "9007199254740993", true, 9007199254740992.0 },
	{ "1.7976931348623157e308", true, 1.7976931348623157e308 },
	{ "1.7976931348623159e308", false, 0 },
	{ "1e400", false, 0 },
	{ "-1e400", false, 0 },
	{ "5e-324", true, 5e-324 },
	{ "1e-400", true, 0 },
	{ "0.1000000000000000055511151231257827021181583404541015625000000000000000000000000001",
	  true, 0.1 },
	{ "null", false, 0 },
	{ "\"0.5\"", false, 0 },
};

static void
reads_doubles(void **state)
{
	const struct double_row *row = *state;
	struct fixture f;
	struct json v = parse(&f, row->name);
	double got = 77;

	assert_int_equal(json_double(v, &got), row->fits);
	assert_true(got == (row->fits ? row->want : 77));
	arena_release(&f.a);
}

static void
minus_zero_keeps_its_sign(void **state)
{
	struct fixture f;
	double got;

	(void)state;
	assert_true(json_double(parse(&f, "-0"), &got));
	assert_true(got == 0 && signbit(got));
	arena_release(&f.a);
}

static const struct text_row {
	const char *name;
	const char *json, *want;
} text_rows[] = {
	{ "text without escapes", "\"h\xc3\xa9llo\"", "h\xc3\xa9llo" },
	{ "text that is empty", "\"\"", "" },
	{ "text with every short escape", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t" },
	{ "text with escapes at both ends", "\"\\na\\n\"", "\na\n" },
	{ "text with a one-byte \\u", "\"\\u0041\\u007f\"", "A\x7f" },
	{ "text with a two-byte \\u", "\"\\u0080\\u07FF\"", "\xc2\x80\xdf\xbf" },
	{ "text with a three-byte \\u", "\"\\u0800\\uFFFf\"", "\xe0\xa0\x80\xef\xbf\xbf" },
	{ "text with a pair", "\"\\ud83d\\uDE00\"", "\xf0\x9f\x98\x80" },
	{ "text with the first pair", "\"\\ud800\\udc00\"", "\xf0\x90\x80\x80" },
	{ "text with the last pair", "\"\\udbff\\udfff\"", "\xf4\x8f\xbf\xbf" },
};

static void
reads_text(void **state)
{
	const struct text_row *row = *state;
	struct fixture f;
	struct json v = parse(&f, row->json);
	struct str want = str_of(row->want);
	char longer[64];

	check_str(row->name, json_str(v, &f.a), want);
	assert_true(json_str_eq(v, want));
	snprintf(longer, sizeof longer, "%sx", row->want);
	assert_false(json_str_eq(v, str_of(longer)));
	if (want.len > 0)
		assert_false(json_str_eq(v, str_slice(want, 0, want.len - 1)));
	arena_release(&f.a);
}

static void
text_without_escapes_is_a_view(void **state)
{
	struct fixture f;
	struct json v = parse(&f, "\"abc\"");

	(void)state;
	assert_ptr_equal(json_str(v, &f.a).ptr, f.doc.text.ptr + 1);
	arena_release(&f.a);
}

static void
what_is_no_string_has_no_text(void **state)
{
	struct fixture f;
	struct json v = parse(&f, "[1]");

	(void)state;
	assert_int_equal(json_str(v, &f.a).len, 0);
	assert_false(json_str_eq(v, STR("")));
	arena_release(&f.a);
}

static void
objects_are_walked_in_order(void **state)
{
	struct fixture f;
	struct json v = parse(&f, "{\"a\":{\"x\":[1,2]},\"b\":[],\"c\":3}");
	struct json_iter it = json_iter(v);
	static const char *const raws[] = { "{\"x\":[1,2]}", "[]", "3" };
	size_t i = 0;

	(void)state;
	assert_int_equal(json_count(v), 3);
	for (; json_next(&it); i++) {
		assert_int_equal(it.index, i);
		check_str("key", json_str(it.key, &f.a), (struct str){ &"abc"[i], 1 });
		check_str("value", json_raw(it.value), str_of(raws[i]));
	}
	assert_int_equal(i, 3);
	assert_false(json_next(&it));
	arena_release(&f.a);
}

static void
arrays_are_walked_in_order(void **state)
{
	struct fixture f;
	struct json v = parse(&f, "[[0],{\"a\":1},2]");
	struct json_iter it = json_iter(v);
	static const char *const raws[] = { "[0]", "{\"a\":1}", "2" };
	size_t i = 0;

	(void)state;
	for (; json_next(&it); i++) {
		assert_int_equal(it.index, i);
		assert_false(json_is_set(it.key));
		check_str("value", json_raw(it.value), str_of(raws[i]));
	}
	assert_int_equal(i, 3);
	arena_release(&f.a);
}

static void
scalars_and_absent_values_hold_nothing(void **state)
{
	struct fixture f;
	struct json v = parse(&f, "7"), absent = { 0 }, out = { 0 };
	struct json_iter it = json_iter(v);

	(void)state;
	assert_false(json_next(&it));
	assert_int_equal(json_count(v), 0);
	assert_false(json_find(v, STR("a"), &out));
	it = json_iter(absent);
	assert_false(json_next(&it));
	assert_int_equal(json_count(absent), 0);
	assert_int_equal(json_raw(absent).len, 0);
	assert_false(json_find(absent, STR("a"), &out));
	assert_false(json_is_set(out));
	arena_release(&f.a);
}

static void
members_are_found_by_their_unescaped_name(void **state)
{
	struct fixture f;
	struct json v = parse(&f, "{\"x\":{\"a\":0},\"\\u0061\":1,\"b\\n\":2,\"\":3}"), out;

	(void)state;
	assert_true(json_find(v, STR("a"), &out));
	check_str("a", json_raw(out), STR("1"));
	assert_true(json_find(v, STR("b\n"), &out));
	check_str("b", json_raw(out), STR("2"));
	assert_true(json_find(v, STR(""), &out));
	check_str("empty", json_raw(out), STR("3"));
	assert_false(json_find(v, STR("c"), &out));
	assert_false(json_find(v, STR("\\u0061"), &out));
	arena_release(&f.a);
}

static const struct type_row {
	const char *name;
	enum json_type type;
	const char *type_name;
} type_rows[] = {
	{ "null", JSON_NULL, "null" },      { "true", JSON_TRUE, "boolean" },
	{ "false", JSON_FALSE, "boolean" }, { "1", JSON_NUMBER, "number" },
	{ "\"\"", JSON_STRING, "string" },  { "[]", JSON_ARRAY, "array" },
	{ "{}", JSON_OBJECT, "object" },
};

static void
types_have_names(void **state)
{
	const struct type_row *row = *state;
	struct fixture f;
	struct json v = parse(&f, row->name);

	assert_int_equal(json_type(v), row->type);
	assert_string_equal(json_type_name(v), row->type_name);
	arena_release(&f.a);
}

/* Paths of every value and key, in tape order. */
static void
every_value_knows_its_path(void **state)
{
	static const char *const paths[] = {
		"",       "a",         "a",         "a[0]",      "a[1]", "a[1].b",
		"a[1].b", "a[1].b[0]", "[\"c d\"]", "[\"c d\"]", "e",    "e",
	};
	struct fixture f;
	struct json v = parse(&f, "{\"a\":[1,{\"b\":[2]}],\"c d\":{},\"e\":3}");
	struct buf path;

	(void)state;
	buf_init(&path, 100);
	assert_int_equal(f.doc.token_count, ARRAY_LEN(paths));
	for (uint32_t i = 0; i < ARRAY_LEN(paths); i++) {
		buf_clear(&path);
		json_path((struct json){ v.doc, i }, &path);
		check_str("path", buf_str(&path), str_of(paths[i]));
	}
	buf_release(&path);
	arena_release(&f.a);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, int_rows, reads_ints);
	SUITE_ROWS(&s, double_rows, reads_doubles);
	SUITE_TEST(&s, minus_zero_keeps_its_sign);
	SUITE_ROWS(&s, text_rows, reads_text);
	SUITE_TEST(&s, text_without_escapes_is_a_view);
	SUITE_TEST(&s, what_is_no_string_has_no_text);
	SUITE_TEST(&s, objects_are_walked_in_order);
	SUITE_TEST(&s, arrays_are_walked_in_order);
	SUITE_TEST(&s, scalars_and_absent_values_hold_nothing);
	SUITE_TEST(&s, members_are_found_by_their_unescaped_name);
	SUITE_ROWS(&s, type_rows, types_have_names);
	SUITE_TEST(&s, every_value_knows_its_path);
	return suite_run(&s, "json_read");
}

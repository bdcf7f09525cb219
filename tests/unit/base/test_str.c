#include "base/str.h"
#include "harness.h"

static void
views_compare_by_bytes(void **state)
{
	(void)state;
	assert_true(str_eq(STR(""), (struct str){ 0 }));
	assert_false(str_eq(STR("a"), STR("b")));
	assert_true(str_cmp(STR("a"), STR("ab")) < 0);
	assert_true(str_cmp(STR("b"), STR("ab")) > 0);
	assert_int_equal(str_cmp(STR(""), (struct str){ 0 }), 0);
	assert_true(str_eq_nocase(STR("AbZ"), STR("aBz")));
	assert_false(str_eq_nocase(STR("a"), STR("ab")));
	assert_false(str_eq_nocase(STR("a["), STR("a{")));
}

static void
finds_cuts_and_trims(void **state)
{
	struct str head, tail;
	size_t at;

	(void)state;
	assert_true(str_find(STR("aXbX"), STR("X"), 2, &at));
	assert_int_equal(at, 3);
	assert_false(str_find(STR("abc"), STR("c"), 3, &at));
	assert_false(str_find(STR("abc"), STR("c"), 9, &at));
	assert_true(str_find(STR("abc"), STR(""), 3, &at));
	assert_true(str_cut(STR("a=b=c"), '=', &head, &tail));
	check_str("head", head, STR("a"));
	check_str("tail", tail, STR("b=c"));
	assert_false(str_cut(STR("abc"), '=', &head, &tail));
	check_str("whole", head, STR("abc"));
	assert_int_equal(tail.len, 0);
	check_str("trim", str_trim(STR(" \t a b\r\n")), STR("a b"));
	check_str("blank", str_trim(STR(" \n")), STR(""));
	check_str("slice", str_slice(STR("abcdef"), 2, 99), STR("cdef"));
	check_str("inverted", str_slice(STR("abcdef"), 4, 2), STR(""));
	assert_true(str_starts(STR("abc"), STR("ab")) && !str_starts(STR("a"), STR("ab")));
	assert_true(str_ends(STR("abc"), STR("bc")) && !str_ends(STR("c"), STR("bc")));
}

static const struct {
	const char *name;
	const char *text;
	bool ok;
	int64_t want;
} INTS[] = {
	{ "int zero", "0", true, 0 },
	{ "int signed", "-12", true, -12 },
	{ "int plus", "+12", true, 12 },
	{ "int max", "9223372036854775807", true, INT64_MAX },
	{ "int min", "-9223372036854775808", true, INT64_MIN },
	{ "int past max", "9223372036854775808", false, 0 },
	{ "int past min", "-9223372036854775809", false, 0 },
	{ "int empty", "", false, 0 },
	{ "int sign only", "-", false, 0 },
	{ "int trailing", "1 ", false, 0 },
	{ "int hex", "0x1", false, 0 },
};

static void
int_row(void **state)
{
	const __typeof__(INTS[0]) *row = *state;
	int64_t got = 0;

	assert_int_equal(str_to_int(str_of(row->text), &got), row->ok);
	assert_int_equal(got, row->want);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, views_compare_by_bytes);
	SUITE_TEST(&s, finds_cuts_and_trims);
	SUITE_ROWS(&s, INTS, int_row);
	return suite_run(&s, "str");
}

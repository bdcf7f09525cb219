#include "api/cursor.h"

#include "harness.h"
#include "net/query.h"

static const struct cursor SOME = {
	.list = 's', .a = 1774746000123, .b = -1, .id = STR("sesn_01"), .filters = 77
};

static const struct row {
	const char *name;
	struct cursor c;
} ROWS[] = {
	{ "A1 cursor: numbers and an id", { 's', false, 5, 6, STR("sesn_01"), 7 } },
	{ "A1 cursor: backwards", { 'e', true, 5, 0, { 0 }, 0 } },
	{ "A1 cursor: extremes", { 'm', false, INT64_MIN, INT64_MAX, { 0 }, UINT32_MAX } },
	{ "A1 cursor: any text as id", { 'r', false, 0, 0, STR("a:b/\xc3\xa9%&="), 0 } },
	{ "A1 cursor: nothing", { 'r', false, 0, 0, { 0 }, 0 } },
};

static void
comes_back(void **state)
{
	const struct row *row = *state;
	struct cursor got;
	struct arena a;
	struct err e;
	struct str text;

	arena_init(&a);
	text = cursor_format(&a, &row->c);
	assert_int_equal(cursor_parse(&a, text, row->c.list, row->c.filters, &got, &e), 0);
	assert_int_equal(got.list, row->c.list);
	assert_int_equal(got.backwards, row->c.backwards);
	assert_true(got.a == row->c.a && got.b == row->c.b);
	assert_int_equal(got.filters, row->c.filters);
	check_str("id", got.id, row->c.id);
	for (size_t i = 0; i < text.len; i++) /* it stands in a URL as it is */
		assert_non_null(strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				       "0123456789-_",
				       text.ptr[i]));
	arena_release(&a);
}

static void
refuses(struct str text, char list, uint32_t filters, const char *why)
{
	struct cursor got = { .a = 42 };
	struct arena a;
	struct err e;

	arena_init(&a);
	assert_int_equal(cursor_parse(&a, text, list, filters, &got, &e), ERR_INVALID);
	assert_non_null(strstr(e.text, why));
	assert_int_equal(got.a, 42);
	arena_release(&a);
}

static void
A1_foreign_cursor_is_refused(void **state)
{
	struct arena a;
	struct str text;

	(void)state;
	arena_init(&a);
	text = cursor_format(&a, &SOME);
	refuses(text, 'e', SOME.filters, "another list");
	refuses(text, 's', SOME.filters + 1, "other filters");
	refuses(STR(""), 's', SOME.filters, "not a cursor");
	refuses(STR("garbage"), 's', SOME.filters, "not a cursor");
	refuses(STR("%00"), 's', SOME.filters, "not a cursor");
	arena_release(&a);
}

/* Whatever is changed, cut or added: never another page. */
static void
A1_damaged_cursor_is_refused(void **state)
{
	struct arena a;
	struct str text;
	char copy[256];

	(void)state;
	arena_init(&a);
	text = cursor_format(&a, &SOME);
	for (size_t i = 0; i < text.len; i++) {
		memcpy(copy, text.ptr, text.len);
		for (int c = 1; c < 256; c++) {
			if ((char)c == text.ptr[i])
				continue;
			copy[i] = (char)c;
			refuses((struct str){ copy, text.len }, 's', SOME.filters, "not a cursor");
		}
	}
	for (size_t len = 0; len < text.len; len++)
		refuses(str_slice(text, 0, len), 's', SOME.filters, "not a cursor");
	memcpy(copy, text.ptr, text.len);
	copy[text.len] = 'A';
	refuses((struct str){ copy, text.len + 1 }, 's', SOME.filters, "not a cursor");
	arena_release(&a);
}

static void
A1_cursor_of_any_length_is_safe(void **state)
{
	static char long_text[8192];

	(void)state;
	memset(long_text, 'A', sizeof long_text);
	for (size_t len = 0; len < sizeof long_text; len += 7)
		refuses((struct str){ long_text, len }, 's', 0, "not a cursor");
}

static uint32_t
filters_of(const char *text)
{
	struct arena a;
	struct query q;
	struct err e;
	uint32_t hash;

	arena_init(&a);
	assert_int_equal(query_parse(&a, str_of(text), &q, &e), 0);
	hash = cursor_filters(&q);
	arena_release(&a);
	return hash;
}

static void
A1_filters_tell_queries_apart(void **state)
{
	(void)state;
	assert_int_equal(filters_of("a=1&b=2"), filters_of("b=2&a=1"));
	assert_int_equal(filters_of("a=1&limit=5&page=x"), filters_of("a=1"));
	assert_int_equal(filters_of("limit=5"), filters_of(""));
	assert_int_not_equal(filters_of("a=1"), filters_of("a=2"));
	assert_int_not_equal(filters_of("a=1"), filters_of("b=1"));
	assert_int_not_equal(filters_of("ab=1"), filters_of("a=b1"));
	assert_int_not_equal(filters_of("a=1"), filters_of(""));
	assert_int_not_equal(filters_of("t[]=1&t[]=2"), filters_of("t[]=1"));
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, comes_back);
	SUITE_TEST(&s, A1_foreign_cursor_is_refused);
	SUITE_TEST(&s, A1_damaged_cursor_is_refused);
	SUITE_TEST(&s, A1_cursor_of_any_length_is_safe);
	SUITE_TEST(&s, A1_filters_tell_queries_apart);
	return suite_run(&s, "api/cursor");
}

#include "net/query.h"

#include "base/buf.h"
#include "base/rand.h"
#include "harness.h"

static const struct row {
	const char *name;
	const char *text;
	const char *want; /* name=value; of each pair; NULL: refused */
} ROWS[] = {
	{ "nothing", "", "" },
	{ "one pair", "a=1", "a=1;" },
	{ "several", "a=1&b=2&a=3", "a=1;b=2;a=3;" },
	{ "empty pairs are no pairs", "&&a=1&&", "a=1;" },
	{ "no value", "a", "a=;" },
	{ "an empty value", "a=", "a=;" },
	{ "an empty name", "=1", "=1;" },
	{ "an equals sign in the value", "a=b=c", "a=b=c;" },
	{ "an array", "types[]=x&types[]=y", "types=x;types=y;" },
	{ "an array with escaped brackets", "types%5B%5D=x&types%5b%5d=y", "types=x;types=y;" },
	{ "a range keeps its brackets", "created_at%5Bgte%5D=1", "created_at[gte]=1;" },
	{ "a plus is a blank", "q=a+b", "q=a b;" },
	{ "an escaped plus is a plus", "q=a%2Bb", "q=a+b;" },
	{ "an escaped ampersand belongs to the value", "q=a%26b%3Dc", "q=a&b=c;" },
	{ "UTF-8", "q=%C3%A9%f0%9f%9a%80", "q=\xc3\xa9\xf0\x9f\x9a\x80;" },
	{ "escapes are decoded once", "q=%2541", "q=%41;" },
	{ "an escape that is cut", "q=%4", NULL },
	{ "an escape that is cut to nothing", "q=%", NULL },
	{ "an escape that is no number", "q=%zz", NULL },
	{ "an escape with a sign", "q=%+1", NULL },
	{ "NUL", "q=a%00b", NULL },
	{ "NUL in a name", "%00=1", NULL },
	{ "overlong UTF-8", "q=%C0%AF", NULL },
	{ "a surrogate", "q=%ED%A0%80", NULL },
	{ "a lone continuation byte", "q=%80", NULL },
	{ "a cut character", "q=%C3", NULL },
	{ "raw ill-formed bytes", "q=\xff", NULL },
};

static void
row_holds(void **state)
{
	const struct row *row = *state;
	struct query q;
	struct arena a;
	struct buf got;
	struct err e;
	int status;

	arena_init(&a);
	buf_init(&got, 4096);
	status = query_parse(&a, str_of(row->text), &q, &e);
	assert_int_equal(status, row->want ? 0 : ERR_INVALID);
	for (size_t i = 0; status == 0 && i < q.count; i++)
		buf_printf(&got, STR_FMT "=" STR_FMT ";", STR_ARG(q.pairs[i].name),
			   STR_ARG(q.pairs[i].value));
	if (status == 0)
		check_str("pairs", buf_str(&got), str_of(row->want));
	buf_release(&got);
	arena_release(&a);
}

static void
pairs_are_counted(void **state)
{
	struct arena a;
	struct buf text;
	struct query q;
	struct err e;

	(void)state;
	arena_init(&a);
	buf_init(&text, 4096);
	for (int i = 0; i < QUERY_PAIRS_MAX; i++)
		buf_puts(&text, "a=1&");
	assert_int_equal(query_parse(&a, buf_str(&text), &q, &e), 0);
	assert_int_equal(q.count, QUERY_PAIRS_MAX);
	buf_puts(&text, "a=1");
	assert_int_equal(query_parse(&a, buf_str(&text), &q, &e), ERR_INVALID);
	buf_release(&text);
	arena_release(&a);
}

static void
names_are_found(void **state)
{
	struct arena a;
	struct query q;
	struct str value;
	struct err e;
	size_t at = 0;

	(void)state;
	arena_init(&a);
	assert_int_equal(query_parse(&a, STR("a=1&b=2&a=3&c=4"), &q, &e), 0);
	assert_int_equal(query_one(&q, STR("b"), &value, &e), 0);
	check_str("b", value, STR("2"));
	assert_int_equal(query_one(&q, STR("d"), &value, &e), 0);
	assert_null(value.ptr);
	assert_int_equal(query_one(&q, STR("a"), &value, &e), ERR_INVALID);
	assert_true(query_next(&q, STR("a"), &at, &value));
	check_str("first a", value, STR("1"));
	assert_true(query_next(&q, STR("a"), &at, &value));
	check_str("second a", value, STR("3"));
	assert_false(query_next(&q, STR("a"), &at, &value));
	arena_release(&a);
}

static void
segment_keeps_its_plus(void **state)
{
	struct arena a;
	struct str out;
	struct err e;

	(void)state;
	arena_init(&a);
	assert_int_equal(query_decode_segment(&a, STR("a+b%20c%2Fd"), &out, &e), 0);
	check_str("segment", out, STR("a+b c/d"));
	assert_int_equal(query_decode_segment(&a, STR("%2"), &out, &e), ERR_INVALID);
	arena_release(&a);
}

/* Any pair of texts, escaped byte by byte, comes back. */
static void
property_escaped_text_comes_back(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < suite_seeds(3000); seed++) {
		char plain[16];
		struct buf text;
		struct arena a;
		struct query q;
		struct rand r;
		size_t len;

		rand_init_seed(&r, seed);
		len = (size_t)rand_below(&r, sizeof plain);
		buf_init(&text, 256);
		buf_puts(&text, "k=");
		for (size_t i = 0; i < len; i++) {
			plain[i] = (char)(1 + rand_below(&r, 127));
			buf_printf(&text, rand_below(&r, 2) ? "%%%02X" : "%%%02x", plain[i]);
		}
		arena_init(&a);
		if (query_parse(&a, buf_str(&text), &q, NULL) != 0 || q.count != 1 ||
		    !str_eq(q.pairs[0].value, (struct str){ plain, len }))
			fail_msg("seed %llu", (unsigned long long)seed);
		arena_release(&a);
		buf_release(&text);
	}
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, row_holds);
	SUITE_TEST(&s, pairs_are_counted);
	SUITE_TEST(&s, names_are_found);
	SUITE_TEST(&s, segment_keeps_its_plus);
	SUITE_TEST(&s, property_escaped_text_comes_back);
	return suite_run(&s, "net/query");
}

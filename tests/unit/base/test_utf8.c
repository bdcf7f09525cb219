#include "base/rand.h"
#include "base/utf8.h"
#include "harness.h"

#define TEXT(literal)                           \
	{                                       \
		"" literal, sizeof(literal) - 1 \
	}

static const struct row {
	const char *name;
	struct str text;
	size_t valid_prefix, count, wide;
} rows[] = {
	{ "empty", TEXT(""), 0, 0, 0 },
	{ "ascii", TEXT("abc"), 3, 3, 0 },
	{ "ascii beyond a word", TEXT("0123456789abcdef!"), 17, 17, 0 },
	{ "NUL is a character", TEXT("a\0b"), 3, 3, 0 },
	{ "two bytes", TEXT("\xc2\x80\xdf\xbf"), 4, 2, 2 },
	{ "three bytes", TEXT("\xe0\xa0\x80\xef\xbf\xbf"), 6, 2, 2 },
	{ "three bytes around the surrogates", TEXT("\xed\x9f\xbf\xee\x80\x80"), 6, 2, 2 },
	{ "four bytes", TEXT("\xf0\x90\x80\x80\xf4\x8f\xbf\xbf"), 8, 2, 2 },
	{ "wide behind an ascii word", TEXT("01234567\xc3\xa9z"), 11, 10, 1 },
	{ "wide inside an ascii word",
	  TEXT("0123\xe2\x82\xac"
	       "0123456789"),
	  17, 15, 1 },
	{ "lone tail", TEXT("a\x80z"), 1, 3, 1 },
	{ "lone lead", TEXT("\xc3"), 0, 1, 1 },
	{ "lead and ascii", TEXT("\xc3z"), 0, 2, 1 },
	{ "cut three", TEXT("ab\xe2\x82"), 2, 4, 2 },
	{ "cut four", TEXT("\xf0\x9f\x98"), 0, 3, 3 },
	{ "overlong two", TEXT("\xc0\xaf"), 0, 2, 2 },
	{ "overlong two, highest", TEXT("\xc1\xbf"), 0, 2, 2 },
	{ "overlong three", TEXT("\xe0\x9f\xbf"), 0, 3, 3 },
	{ "overlong four", TEXT("\xf0\x8f\xbf\xbf"), 0, 4, 4 },
	{ "surrogate, first", TEXT("\xed\xa0\x80"), 0, 3, 3 },
	{ "surrogate, last", TEXT("\xed\xbf\xbf"), 0, 3, 3 },
	{ "above U+10FFFF", TEXT("\xf4\x90\x80\x80"), 0, 4, 4 },
	{ "lead 0xf5", TEXT("\xf5\x80\x80\x80"), 0, 4, 4 },
	{ "0xfe and 0xff", TEXT("\xfe\xff"), 0, 2, 2 },
	{ "good before bad", TEXT("\xc3\xa9\xe2\x82\xac\xff"), 5, 3, 3 },
};

static void
judges(void **state)
{
	const struct row *row = *state;
	char *exact = malloc(row->text.len ? row->text.len : 1);
	struct str text = { exact, row->text.len };

	memcpy(exact, row->text.ptr, row->text.len);
	assert_int_equal(utf8_valid_prefix(text), row->valid_prefix);
	assert_int_equal(utf8_valid(text), row->valid_prefix == text.len);
	assert_int_equal(utf8_count(text), row->count);
	assert_int_equal(utf8_count_wide(text), row->wide);
	free(exact);
}

static const struct floor_row {
	const char *name;
	struct str text;
	size_t at, want;
} floor_rows[] = {
	{ "floor at the start", TEXT("\xc3\xa9"), 0, 0 },
	{ "floor inside two bytes", TEXT("a\xc3\xa9z"), 2, 1 },
	{ "floor behind two bytes", TEXT("a\xc3\xa9z"), 3, 3 },
	{ "floor inside three bytes", TEXT("\xe2\x82\xacz"), 2, 0 },
	{ "floor inside four bytes", TEXT("a\xf0\x9f\x98\x80"), 4, 1 },
	{ "floor at the end", TEXT("\xc3\xa9"), 2, 2 },
	{ "floor beyond the end", TEXT("\xc3\xa9"), 9, 2 },
	{ "floor at a stray tail", TEXT("a\x80\x80"), 2, 2 },
	{ "floor at a tail too many", TEXT("\xc3\xa9\x80\x80"), 3, 3 },
	{ "floor among many tails", TEXT("\x80\x80\x80\x80\x80\x80"), 5, 5 },
	{ "floor in a cut character", TEXT("a\xe2\x82z"), 2, 2 },
	{ "floor of nothing", TEXT(""), 0, 0 },
};

static void
floors(void **state)
{
	const struct floor_row *row = *state;

	assert_int_equal(utf8_floor(row->text, row->at), row->want);
}

static void
skip_wide_stops_where_it_must(void **state)
{
	static const char text[] = "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80z\xc3\xa9\xff";
	const char *end = text + sizeof text - 1;

	(void)state;
	assert_ptr_equal(utf8_skip_wide(text, end), text + 9);
	assert_ptr_equal(utf8_skip_wide(text + 9, end), text + 9);
	assert_ptr_equal(utf8_skip_wide(text + 10, end), text + 12);
	assert_ptr_equal(utf8_skip_wide(text, text + 4), text + 2);
	assert_ptr_equal(utf8_skip_wide(end, end), end);
}

static void
every_code_point_survives(void **state)
{
	(void)state;
	for (uint32_t cp = 0; cp <= 0x10ffff; cp++) {
		char bytes[4];
		struct str text = { bytes, 0 };
		size_t at = 0;

		if (cp == 0xd800)
			cp = 0xe000;
		text.len = utf8_encode(cp, bytes);
		if (utf8_next(text, &at) != cp || at != text.len || !utf8_valid(text) ||
		    utf8_count(text) != 1)
			fail_msg("U+%04X", cp);
	}
}

/* Against the definition, byte by byte. */
static size_t
naive_length(const unsigned char *p, size_t left)
{
	static const struct {
		unsigned char from, to, second_from, second_to;
		size_t len;
	} FORMS[] = {
		{ 0x00, 0x7f, 0, 0, 1 },       { 0xc2, 0xdf, 0x80, 0xbf, 2 },
		{ 0xe0, 0xe0, 0xa0, 0xbf, 3 }, { 0xe1, 0xec, 0x80, 0xbf, 3 },
		{ 0xed, 0xed, 0x80, 0x9f, 3 }, { 0xee, 0xef, 0x80, 0xbf, 3 },
		{ 0xf0, 0xf0, 0x90, 0xbf, 4 }, { 0xf1, 0xf3, 0x80, 0xbf, 4 },
		{ 0xf4, 0xf4, 0x80, 0x8f, 4 },
	};

	for (size_t i = 0; i < ARRAY_LEN(FORMS); i++) {
		if (p[0] < FORMS[i].from || p[0] > FORMS[i].to || left < FORMS[i].len)
			continue;
		if (FORMS[i].len > 1 && (p[1] < FORMS[i].second_from || p[1] > FORMS[i].second_to))
			return 0;
		for (size_t k = 2; k < FORMS[i].len; k++)
			if (p[k] < 0x80 || p[k] > 0xbf)
				return 0;
		return FORMS[i].len;
	}
	return 0;
}

static void
property_agrees_with_the_definition(void **state)
{
	static const unsigned char LIKELY_BYTES[] = { 'a',  0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf,
						      0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xed, 0xef,
						      0xf0, 0xf1, 0xf4, 0xf5, 0xff };

	(void)state;
	for (uint64_t seed = 0; seed < suite_seeds(20000); seed++) {
		struct rand r;
		unsigned char bytes[40];
		struct str text = { (char *)bytes, 0 };
		size_t want = 0, len;

		rand_init_seed(&r, seed);
		text.len = rand_below(&r, sizeof bytes);
		for (size_t i = 0; i < sizeof bytes; i++)
			bytes[i] = rand_below(&r, 3)
					   ? 'a'
					   : LIKELY_BYTES[rand_below(&r, sizeof LIKELY_BYTES)];
		while (want < text.len && (len = naive_length(bytes + want, text.len - want)) > 0)
			want += len;
		if (utf8_valid_prefix(text) != want)
			fail_msg("seed %llu", (unsigned long long)seed);
	}
}

/* Every byte at every place of texts that end before, at and behind a word. */
static void
printable_is_space_to_tilde(void **state)
{
	char text[24];

	(void)state;
	for (size_t len = 0; len <= sizeof text; len++) {
		memset(text, '~', sizeof text);
		assert_true(utf8_is_printable_ascii((struct str){ text, len }));
		for (size_t at = 0; at < len; at++) {
			for (int byte = 0; byte < 256; byte++) {
				bool want = byte >= ' ' && byte <= '~';

				text[at] = (char)byte;
				if (utf8_is_printable_ascii((struct str){ text, len }) != want)
					fail_msg("byte %d at %zu of %zu", byte, at, len);
			}
			text[at] = ' ';
		}
	}
	assert_true(utf8_is_printable_ascii((struct str){ 0 }));
}

static void
blank_is_nothing_but_white_space(void **state)
{
	(void)state;
	assert_true(utf8_is_blank(STR("")));
	assert_true(utf8_is_blank(STR(" \t\n")));
	assert_true(utf8_is_blank(STR("\u00a0\u1680\u2000\u200a\u2028\u202f\u205f\u3000")));
	assert_false(utf8_is_blank(STR(" x ")));
	assert_false(utf8_is_blank(STR("\u200b"))); /* of no width, but not white */
	assert_false(utf8_is_blank(STR("\xff")));
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, rows, judges);
	SUITE_ROWS(&s, floor_rows, floors);
	SUITE_TEST(&s, skip_wide_stops_where_it_must);
	SUITE_TEST(&s, blank_is_nothing_but_white_space);
	SUITE_TEST(&s, every_code_point_survives);
	SUITE_TEST(&s, property_agrees_with_the_definition);
	SUITE_TEST(&s, printable_is_space_to_tilde);
	return suite_run(&s, "utf8");
}

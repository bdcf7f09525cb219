#include "base/json_tape.h"
#include "harness.h"

static int
parse(struct arena *a, struct str text, struct json_doc *doc, struct err *e)
{
	return json_parse(a, text, &JSON_LIMITS_DEFAULT, doc, e);
}

#define TEXT(literal)                           \
	{                                       \
		"" literal, sizeof(literal) - 1 \
	}

/* Accepted, with the tokens counted. */
static const struct accept_row {
	const char *name;
	struct str text;
	size_t tokens;
} accept_rows[] = {
	{ "accept null", TEXT("null"), 1 },
	{ "accept true", TEXT("true"), 1 },
	{ "accept false", TEXT("false"), 1 },
	{ "accept a lonely string", TEXT("\"\""), 1 },
	{ "accept a lonely number", TEXT("-0"), 1 },
	{ "accept blanks around", TEXT(" \t\r\n1 \t\r\n"), 1 },
	{ "accept an empty array", TEXT("[]"), 1 },
	{ "accept an empty object", TEXT("{}"), 1 },
	{ "accept blanks in empty containers", TEXT("[ { } , [\n] ]"), 3 },
	{ "accept nesting", TEXT("{\"a\":[1,{\"b\":[]}],\"c\":{}}"), 9 },
	{ "accept blanks everywhere", TEXT(" { \"a\" : [ 1 , 2 ] , \"b\" : null } "), 7 },
	{ "accept number forms", TEXT("[0,-0,1,-1,10,0.5,1.25e10,1E-2,1e+2,0e0,0.0,123456789]"),
	  13 },
	{ "accept a number out of range", TEXT("1e400"), 1 },
	{ "accept many digits",
	  TEXT("3.14159265358979323846264338327950288419716939937510582097494"), 1 },
	{ "accept all short escapes", TEXT("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\""), 1 },
	{ "accept unicode escapes", TEXT("\"\\u0001\\u00e9\\u20AC\\uFFFF\\uD83D\\uDE00\""), 1 },
	{ "accept the highest pair", TEXT("\"\\udbff\\udfff\""), 1 },
	{ "accept utf-8 of each length", TEXT("\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\""), 1 },
	{ "accept the borders of utf-8",
	  TEXT("\"\xc2\x80\xdf\xbf\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf\xf0\x90\x80\x80"
	       "\xf4\x8f\xbf\xbf\""),
	  1 },
	{ "accept DEL", TEXT("\"\x7f\""), 1 },
	{ "accept U+2028", TEXT("\"\xe2\x80\xa8\""), 1 },
	{ "accept U+FEFF inside a string", TEXT("\"\xef\xbb\xbf\""), 1 },
	{ "accept an empty key", TEXT("{\"\":1}"), 3 },
	{ "accept the same key in two objects", TEXT("[{\"a\":1},{\"a\":{\"a\":2}}]"), 9 },
	{ "accept keys that differ in case", TEXT("{\"a\":1,\"A\":2}"), 5 },
	{ "accept keys that begin alike", TEXT("{\"a\":1,\"aa\":2,\"aaa\":3}"), 7 },
	{ "accept a string across the 16-byte step",
	  TEXT("\"0123456789abcdef0123456789abcde\\n0123456789\""), 1 },
};

static void
accepts(void **state)
{
	const struct accept_row *row = *state;
	struct json_doc doc;
	struct err e = { 0 };
	struct arena a;

	arena_init(&a);
	if (parse(&a, row->text, &doc, &e) != 0)
		fail_msg("refused: %s", e.text);
	assert_int_equal(doc.token_count, row->tokens);
	check_str("raw", json_raw(json_root(&doc)), str_trim(row->text));
	arena_release(&a);
}

/* Refused, with the whole message. */
static const struct refuse_row {
	const char *name;
	struct str text;
	const char *want;
} refuse_rows[] = {
	{ "refuse nothing", TEXT(""), "offset 0: expected a value, found the end" },
	{ "refuse blanks alone", TEXT("  \n"), "offset 3: expected a value, found the end" },
	{ "refuse a byte order mark", TEXT("\xef\xbb\xbf{}"),
	  "offset 0: a byte order mark is not allowed" },
	{ "refuse a bare word", TEXT("abc"), "offset 0: expected a value, found 'a'" },
	{ "refuse True", TEXT("[True]"), "[0] (offset 1): expected a value, found 'T'" },
	{ "refuse a cut literal", TEXT("tru"), "offset 0: expected a value, found 't'" },
	{ "refuse a long literal", TEXT("nullx"),
	  "offset 4: expected nothing behind the value, found 'x'" },
	{ "refuse NaN", TEXT("[NaN]"), "[0] (offset 1): expected a value, found 'N'" },
	{ "refuse nan", TEXT("[nan]"), "[0] (offset 1): expected a value, found 'n'" },
	{ "refuse Infinity", TEXT("Infinity"), "offset 0: expected a value, found 'I'" },
	{ "refuse -Infinity", TEXT("-Infinity"), "offset 1: expected a digit, found 'I'" },
	{ "refuse a plus sign", TEXT("+1"), "offset 0: expected a value, found '+'" },
	{ "refuse a lonely minus", TEXT("-"), "offset 1: expected a digit, found the end" },
	{ "refuse a leading zero", TEXT("[01]"), "[0] (offset 1): a number must not begin with 0" },
	{ "refuse a negative leading zero", TEXT("-012"),
	  "offset 1: a number must not begin with 0" },
	{ "refuse a leading point", TEXT(".5"), "offset 0: expected a value, found '.'" },
	{ "refuse a trailing point", TEXT("1."),
	  "offset 2: expected a digit behind the decimal point, found the end" },
	{ "refuse a point before an exponent", TEXT("1.e5"),
	  "offset 2: expected a digit behind the decimal point, found 'e'" },
	{ "refuse an empty exponent", TEXT("[1e]"),
	  "[0] (offset 3): expected a digit in the exponent, found ']'" },
	{ "refuse a signed empty exponent", TEXT("1e+"),
	  "offset 3: expected a digit in the exponent, found the end" },
	{ "refuse hex", TEXT("0x10"), "offset 1: expected nothing behind the value, found 'x'" },
	{ "refuse two values", TEXT("1 2"),
	  "offset 2: expected nothing behind the value, found '2'" },
	{ "refuse a NUL behind the value", TEXT("{}\0"),
	  "offset 2: expected nothing behind the value, found byte 0x00" },
	{ "refuse a NUL for a value", TEXT("[\0]"),
	  "[0] (offset 1): expected a value, found byte 0x00" },
	{ "refuse a line comment", TEXT("[1] // x"),
	  "offset 4: expected nothing behind the value, found '/'" },
	{ "refuse a block comment", TEXT("[/**/1]"),
	  "[0] (offset 1): expected a value, found '/'" },
	{ "refuse a comma at an array's end", TEXT("[1,]"),
	  "[1] (offset 3): expected a value, found ']'" },
	{ "refuse a comma at an object's end", TEXT("{\"a\":1,}"),
	  "offset 7: expected a key in quotes, found '}'" },
	{ "refuse a lonely comma", TEXT("[,1]"), "[0] (offset 1): expected a value, found ','" },
	{ "refuse a doubled comma", TEXT("[1,,2]"), "[1] (offset 3): expected a value, found ','" },
	{ "refuse a missing comma", TEXT("[1 2]"), "offset 3: expected ',' or ']', found '2'" },
	{ "refuse a missing comma in an object", TEXT("{\"a\":1 \"b\":2}"),
	  "offset 7: expected ',' or '}', found '\"'" },
	{ "refuse a missing colon", TEXT("{\"a\" 1}"),
	  "offset 5: expected ':' behind the key, found '1'" },
	{ "refuse a missing value", TEXT("{\"a\":}"), "a (offset 5): expected a value, found '}'" },
	{ "refuse a bare key", TEXT("{a:1}"), "offset 1: expected a key in quotes, found 'a'" },
	{ "refuse a number for a key", TEXT("{1:1}"),
	  "offset 1: expected a key in quotes, found '1'" },
	{ "refuse single quotes", TEXT("['a']"), "[0] (offset 1): expected a value, found '''" },
	{ "refuse crossed brackets", TEXT("[1}"), "offset 2: expected ',' or ']', found '}'" },
	{ "refuse an open array", TEXT("[1"), "offset 2: expected ',' or ']', found the end" },
	{ "refuse an open object", TEXT("{\"a\":1"),
	  "offset 6: expected ',' or '}', found the end" },
	{ "refuse an object cut before its key", TEXT("{"),
	  "offset 1: expected a key in quotes, found the end" },
	{ "refuse a stray bracket", TEXT("]"), "offset 0: expected a value, found ']'" },
	{ "refuse an open string", TEXT("\"abc"), "offset 4: the string is not closed" },
	{ "refuse a string cut in an escape", TEXT("\"abc\\"),
	  "offset 5: the string is not closed" },
	{ "refuse a string closed by an escape", TEXT("\"\\\""),
	  "offset 3: the string is not closed" },
	{ "refuse a raw line end in a string", TEXT("\"a\nb\""),
	  "offset 2: a control character must be escaped in a string" },
	{ "refuse a raw NUL in a string", TEXT("\"a\0b\""),
	  "offset 2: a control character must be escaped in a string" },
	{ "refuse a raw 0x1f in a string", TEXT("\"0123456789abcdef\x1f\""),
	  "offset 17: a control character must be escaped in a string" },
	{ "refuse an unknown escape", TEXT("\"\\x41\""), "offset 1: unknown escape in a string" },
	{ "refuse \\'", TEXT("\"\\'\""), "offset 1: unknown escape in a string" },
	{ "refuse an upper-case escape", TEXT("\"\\N\""), "offset 1: unknown escape in a string" },
	{ "refuse a short \\u", TEXT("\"\\u12\""),
	  "offset 1: \\u must be followed by four hex digits" },
	{ "refuse a \\u with a bad digit", TEXT("\"\\u12g4\""),
	  "offset 1: \\u must be followed by four hex digits" },
	{ "refuse \\u0000", TEXT("\"\\u0000\""), "offset 1: \\u0000 is not allowed" },
	{ "refuse a lone high surrogate", TEXT("\"\\ud800\""),
	  "offset 1: a lone surrogate is not a character" },
	{ "refuse a lone low surrogate", TEXT("\"\\udc00\""),
	  "offset 1: a lone surrogate is not a character" },
	{ "refuse two high surrogates", TEXT("\"\\ud800\\ud800\""),
	  "offset 1: a lone surrogate is not a character" },
	{ "refuse a high surrogate and a letter", TEXT("\"\\ud800\\u0041\""),
	  "offset 1: a lone surrogate is not a character" },
	{ "refuse the last surrogate alone", TEXT("\"\\udfff\""),
	  "offset 1: a lone surrogate is not a character" },
	{ "refuse two low surrogates", TEXT("\"\\udc00\\udc00\""),
	  "offset 1: a lone surrogate is not a character" },
	{ "refuse a high surrogate and U+E000", TEXT("\"\\ud800\\ue000\""),
	  "offset 1: a lone surrogate is not a character" },
	{ "refuse swapped surrogates", TEXT("\"\\udc00\\ud800\""),
	  "offset 1: a lone surrogate is not a character" },
	{ "refuse a lone tail byte", TEXT("\"\x80\""), "offset 1: invalid UTF-8" },
	{ "refuse a cut two-byte character", TEXT("\"\xc3\""), "offset 1: invalid UTF-8" },
	{ "refuse a cut three-byte character", TEXT("\"\xe2\x82\""), "offset 1: invalid UTF-8" },
	{ "refuse a cut four-byte character", TEXT("\"\xf0\x9f\x98\""), "offset 1: invalid UTF-8" },
	{ "refuse an overlong slash", TEXT("\"\xc0\xaf\""), "offset 1: invalid UTF-8" },
	{ "refuse an overlong NUL", TEXT("\"\xc0\x80\""), "offset 1: invalid UTF-8" },
	{ "refuse an overlong three", TEXT("\"\xe0\x9f\xbf\""), "offset 1: invalid UTF-8" },
	{ "refuse an overlong four", TEXT("\"\xf0\x8f\xbf\xbf\""), "offset 1: invalid UTF-8" },
	{ "refuse a surrogate in utf-8", TEXT("\"\xed\xa0\x80\""), "offset 1: invalid UTF-8" },
	{ "refuse beyond U+10FFFF", TEXT("\"\xf4\x90\x80\x80\""), "offset 1: invalid UTF-8" },
	{ "refuse 0xff", TEXT("\"\xff\""), "offset 1: invalid UTF-8" },
	{ "refuse latin-1 behind good text", TEXT("\"\xc3\xa9 caf\xe9\""),
	  "offset 7: invalid UTF-8" },
	{ "refuse a non-breaking space as a blank",
	  TEXT("[\xc2\xa0"
	       "1]"),
	  "[0] (offset 1): expected a value, found byte 0xc2" },
	{ "refuse a form feed as a blank", TEXT("[\f1]"),
	  "[0] (offset 1): expected a value, found byte 0x0c" },
	/* paths */
	{ "path of a field", TEXT("{\"source\":{\"chat_id\":\"\xff\"}}"),
	  "source.chat_id (offset 22): invalid UTF-8" },
	{ "path of an element's field", TEXT("{\"rules\":[{},{},{\"action\":nope}]}"),
	  "rules[2].action (offset 26): expected a value, found 'n'" },
	{ "path of a nested element", TEXT("[[],[1,[x]]]"),
	  "[1][1][0] (offset 8): expected a value, found 'x'" },
	{ "path of the object with a bad key", TEXT("{\"a\":{\"b\":1,\"\xff\":2}}"),
	  "a (offset 13): invalid UTF-8" },
	{ "path of a key that is no word", TEXT("{\"a b\":{\"\":{\"c.d\":{\"e\\n\":x}}}}"),
	  "[\"a b\"][\"\"][\"c.d\"][\"e\\n\"] (offset 25): expected a value, found 'x'" },
	{ "path behind a closed sibling", TEXT("{\"a\":{\"x\":[1,2]},\"b\":{\"y\":01}}"),
	  "b.y (offset 26): a number must not begin with 0" },
	{ "path of the container that is not closed", TEXT("{\"a\":{\"b\":[1,2}}"),
	  "a.b (offset 14): expected ',' or ']', found '}'" },
	/* duplicate keys */
	{ "duplicate key", TEXT("{\"a\":1,\"b\":2,\"a\":3}"), "a (offset 13): duplicate key" },
	{ "duplicate empty key", TEXT("{\"\":1,\"\":2}"), "[\"\"] (offset 6): duplicate key" },
	{ "duplicate key, escaped the second time", TEXT("{\"a\":1,\"\\u0061\":2}"),
	  "[\"\\u0061\"] (offset 7): duplicate key" },
	{ "duplicate key, escaped the first time", TEXT("{\"\\u00e9\":1,\"\xc3\xa9\":2}"),
	  "\xc3\xa9 (offset 12): duplicate key" },
	{ "duplicate key, escaped in two ways", TEXT("{\"\\n\":1,\"\\u000A\":2}"),
	  "[\"\\u000A\"] (offset 8): duplicate key" },
	{ "duplicate key of a pair and its character",
	  TEXT("{\"\\ud83d\\ude00\":1,\"\xf0\x9f\x98\x80\":2}"),
	  "\xf0\x9f\x98\x80 (offset 18): duplicate key" },
	{ "duplicate key deep inside", TEXT("{\"x\":[0,{\"k\":{},\"k\":[]}]}"),
	  "x[1].k (offset 16): duplicate key" },
	{ "the earliest repetition is named", TEXT("{\"a\":1,\"b\":1,\"b\":2,\"a\":2}"),
	  "b (offset 13): duplicate key" },
};

static void
refuses(void **state)
{
	const struct refuse_row *row = *state;
	struct json_doc doc = { 0 };
	struct err e = { 0 };
	struct arena a;
	/* Exactly as long as the text, so that a sanitizer sees every byte read beyond it. */
	char *text = malloc(row->text.len ? row->text.len : 1);

	memcpy(text, row->text.ptr, row->text.len);
	arena_init(&a);
	if (parse(&a, (struct str){ text, row->text.len }, &doc, &e) == 0)
		fail_msg("accepted");
	assert_int_equal(e.code, ERR_INVALID);
	assert_string_equal(e.text, row->want);
	assert_null(doc.tokens);
	arena_release(&a);
	free(text);
}

/* At a limit a text passes, one beyond it is refused. */
static const struct limit_row {
	const char *name;
	const char *text;
	struct json_limits limits;
	int code;
	const char *want; /* NULL: accepted */
} limit_rows[] = {
	{ "bytes at the limit", "[1,2]", { 5, 9, 9 }, 0, NULL },
	{ "bytes over the limit",
	  "[1,2]",
	  { 4, 9, 9 },
	  ERR_TOO_LARGE,
	  "offset 4: the text is larger than 4 bytes" },
	{ "depth at the limit", "[{\"a\":[]},[[]]]", { 99, 3, 99 }, 0, NULL },
	{ "depth over the limit",
	  "[{\"a\":[[]]}]",
	  { 99, 3, 99 },
	  ERR_INVALID,
	  "[0].a[0] (offset 7): nested too deeply" },
	{ "depth 0 takes a scalar", "1", { 9, 0, 9 }, 0, NULL },
	{ "depth 0 refuses a container",
	  "[]",
	  { 9, 0, 9 },
	  ERR_INVALID,
	  "offset 0: nested too deeply" },
	{ "depth counts levels, not containers", "[[],[],[],[]]", { 99, 2, 99 }, 0, NULL },
	{ "tokens at the limit", "{\"a\":[1,2]}", { 99, 9, 5 }, 0, NULL },
	{ "tokens over the limit",
	  "{\"a\":[1,2]}",
	  { 99, 9, 4 },
	  ERR_TOO_LARGE,
	  "a[1] (offset 8): too many values" },
	{ "tokens over the limit at a key",
	  "{\"a\":1,\"b\":2}",
	  { 99, 9, 3 },
	  ERR_TOO_LARGE,
	  "offset 7: too many values" },
	{ "tokens 0 refuses all", "1", { 9, 9, 0 }, ERR_TOO_LARGE, "offset 0: too many values" },
};

static void
keeps_limits(void **state)
{
	const struct limit_row *row = *state;
	struct json_doc doc;
	struct err e = { 0 };
	struct arena a;

	arena_init(&a);
	assert_int_equal(json_parse(&a, str_of(row->text), &row->limits, &doc, &e), row->code);
	if (row->want)
		assert_string_equal(e.text, row->want);
	arena_release(&a);
}

static void
default_limits_hold_at_64_levels(void **state)
{
	char text[130];
	struct json_doc doc;
	struct err e = { 0 };
	struct arena a;

	(void)state;
	arena_init(&a);
	memset(text, '[', 65);
	memset(text + 65, ']', 65);
	assert_int_equal(parse(&a, (struct str){ text + 1, 128 }, &doc, &e), 0);
	assert_int_equal(parse(&a, (struct str){ text, 130 }, &doc, &e), ERR_INVALID);
	arena_release(&a);
}

/* An object of count keys, written by fmt with its number; `again` repeats that key at the end. */
static void
many_keys(struct buf *out, const char *head, int count, const char *tail, int again)
{
	buf_putc(out, '{');
	for (int i = 0; i < count; i++)
		buf_printf(out, "\"%s%d%s\":[%d],", head, i, tail, i);
	buf_printf(out, "\"%s%d%s\":null}", head, again < 0 ? count : again, tail);
}

static void
large_objects_are_checked_too(void **state)
{
	static const int counts[] = { 2, 15, 62, 63, 64, 65, 300, 20000 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(counts); i++) {
		for (int again = -1; again < counts[i]; again += counts[i] / 2) {
			struct json_doc doc;
			struct err e = { 0 };
			struct arena a;
			struct buf text, want;

			arena_init(&a);
			buf_init(&text, 1 << 22);
			buf_init(&want, 100);
			many_keys(&text, "the_same_", counts[i], "_for_all", again);
			buf_printf(&want, "the_same_%d_for_all", again);
			int rc = parse(&a, buf_str(&text), &doc, &e);
			if (again < 0)
				assert_int_equal(rc, 0);
			else if (rc == 0 || !str_starts(str_of(e.text), buf_str(&want)))
				fail_msg("%d keys, %d again: %s", counts[i], again, e.text);
			buf_release(&want);
			buf_release(&text);
			arena_release(&a);
		}
	}
}

enum { CANDIDATES = 300000 };

static int
by_hash(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

/* Among so many keys some share their hash; different they are all the same. */
static void
keys_of_one_hash_are_told_apart(void **state)
{
	uint64_t *hashes = malloc(CANDIDATES * sizeof *hashes);
	int pairs = 0;

	(void)state;
	for (uint32_t i = 0; i < CANDIDATES; i++) {
		char key[16];
		snprintf(key, sizeof key, "k%u", i);
		hashes[i] = (uint64_t)json_key_hash(str_of(key)) << 32 | i;
	}
	qsort(hashes, CANDIDATES, sizeof *hashes, by_hash);
	for (size_t i = 1; i < CANDIDATES; i++) {
		uint32_t a = (uint32_t)hashes[i - 1], b = (uint32_t)hashes[i];
		struct json_doc doc;
		struct arena arena;
		struct err e;

		if (hashes[i - 1] >> 32 != hashes[i] >> 32)
			continue;
		pairs++;
		arena_init(&arena);
		assert_int_equal(parse(&arena, arena_printf(&arena, "{\"k%u\":1,\"k%u\":2}", a, b),
				       &doc, &e),
				 0);
		assert_int_equal(
			parse(&arena,
			      arena_printf(&arena, "{\"k%u\":1,\"k%u\":2,\"k%u\":3}", a, b, b),
			      &doc, &e),
			ERR_INVALID);
		arena_release(&arena);
	}
	assert_in_range(pairs, 1, 100);
	free(hashes);
}

static void
long_paths_leave_room_for_the_sentence(void **state)
{
	struct json_doc doc;
	struct err e = { 0 };
	struct arena a;
	struct buf text;

	(void)state;
	arena_init(&a);
	buf_init(&text, 1 << 16);
	for (int i = 0; i < 40; i++)
		buf_puts(&text, "{\"a_rather_long_n\xc3\xa4me\":");
	buf_puts(&text, "oops");
	assert_int_equal(parse(&a, buf_str(&text), &doc, &e), ERR_INVALID);
	assert_non_null(strstr(e.text, "..."));
	assert_non_null(strstr(e.text, "): expected a value, found 'o'"));
	assert_true(strlen(e.text) < 300);
	buf_release(&text);
	arena_release(&a);
}

static void
an_error_may_be_unwanted(void **state)
{
	struct json_doc doc;
	struct arena a;

	(void)state;
	arena_init(&a);
	assert_int_equal(parse(&a, STR("[1,"), &doc, NULL), ERR_INVALID);
	arena_release(&a);
}

/* Every cut of a valid document is refused, none is read beyond its end. */
static void
property_a_cut_document_is_refused(void **state)
{
	struct str whole = STR("{\"a\":[1.5e-3,true,null,\"x\\u00e9\\ud83d\\ude00\xc3\xa9\\n\"],"
			       "\"b\":{\"c\":false}}");
	struct json_doc doc;
	struct arena a;

	(void)state;
	arena_init(&a);
	for (size_t len = 0; len < whole.len; len++) {
		char *text = malloc(len ? len : 1);
		memcpy(text, whole.ptr, len);
		if (parse(&a, (struct str){ text, len }, &doc, NULL) == 0)
			fail_msg("accepted the first %zu bytes", len);
		free(text);
	}
	assert_int_equal(parse(&a, whole, &doc, NULL), 0);
	arena_release(&a);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, accept_rows, accepts);
	SUITE_ROWS(&s, refuse_rows, refuses);
	SUITE_ROWS(&s, limit_rows, keeps_limits);
	SUITE_TEST(&s, default_limits_hold_at_64_levels);
	SUITE_TEST(&s, large_objects_are_checked_too);
	SUITE_TEST(&s, keys_of_one_hash_are_told_apart);
	SUITE_TEST(&s, long_paths_leave_room_for_the_sentence);
	SUITE_TEST(&s, an_error_may_be_unwanted);
	SUITE_TEST(&s, property_a_cut_document_is_refused);
	return suite_run(&s, "json");
}

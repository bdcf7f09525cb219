#include "base/rand.h"
#include "base/utf8.h"
#include "core/token_estimate.h"
#include "harness.h"
#include "token_corpus.h"

static const struct text_row {
	const char *name, *text;
	int64_t tokens;
	enum token_text_kind kind;
} ROWS[] = {
	{ "C1 empty text", "", 0, TOKEN_TEXT },
	{ "C1 plain text in quarters", "abcdefgh", 2, TOKEN_TEXT },
	{ "C1 rounded up", "abcdefghi", 3, TOKEN_TEXT },
	{ "C1 one character", "a", 1, TOKEN_TEXT },
	{ "C1 an object in thirds", "{\"a\":12}", 3, TOKEN_JSON },
	{ "C1 an object rounded up", "{\"a\":123}", 3, TOKEN_JSON },
	{ "C1 an object past it", "{\"a\":1234}", 4, TOKEN_JSON },
	{ "C1 an array", "[1,2,3]", 3, TOKEN_JSON },
	{ "C1 a bare number parses", "1234567", 3, TOKEN_JSON },
	{ "C1 a bare word parses", "true", 2, TOKEN_JSON },
	{ "C1 null parses", "null", 2, TOKEN_JSON },
	{ "C1 false parses", "false", 2, TOKEN_JSON },
	{ "C1 a quoted text parses", "\"abcd\"", 2, TOKEN_JSON },
	{ "C1 a negative fraction parses", "-1.5e+3", 3, TOKEN_JSON },
	{ "C1 white space around JSON counts", " [1] \n\t\r", 3, TOKEN_JSON },
	{ "C1 the whole text must parse", "{\"a\":12} ok", 3, TOKEN_TEXT },
	{ "C1 two values do not parse", "[1] [2]", 2, TOKEN_TEXT },
	{ "C1 a brace alone does not", "{abcdef}", 2, TOKEN_TEXT },
	{ "C1 nor does a duplicate key", "{\"a\":1,\"a\":2}", 4, TOKEN_TEXT },
	{ "C1 a code fence makes thirds", "```\nabcdef\n```", 5, TOKEN_CODE },
	{ "C1 an open fence too", "ab```cd", 3, TOKEN_CODE },
	{ "C1 two ticks do not", "ab``cde", 2, TOKEN_TEXT },
	{ "C1 JSON before code", "\"```\"", 2, TOKEN_JSON },
	{ "C1 a wide character is a token", "\xc3\xa9", 1, TOKEN_TEXT },
	{ "C1 wide characters beside ASCII", "abcd\xe6\x97\xa5\xe6\x9c\xac", 3, TOKEN_TEXT },
	{ "C1 wide characters do not fill up a quarter", "a\xf0\x9f\x98\x80", 2, TOKEN_TEXT },
	{ "C1 wide characters in JSON", "\"\xc3\xa9\"", 2, TOKEN_JSON },
	{ "C1 wide characters in code", "```\xc3\xa9", 2, TOKEN_CODE },
	{ "C1 blanks are text", "     ", 2, TOKEN_TEXT },
};

static void
text_row(void **state)
{
	const struct text_row *row = *state;
	struct token_estimate got;
	struct arena a;

	arena_init(&a);
	got = token_estimate_text(str_of(row->text), &a);
	assert_int_equal(got.tokens, row->tokens);
	check_str(row->name, str_of(token_estimate_kind_name(got.kind)),
		  str_of(token_estimate_kind_name(row->kind)));
	arena_release(&a);
}

/* However a text is cut, it is counted as when it is whole. */
static void
C1_pieces_count_as_the_whole(void **state)
{
	static const char *const TEXTS[] = { "abcdefghi", "ab``cde`", "ab```cd", "a\xc3\xa9 b" };
	struct arena a;

	(void)state;
	arena_init(&a);
	for (size_t i = 0; i < ARRAY_LEN(TEXTS); i++) {
		struct str text = str_of(TEXTS[i]);
		for (size_t at = 0; at <= text.len; at++) {
			struct token_tally t = { 0 };
			size_t cut = utf8_floor(text, at);

			token_tally_add(&t, TOKEN_TEXT, str_slice(text, 0, cut));
			token_tally_add(&t, TOKEN_TEXT, str_slice(text, cut, text.len));
			assert_int_equal(token_tally_tokens(&t),
					 token_estimate_text(text, &a).tokens);
		}
	}
	arena_release(&a);
}

static void
C1_what_is_known_to_be_json_or_code_counts_so(void **state)
{
	struct token_tally t = { 0 };

	(void)state;
	assert_int_equal(token_tally_tokens(&t), 0);
	token_tally_add(&t, TOKEN_JSON, STR("{\"a"));
	token_tally_add(&t, TOKEN_JSON, STR("\":\"\xc3\xa9"));
	assert_int_equal(token_tally_tokens(&t), 2 + 1);
	token_tally_add(&t, TOKEN_TEXT, STR("abcdefgh"));
	assert_int_equal(token_tally_tokens(&t), 3 + 2);
	token_tally_add(&t, TOKEN_CODE, STR("i"));
	assert_int_equal(token_tally_tokens(&t), 3 + 3);
}

static void
corpus_row(void **state)
{
	const struct corpus_row *row = *state;
	struct arena a;
	int64_t got, model = model_tokens(str_of(row->text));

	arena_init(&a);
	got = token_estimate_text(str_of(row->text), &a).tokens;
	print_message("%s: %lld of %lld, %lld %%\n", row->name, (long long)got, (long long)model,
		      (long long)(got * 100 / model));
	if (got * 100 < model * row->least_percent)
		fail_msg("%s: %lld is under %d %% of %lld", row->name, (long long)got,
			 row->least_percent, (long long)model);
	arena_release(&a);
}

/* Counts providers publish for their tokenizers. */
static void
C1_the_model_reproduces_published_counts(void **state)
{
	static const struct {
		const char *text;
		int64_t published;
	} examples[] = {
		{ "You miss 100% of the shots you don't take", 11 },
		{ "tiktoken is great!", 6 },
		{ "2 + 2 = 4", 7 },
		{ "\xe3\x81\x8a\xe8\xaa\x95\xe7\x94\x9f\xe6\x97\xa5\xe3\x81\x8a\xe3\x82\x81\xe3\x81"
		  "\xa7\xe3\x81\xa8\xe3\x81\x86",
		  9 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(examples); i++) {
		int64_t off = model_tokens(str_of(examples[i].text)) - examples[i].published;

		if (off < -2 || off > 2)
			fail_msg("'%s' is off by %lld", examples[i].text, (long long)off);
	}
}

static void
C1_deep_JSON_is_still_JSON(void **state)
{
	struct arena a;
	char text[2000];

	(void)state;
	arena_init(&a);
	memset(text, '[', 1000);
	memset(text + 1000, ']', 1000);
	assert_int_equal(token_estimate_text((struct str){ text, 2000 }, &a).kind, TOKEN_JSON);
	arena_release(&a);
}

static void
C1_a_message_is_text_arguments_and_images(void **state)
{
	struct arena a;
	const struct tool_call calls[] = {
		{ STR("id1"), STR("bash"), STR("{\"a\":12}") },
		{ STR("id2"), STR("bash"), STR("abcd") },
	};
	struct message m[] = {
		{ .role = MESSAGE_ASSISTANT,
		  .content = STR("abcdefgh"),
		  .images = 2,
		  .tool_calls = calls,
		  .tool_call_count = 2 },
		{ .role = MESSAGE_TOOL, .content = STR("abcde") },
		{ .role = MESSAGE_USER },
	};

	(void)state;
	arena_init(&a);
	token_estimate_messages(m, 3, &a);
	assert_int_equal(m[0].tokens, 2 + 3 + 1 + 2 * TOKEN_IMAGE);
	assert_int_equal(m[1].tokens, 2);
	assert_int_equal(m[2].tokens, 0);
	assert_int_equal(token_estimate_total(m, 3), 8 + 2 * TOKEN_IMAGE);
	assert_int_equal(token_estimate_frame(&m[0]), TOKEN_FRAME + 2 * TOKEN_FRAME_TOOL);
	assert_int_equal(token_estimate_frame(&m[1]), TOKEN_FRAME_TOOL);
	assert_int_equal(token_estimate_frame(&m[2]), TOKEN_FRAME);
	arena_release(&a);
}

static void
C1_real_usage_is_preferred(void **state)
{
	(void)state;
	assert_int_equal(token_estimate_measure(10, 7).tokens, 7);
	assert_true(token_estimate_measure(10, 7).real);
	assert_int_equal(token_estimate_measure(10, 0).tokens, 0);
	assert_true(token_estimate_measure(10, 0).real);
	assert_int_equal(token_estimate_measure(10, -1).tokens, 10);
	assert_false(token_estimate_measure(10, -1).real);
}

static const struct fill_row {
	const char *name;
	int64_t tokens, window;
	int percent;
	bool want;
} FILLS[] = {
	{ "C2 exactly the share", 30, 100, 30, true },
	{ "C2 below the share", 29, 100, 30, false },
	{ "C2 a share between two tokens, below", 3, 11, 30, false },
	{ "C2 a share between two tokens, above", 4, 11, 30, true },
	{ "C2 no share is always reached", 0, 100, 0, true },
	{ "C2 the largest window", INT64_MAX / 100 * 70, INT64_MAX, 70, false },
	{ "C2 the largest count", INT64_MAX, INT64_MAX, 100, true },
};

static void
fill_row(void **state)
{
	const struct fill_row *row = *state;

	assert_int_equal(token_estimate_fills(row->tokens, row->window, row->percent), row->want);
}

static void
C1_property_monotone_under_appending_and_never_under_a_quarter(void **state)
{
	static const char *const bits[] = { "a", " ", "word ", "```",         "\xc3\xa9",
					    "1", "{", "}",     "\"",          "[",
					    "]", ",", "\n",    "\xe6\x97\xa5" };

	(void)state;
	for (uint64_t seed = 0; seed < suite_seeds(3000); seed++) {
		struct rand r;
		struct arena a;
		struct buf text;
		struct token_estimate before = { 0, TOKEN_TEXT };

		arena_init(&a);
		buf_init(&text, 4096);
		rand_init_seed(&r, seed);
		for (int i = 0; i < 30; i++) {
			struct token_estimate now;

			buf_puts(&text, bits[rand_below(&r, ARRAY_LEN(bits))]);
			now = token_estimate_text(buf_str(&text), &a);
			if ((now.kind == before.kind && now.tokens < before.tokens) ||
			    now.tokens * 4 < (int64_t)utf8_count(buf_str(&text)))
				fail_msg("seed %llu", (unsigned long long)seed);
			before = now;
		}
		buf_release(&text);
		arena_release(&a);
	}
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, text_row);
	SUITE_ROWS(&s, CORPUS, corpus_row);
	SUITE_ROWS(&s, FILLS, fill_row);
	SUITE_TEST(&s, C1_the_model_reproduces_published_counts);
	SUITE_TEST(&s, C1_deep_JSON_is_still_JSON);
	SUITE_TEST(&s, C1_a_message_is_text_arguments_and_images);
	SUITE_TEST(&s, C1_real_usage_is_preferred);
	SUITE_TEST(&s, C1_property_monotone_under_appending_and_never_under_a_quarter);
	SUITE_TEST(&s, C1_pieces_count_as_the_whole);
	SUITE_TEST(&s, C1_what_is_known_to_be_json_or_code_counts_so);
	return suite_run(&s, "core/token_estimate");
}

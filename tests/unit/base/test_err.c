#include "base/err.h"
#include "base/utf8.h"
#include "harness.h"

static const struct row {
	const char *name; /* the code's */
	int code, http_status, exit_code;
} rows[] = {
	{ "ok", 0, 200, 0 },
	{ "invalid", ERR_INVALID, 400, 2 },
	{ "usage", ERR_USAGE, 400, 2 },
	{ "auth", ERR_AUTH, 401, 1 },
	{ "denied", ERR_DENIED, 403, 1 },
	{ "not_found", ERR_NOT_FOUND, 404, 1 },
	{ "conflict", ERR_CONFLICT, 409, 1 },
	{ "mismatch", ERR_MISMATCH, 422, 1 },
	{ "limit", ERR_LIMIT, 429, 1 },
	{ "too_large", ERR_TOO_LARGE, 413, 2 },
	{ "timeout", ERR_TIMEOUT, 504, 1 },
	{ "corrupt", ERR_CORRUPT, 500, 3 },
	{ "io", ERR_IO, 503, 3 },
	{ "no_space", ERR_NO_SPACE, 507, 3 },
	{ "unavailable", ERR_UNAVAILABLE, 503, 1 },
	{ "precondition", ERR_PRECONDITION, 412, 1 },
	{ "unknown", -99, 500, 3 },
	{ "unknown", 1, 500, 3 },
};

static void
codes_are_mapped(void **state)
{
	const struct row *row = *state;

	assert_string_equal(err_name(row->code), row->name);
	assert_int_equal(err_http_status(row->code), row->http_status);
	assert_int_equal(err_exit_code(row->code), row->exit_code);
}

static void
the_sentence_is_kept(void **state)
{
	struct err e = { 0 };

	(void)state;
	assert_int_equal(err_set(&e, ERR_INVALID, "%s: %d", "field", 7), ERR_INVALID);
	assert_int_equal(e.code, ERR_INVALID);
	assert_string_equal(e.text, "field: 7");
	assert_int_equal(err_prefix(&e, ERR_INVALID, "config.yaml:%d: ", 3), ERR_INVALID);
	assert_int_equal(e.code, ERR_INVALID);
	assert_int_equal(err_prefix(NULL, ERR_IO, "nobody listens"), ERR_IO);
	assert_string_equal(e.text, "config.yaml:3: field: 7");
	assert_int_equal(err_set(NULL, ERR_IO, "unheard"), ERR_IO);
}

/* Whatever the length, the text ends at a character's border. */
static void
long_sentences_are_cut_between_characters(void **state)
{
	char text[2 * ERR_TEXT_MAX + 1];

	(void)state;
	for (size_t shift = 0; shift < 8; shift++) {
		struct err e = { 0 };
		size_t len = shift;

		memset(text, 'x', shift);
		while (len + 4 < sizeof text) {
			memcpy(text + len, shift % 2 ? "\xf0\x9f\x98\x80" : "\xc3\xa9\xc3\xa9", 4);
			len += 4;
		}
		text[len] = '\0';
		err_set(&e, ERR_INVALID, "%s", text);
		assert_true(strlen(e.text) >= ERR_TEXT_MAX - 4);
		assert_true(utf8_valid(str_of(e.text)));
		err_prefix(&e, ERR_IO, "%s", "ab: ");
		assert_true(utf8_valid(str_of(e.text)));
		assert_true(str_starts(str_of(e.text), STR("ab: ")));
		err_prefix(&e, ERR_IO, "%s", text);
		assert_true(utf8_valid(str_of(e.text)));
	}
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, rows, codes_are_mapped);
	SUITE_TEST(&s, the_sentence_is_kept);
	SUITE_TEST(&s, long_sentences_are_cut_between_characters);
	return suite_run(&s, "err");
}

#include "core/shell_word.h"
#include "harness.h"

static const struct row {
	const char *name, *in, *text;
	size_t at; /* where reading stops */
	bool plain;
	unsigned unsafe;
	size_t nested;
} ROWS[] = {
	{ "T8 a word ends at a blank", "ab cd", "ab", 2, true, 0, 0 },
	{ "T8 a word ends at an operator", "ab;cd", "ab", 2, true, 0, 0 },
	{ "T8 a word ends at a redirection", "ab>cd", "ab", 2, true, 0, 0 },
	{ "T8 a word ends with the text", "ab", "ab", 2, true, 0, 0 },
	{ "T8 quotes make a word not plain", "'ab'", "ab", 4, false, 0, 0 },
	{ "T8 an escape makes a word not plain", "\\ab", "ab", 3, false, 0, 0 },
	{ "T8 a continued line leaves a word plain", "a\\\nb", "ab", 4, true, 0, 0 },
	{ "T8 a substitution is taken over and noted", "a$(b c)d e", "a$(b c)d", 8, false,
	  SHELL_SUBSTITUTION, 1 },
	{ "T8 backticks are noted", "`a``b`", "`a``b`", 6, false, SHELL_SUBSTITUTION, 2 },
	{ "T8 an expansion holds no command", "${a}", "${a}", 4, false, SHELL_EXPANSION, 0 },
	{ "T8 unless it has a substitution inside", "${a:-`b`}", "${a:-`b`}", 9, false,
	  SHELL_EXPANSION, 1 },
	{ "T8 process substitution in mid-word", "a<(b)", "a<(b)", 5, false, SHELL_PROCESS, 1 },
};

static void
check_row(void **state)
{
	const struct row *row = *state;
	char out[64];
	struct shell_reader r = { .in = str_of(row->in), .out = out };
	struct shell_word w = shell_word_read(&r);

	check_str(row->name, w.text, str_of(row->text));
	assert_int_equal(r.at, row->at);
	assert_int_equal(w.plain, row->plain);
	assert_int_equal(r.unsafe, row->unsafe);
	assert_int_equal(r.nested_count, row->nested);
	assert_null(r.error);
}

static void
T8_the_first_error_stays(void **state)
{
	struct shell_reader r = { .in = STR("abc") };

	(void)state;
	shell_reader_fail(&r, "one");
	assert_true(shell_reader_at_end(&r) && !r.full);
	shell_reader_full(&r, "two");
	assert_string_equal(r.error, "one");
	assert_true(r.full);
	assert_int_equal(shell_reader_peek(&r, 0), '\0');
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, check_row);
	SUITE_TEST(&s, T8_the_first_error_stays);
	return suite_run(&s, "core/shell_word");
}

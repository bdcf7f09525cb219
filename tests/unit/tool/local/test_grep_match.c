#include "tool/local/grep_match.h"

#include "harness.h"

static const struct {
	const char *name, *pattern, *line;
	bool ignore_case, want;
} ROWS[] = {
	{ "T12 ASCII", "b.d", "abcd", false, true },
	{ "T12 ASCII in the wrong case", "B.D", "abcd", false, false },
	{ "T12 ASCII in any case", "B.D", "abcd", true, true },
	{ "T12 any one character", "caf.$", "café", false, true },
	{ "T12 not two characters", "caf..$", "café", false, false },
	{ "T12 another letter", "fé$", "café", false, true },
	{ "T12 another letter in the wrong case", "É", "é", false, false },
	{ "T12 another letter in any case", "É", "é", true, true },
	{ "T12 another letter in any case, the other way round", "é", "É", true, true },
	{ "T12 ASCII in any case beside another letter", "CAF.$", "café", true, true },
	{ "T12 a range of other letters", "[а-я]", "ж", false, true },
	{ "T12 none of a range of other letters", "[а-я]", "é", false, false },
	{ "T12 a range of other letters in any case", "[а-я]", "Ж", true, true },
	{ "T12 all but another letter", "^[^é]$", "è", false, true },
	{ "T12 a border before a letter", "\\bt", "été t", false, true },
	{ "T12 no border within a word", "\\bt", "été", false, false },
	{ "T12 letters of a word", "^\\w+$", "été", false, true },
	{ "T12 a blank that is not ASCII's", "a\\sb", "a\u2003b", false, true },
	{ "T12 another letter that may be missing", "^caé?$", "ca", false, true },
	{ "T12 another letter, repeated", "^é{2}$", "éé", false, true },
	{ "T12 bytes that are no characters", "caf.$", "caf\xe9", false, true },
	{ "T12 another letter before bytes that are none", "é", "é\xe9", false, true },
	{ "T12 across bytes that are none", "naïve.*x", "naïve \xe9 x", false, true },
	{ "T12 a line without anything", "^$", "", false, true },
};

static void
row_holds(void **state)
{
	const __typeof__(*ROWS) *row = *state;
	struct grep_match m;
	struct err e;

	assert_int_equal(grep_match_init(&m, str_of(row->pattern), row->ignore_case, &e), 0);
	assert_int_equal(grep_match_line(&m, str_of(row->line)), row->want);
	grep_match_release(&m);
}

static void
T12_a_line_ends_where_it_is_said_to(void **state)
{
	struct grep_match m;
	struct err e;

	(void)state;
	assert_int_equal(grep_match_init(&m, STR("é$"), false, &e), 0);
	assert_true(grep_match_line(&m, str_slice(STR("aéb"), 0, 3)));
	assert_false(grep_match_line(&m, STR("aéb")));
	grep_match_release(&m);
}

static void
T12_what_is_no_expression_is_refused(void **state)
{
	struct grep_match m;
	struct err e;

	(void)state;
	assert_int_equal(grep_match_init(&m, STR("(é"), false, &e), ERR_INVALID);
	assert_true(str_contains(str_of(e.text), STR("POSIX extended regular expression")));
	assert_int_equal(grep_match_init(&m, STR("[é"), false, &e), ERR_INVALID);
	assert_true(str_contains(str_of(e.text), STR("has no ]")));
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, row_holds);
	SUITE_TEST(&s, T12_a_line_ends_where_it_is_said_to);
	SUITE_TEST(&s, T12_what_is_no_expression_is_refused);
	return suite_run(&s, "tool/local/grep_match");
}

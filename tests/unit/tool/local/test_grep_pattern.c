#include "tool/local/grep_pattern.h"

#include <locale.h>
#include <regex.h>

#include "harness.h"

/* found: what of the line matches first; NULL: nothing does; or '!' and a part of the complaint. */
static const struct {
	const char *name, *pattern, *line, *found;
} ROWS[] = {
	{ "T12 words and others", "[\\w.-]+@", "to joe-b.c@x.org", "joe-b.c@" },
	{ "T12 a word is no backslash", "[\\w]+", "\\\\ab", "ab" },
	{ "T12 all but blanks and quotes", "[^\\s\"]+", " \"a\\s b\"", "a\\s" },
	{ "T12 digits and dots", "v[\\d.]+", "dv1.2x", "v1.2" },
	{ "T12 all but a bracket", "[^\\]]+", "]ab]", "ab" },
	{ "T12 a bracket first needs no backslash", "[]a]+", "xa]a", "a]a" },
	{ "T12 all but a bracket that comes first", "[^]]+", "]ab]", "ab" },
	{ "T12 a dash that is escaped", "[a\\-z]+", "b-", "-" },
	{ "T12 a dash that is escaped is no range", "[a\\-z]", "b", NULL },
	{ "T12 a dash that is first", "[-a]+", "b-a", "-a" },
	{ "T12 a dash that is last", "[a-]+", "b-a", "-a" },
	{ "T12 a dash behind a class", "[\\w-]+", "+a-b", "a-b" },
	{ "T12 a dash between a class and a character", "[\\d-x]+", "5-x6y", "5-x6" },
	{ "T12 a dash between a character and a class", "[x-\\d]+", "5-x6y", "5-x6" },
	{ "T12 a range", "[b-d]+", "abcde", "bcd" },
	{ "T12 a range that ends with a bracket", "[Z-\\]]+", "YZ[\\]^", "Z[\\]" },
	{ "T12 a range that begins with a bracket", "[[-_]+", "Z[\\]^_`", "[\\]^_" },
	{ "T12 a range of special characters alone", "[\\]-\\^]+", "\\]^_", "]^" },
	{ "T12 a caret alone", "[\\^]+", "a^^", "^^" },
	{ "T12 a caret and a dash", "[\\^-]+", "a^-^", "^-^" },
	{ "T12 a caret and a bracket", "[\\^[]+", "a^[^", "^[^" },
	{ "T12 a caret and another", "[\\^a]+", "b^a", "^a" },
	{ "T12 all but a caret", "[^\\^]+", "^a", "a" },
	{ "T12 both brackets", "[\\[\\]]+", "a[]b", "[]" },
	{ "T12 a bracket before a dot", "[[.]+", "a[.b", "[." },
	{ "T12 backslashes", "[\\\\/]+", "a\\/b", "\\/" },
	{ "T12 a tab", "[\\t]", "a\tb", "\t" },
	{ "T12 a class by its name", "[[:digit:]\\s]+", "a1 2b", "1 2" },
	{ "T12 a class by its name and a bracket", "[[:digit:]\\]]+", "a1]2b", "1]2" },
	{ "T12 a character by its name", "[[.-.]a]+", "b-a", "-a" },
	{ "T12 an equivalence", "[[=a=]]+", "b=a", "a" },
	{ "T12 two sets", "[\\d][^\\d]", "12a", "2a" },
	{ "T12 other letters", "[éж]+", "aжéb", "жé" },
	{ "T12 all but another letter", "^[^é]$", "è", "è" },
	{ "T12 a range of other letters", "[а-я]+", "aéажяё", "ажя" },
	{ "T12 a range that ends with another letter", "[^ -ÿ]", "aéж", "ж" },
	{ "T12 a range that begins with a bracket and ends with another letter", "[[-é]+", "Z[éж",
	  "[é" },
	{ "T12 another letter that is escaped", "[\\é-]+", "è-é\\", "-é" },
	{ "T12 another letter by its name", "[[.é.]-ë]+", "èêéì", "êé" },
	{ "T12 characters of four bytes", "[😀-🙏]", "🗿😊", "😊" },
	{ "T12 a range as large as a script", "[一-鿿]+", "aж中文。", "中文" },
	{ "T12 a range over numbers that are no characters", "[힫-\ue010]", "\ue001", "\ue001" },
	{ "T12 a range that is too large", "[é-𠀀]", "", "!more than 65536 characters beyond" },
	{ "T12 ranges that are too large together", "[一-鿿]?[一-鿿][一-鿿][一-鿿]", "",
	  "!more than 65536" },
	{ "T12 a range of other letters the wrong way round", "[я-а]", "",
	  "!ends before it begins" },
	{ "T12 the other way round", "[\\W]", "", "!\\W cannot stand within [ ]" },
	{ "T12 the other way round, and others", "[^\\Sa]", "", "![^...] with \\s" },
	{ "T12 a letter that means nothing", "[\\q]", "", "!\\q means nothing" },
	{ "T12 a set without an end", "a[b\\]", "", "!has no ]" },
	{ "T12 an empty set", "[]", "", "!has no ]" },
	{ "T12 nothing but the beginning of a set", "[", "", "!has no ]" },
	{ "T12 a range the wrong way round", "[z-a]", "", "!ends before it begins" },
	{ "T12 outside: digits", "\\d+\\D", "a12b", "12b" },
	{ "T12 outside: words, blanks, borders", "\\bb\\w\\s", "ab bc d", "bc " },
	{ "T12 outside: a bracket", "\\[\\d\\]", "a[1]", "[1]" },
	{ "T12 outside: a tab", "a\\tb", "a\tb", "a\tb" },
	{ "T12 outside: a quote is a quote", "a\\'b\\`", "a'b`", "a'b`" },
	{ "T12 outside: a bracket that ends nothing", "a]", "a]", "a]" },
};

static void
test_row(void **state)
{
	const __typeof__(*ROWS) *row = *state;
	struct str line = str_of(row->line);
	regmatch_t at;
	struct buf out;
	struct err e;
	regex_t regex;

	buf_init(&out, 1000 + 4 * GREP_PATTERN_WIDE);
	if (grep_pattern_put(str_of(row->pattern), &out, &e) != 0) {
		if (!row->found || row->found[0] != '!' ||
		    !str_contains(str_of(e.text), str_of(row->found + 1)))
			fail_msg("said: %s", e.text);
		buf_release(&out);
		return;
	}
	if (regcomp(&regex, out.ptr, REG_EXTENDED) != 0)
		fail_msg("no expression: %s", out.ptr);
	if (regexec(&regex, row->line, 1, &at, 0) != 0)
		assert_null(row->found);
	else if (!row->found)
		fail_msg("%s finds something", out.ptr);
	else
		check_str(out.ptr, str_slice(line, (size_t)at.rm_so, (size_t)at.rm_eo),
			  str_of(row->found));
	regfree(&regex);
	buf_release(&out);
}

/* A set of one escaped character is that character, whichever; the same for all but it. */
static void
T12_an_escaped_mark_is_itself(void **state)
{
	(void)state;
	for (int c = '!'; c < 0x7f; c++) {
		char pattern[] = "^[^\\x][\\x]$", line[] = { c == 'a' ? 'b' : 'a', (char)c, '\0' };
		struct buf out;
		struct err e;
		regex_t regex;

		if ((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'))
			continue;
		pattern[4] = pattern[8] = (char)c;
		buf_init(&out, 1000);
		assert_int_equal(grep_pattern_put(str_of(pattern), &out, &e), 0);
		assert_int_equal(regcomp(&regex, out.ptr, REG_EXTENDED), 0);
		if (regexec(&regex, line, 0, NULL, 0) != 0)
			fail_msg("%s does not find %s", out.ptr, line);
		line[0] = (char)c;
		assert_int_not_equal(regexec(&regex, line, 0, NULL, 0), 0);
		regfree(&regex);
		buf_release(&out);
	}
}

int
main(void)
{
	struct suite s = { 0 };

	if (!setlocale(LC_CTYPE, "C.UTF-8")) /* as grep_match has it */
		return 1;
	SUITE_ROWS(&s, ROWS, test_row);
	SUITE_TEST(&s, T12_an_escaped_mark_is_itself);
	return suite_run(&s, "tool/local/grep_pattern");
}

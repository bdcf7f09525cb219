#include "cli/wrap.h"

#include "base/utf8.h"
#include "cli/term_text.h"
#include "harness.h"

static const struct row {
	const char *name;
	size_t columns, hang;
	const char *text, *want;
} rows[] = {
	{ "breaks at blanks", 10, 0, "one two three four", "one two\nthree four\n" },
	{ "a word that just fits", 7, 0, "one two", "one two\n" },
	{ "continued lines hang", 10, 2, "one two three", "one two\n  three\n" },
	{ "a word longer than a line is cut", 5, 0, "abcdefgh", "abcde\nfgh\n" },
	{ "scripts without blanks", 5, 0, "日本語です", "日本\n語で\nす\n" },
	{ "line ends stay", 10, 0, "a\n\nb", "a\n\nb\n" },
	{ "line ends at the end become one", 10, 0, "a\n\n\n", "a\n" },
	{ "blanks at the end go", 10, 0, "a   \nb", "a\nb\n" },
	{ "indentation stays", 10, 0, "  a", "  a\n" },
	{ "an indented word that does not fit begins no other line", 5, 0, "  abcd", "  abcd\n" },
	{ "controls go", 10, 0, "a\033[1mb", "a[1mb\n" },
	{ "nothing", 10, 0, "", "" },
	{ "nothing but line ends", 10, 0, "\n\n", "" },
};

static void
test_row(void **state)
{
	const struct row *row = *state;
	struct str text = str_of(row->text);
	struct wrap w;
	struct buf out;

	term_text_init();
	buf_init(&out, 10000);
	wrap_init(&w, row->columns);
	wrap_hang(&w, row->hang);
	for (size_t at = 0; at < text.len;) {
		uint32_t c = utf8_next(text, &at);

		if (c == '\n')
			wrap_line_end(&w, &out);
		else
			wrap_char(&w, c, &out);
	}
	wrap_end(&w, &out);
	check_str(row->name, buf_str(&out), str_of(row->want));
	wrap_release(&w);
	buf_release(&out);
}

static void
test_only_the_last_word_is_held_back(void **state)
{
	static const char TEXT[] = "one two thr";
	struct wrap w;
	struct buf out;

	(void)state;
	buf_init(&out, 1000);
	wrap_init(&w, 80);
	for (const char *at = TEXT; *at; at++)
		wrap_char(&w, (unsigned char)*at, &out);
	check_str("shown", buf_str(&out), STR("one two"));
	wrap_release(&w);
	buf_release(&out);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, rows, test_row);
	SUITE_TEST(&s, test_only_the_last_word_is_held_back);
	return suite_run(&s, "wrap");
}

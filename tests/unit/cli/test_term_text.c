#include "cli/term_text.h"

#include <stdlib.h>
#include <string.h>

#include "harness.h"

static const struct fit_row {
	const char *name, *text;
	size_t columns;
	const char *want;
} fits[] = {
	{ "what fits stays", "abc", 3, "abc" },
	{ "what does not ends in an ellipsis", "abcd", 3, "ab…" },
	{ "a wide character is not halved", "日本語", 4, "日…" },
	{ "wide characters that fit", "日本語", 6, "日本語" },
	{ "a mark above takes no column",
	  "e\xcc\x81"
	  "a",
	  2,
	  "e\xcc\x81"
	  "a" },
	{ "line ends and runs of blanks are one blank", " a\n\n b\tc ", 9, "a b c" },
	{ "escape sequences lose what makes them one", "\033[31mred\033[0m\a", 20, "[31mred[0m" },
	{ "eight-bit controls too",
	  "\xc2\x9b"
	  "31m",
	  9, "31m" },
	{ "direction marks too",
	  "a\xe2\x80\xae"
	  "b",
	  9, "ab" },
	{ "an ill-formed byte is shown as such",
	  "a\xff"
	  "b",
	  9,
	  "a\xef\xbf\xbd"
	  "b" },
	{ "no column at all", "abc", 0, "" },
	{ "one column", "abc", 1, "…" },
};

static void
test_fit(void **state)
{
	const struct fit_row *row = *state;
	struct buf out;
	size_t width;

	term_text_init();
	buf_init(&out, 1000);
	width = term_text_fit(&out, str_of(row->text), row->columns);
	check_str(row->name, buf_str(&out), str_of(row->want));
	assert_int_equal(width, term_text_width(str_of(row->want)));
	assert_true(width <= row->columns);
	buf_release(&out);
}

static void
test_clean_keeps_lines(void **state)
{
	struct buf out;

	(void)state;
	term_text_init();
	buf_init(&out, 1000);
	term_text_clean(&out, STR("a\r\n\tb\033]0;title\a  c"));
	check_str("cleaned", buf_str(&out), STR("a\n\tb]0;title  c"));
	buf_clear(&out);
	term_text_clean(&out, STR("a\xc2\x80\xc2\x9b"
				  "1m\xc2\x9f"
				  "b\xe2\x80\xaa\xe2\x80\xae\xe2\x81\xa6\xe2\x81\xa9"
				  "c"));
	check_str("eight-bit controls and direction marks", buf_str(&out), STR("a1mbc"));
	buf_release(&out);
}

static void
only_a_terminal_gets_it_clean(void **state)
{
	struct str foreign = STR("a\033]0;t\ab");

	(void)state;
	for (int is_terminal = 0; is_terminal < 2; is_terminal++) {
		char *text = NULL;
		size_t len = 0;
		FILE *to = open_memstream(&text, &len);
		struct buf want;

		assert_non_null(to);
		buf_init(&want, 64);
		if (is_terminal)
			term_text_clean(&want, foreign);
		else
			buf_put_str(&want, foreign);
		term_text_print(to, is_terminal != 0, foreign);
		assert_int_equal(fclose(to), 0);
		check_str("printed", (struct str){ text, len }, buf_str(&want));
		assert_int_equal(memchr(text, '\033', len) == NULL, is_terminal);
		buf_release(&want);
		free(text);
	}
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, fits, test_fit);
	SUITE_TEST(&s, test_clean_keeps_lines);
	SUITE_TEST(&s, only_a_terminal_gets_it_clean);
	return suite_run(&s, "term_text");
}

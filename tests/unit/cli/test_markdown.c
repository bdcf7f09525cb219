#include "cli/markdown.h"

#include "base/rand.h"
#include "cli/term_text.h"
#include "harness.h"

#define B "\033[1m"
#define I "\033[3m"
#define C "\033[36m"
#define U "\033[4m"
#define D "\033[2m"
#define R "\033[0m"
#define COLOR                  \
	{                      \
		true, true, 30 \
	}

static const struct row {
	const char *name;
	struct terminal term;
	const char *text, *want;
} rows[] = {
	{ "plain text", COLOR, "Hello", "Hello\n" },
	{ "bold and italic", COLOR, "a **b c** d *e* f", "a " B "b c" R " d " I "e" R " f\n" },
	{ "both at once", COLOR, "***x*** y", B I "x" R " y\n" },
	{ "underscores", COLOR, "_a_ __b__ snake_case_name",
	  I "a" R " " B "b" R " snake_case_name\n" },
	{ "code within bold", COLOR, "**a `b*` c**", B "a " R B C "b*" R B " c" R "\n" },
	{ "a code span", COLOR, "run `ls -l` now", "run " C "ls -l" R " now\n" },
	{ "a span with backticks in it", COLOR, "`` a`b ``", C "a`b" R "\n" },
	{ "a star without partner stays", COLOR, "2 * 3 and *args", "2 * 3 and *args\n" },
	{ "a backtick without partner stays", COLOR, "it`s", "it`s\n" },
	{ "marks do not reach over lines", COLOR, "a **b\nc** d", "a **b\nc** d\n" },
	{ "an escaped mark is text", COLOR, "\\*a\\* \\n", "*a* \\n\n" },
	{ "a heading", COLOR, "## Title *x*\ntext", B "Title " R B I "x" R B R "\ntext\n" },
	{ "the first heading", COLOR, "# Top", B U "Top" R "\n" },
	{ "no heading", COLOR, "#tag", "#tag\n" },
	{ "a list hangs", COLOR, "- one two three four five six seven\n- b",
	  "• one two three four five six\n  seven\n• b\n" },
	{ "a nested list", COLOR, "* a\n  * b", "• a\n  • b\n" },
	{ "a numbered list", COLOR, "10. one two three four five six",
	  "10. one two three four five\n    six\n" },
	{ "a number is no list", COLOR, "3.14 is pi", "3.14 is pi\n" },
	{ "a quote", COLOR, "> said\nend", D "│ said" R "\nend\n" },
	{ "a rule", { true, true, 20 }, "a\n\n---\nb", "a\n\n" D "────────────────────" R "\nb\n" },
	{ "a fence keeps its lines", COLOR,
	  "```c\nint *a = b;  // long long long long long\n\n  **x**\n```\nend",
	  D "```c" R "\n" C "int *a = b;  // long long long long long" R "\n\n" C "  **x**" R "\n" D
	    "```" R "\nend\n" },
	{ "a fence that never ends", COLOR, "~~~\na", D "~~~" R "\n" C "a" R "\n" },
	{ "a table is not wrapped", COLOR, "| a | b | c | d | e | f | g | h | i |",
	  "| a | b | c | d | e | f | g | h | i |\n" },
	{ "long lines are wrapped", COLOR, "one two three four five six seven eight",
	  "one two three four five six\nseven eight\n" },
	{ "line ends at the end go", COLOR, "a\n\n\n", "a\n" },
	{ "controls never reach a terminal", COLOR, "a\033[2J\ab", "a[2Jb\n" },
	{ "nor in code", COLOR, "```\na\033b\n```", D "```" R "\n" C "ab" R "\n" D "```" R "\n" },
	{ "nothing", COLOR, "", "" },
	{ "a pipe gets the text as it is", { false, false, 80 }, "# **a**\033\n", "# **a**\033\n" },
	{ "a dash alone below a bullet is a dash", COLOR, "- a\n-\n", "• a\n-\n" },
	{ "a pipe gets a line end", { false, false, 80 }, "a", "a\n" },
	{ "without colour the marks stay",
	  { true, false, 30 },
	  "# **a** \033[1m",
	  "# **a** [1m\n" },
};

static void
render(const struct terminal *term, struct str text, size_t cut, struct buf *out)
{
	struct markdown m;

	buf_clear(out);
	markdown_init(&m, term);
	markdown_feed(&m, str_slice(text, 0, cut), out);
	markdown_feed(&m, str_slice(text, cut, text.len), out);
	markdown_end(&m, out);
	markdown_release(&m);
}

static void
test_row_however_it_is_cut(void **state)
{
	const struct row *row = *state;
	struct str text = str_of(row->text);
	struct buf out;

	term_text_init();
	buf_init(&out, 100000);
	for (size_t cut = 0; cut <= text.len; cut++) {
		render(&row->term, text, cut, &out);
		check_str(row->name, buf_str(&out), str_of(row->want));
	}
	buf_release(&out);
}

static void
make_text(struct rand *r, struct buf *text)
{
	static const char *const PARTS[] = { "*",
					     "**",
					     "_",
					     "`",
					     "```",
					     "~~~",
					     "\n",
					     "\n\n",
					     " ",
					     "  ",
					     "word",
					     "a",
					     "#",
					     "# ",
					     "- ",
					     "1. ",
					     "> ",
					     "|",
					     "\\",
					     "日",
					     "é",
					     "---",
					     "long-long-long-long-word-x",
					     "\xe2",
					     "\xff",
					     "\t",
					     "\r\n",
					     "\033[1m" };
	size_t count = rand_below(r, 60);

	buf_clear(text);
	for (size_t i = 0; i < count; i++)
		buf_puts(text, PARTS[rand_below(r, ARRAY_LEN(PARTS))]);
	if (rand_below(r, 20) == 0) /* a span that is too long to be one */
		for (size_t i = 0; i < 1100; i++)
			buf_putc(text, "*`x_ "[rand_below(r, 5)]);
}

/* Whole, byte by byte and cut anywhere: the same bytes. */
static void
property_pieces_do_not_show(void **state)
{
	const struct terminal term = COLOR;
	struct buf text, whole, cut, bytes;
	uint64_t seeds = suite_seeds(3000);

	(void)state;
	term_text_init();
	buf_init(&text, 100000);
	buf_init(&whole, 1000000);
	buf_init(&cut, 1000000);
	buf_init(&bytes, 1000000);
	for (uint64_t seed = 0; seed < seeds; seed++) {
		struct markdown m;
		struct rand r;

		rand_init_seed(&r, seed);
		make_text(&r, &text);
		render(&term, buf_str(&text), 0, &whole);
		render(&term, buf_str(&text), rand_below(&r, text.len + 1), &cut);
		buf_clear(&bytes);
		markdown_init(&m, &term);
		for (size_t i = 0; i < text.len; i++)
			markdown_feed(&m, str_slice(buf_str(&text), i, i + 1), &bytes);
		markdown_end(&m, &bytes);
		markdown_release(&m);
		if (!str_eq(buf_str(&whole), buf_str(&cut)) ||
		    !str_eq(buf_str(&whole), buf_str(&bytes)))
			fail_msg("seed %llu", (unsigned long long)seed);
	}
	buf_release(&text);
	buf_release(&whole);
	buf_release(&cut);
	buf_release(&bytes);
}

static void
test_text_is_shown_while_it_comes(void **state)
{
	const struct terminal term = COLOR;
	struct markdown m;
	struct buf out;

	(void)state;
	buf_init(&out, 1000);
	markdown_init(&m, &term);
	markdown_feed(&m, STR("The answer is **for"), &out);
	check_str("before the mark", buf_str(&out), STR("The answer is"));
	markdown_feed(&m, STR("ty** two and"), &out);
	check_str("behind it", buf_str(&out), STR("The answer is " B "forty" R " two"));
	markdown_pause(&m, &out);
	check_str("a pause", buf_str(&out), STR("The answer is " B "forty" R " two and"));
	markdown_feed(&m, STR("y"), &out);
	markdown_end(&m, &out);
	check_str("all", buf_str(&out), STR("The answer is " B "forty" R " two andy\n"));
	markdown_release(&m);
	buf_release(&out);
}

/* However long a run of marks is, it is shown while it comes and none of it is lost. */
static void
test_marks_without_end(void **state)
{
	const struct terminal term = { true, true, 100 };
	struct markdown m;
	struct buf out;
	size_t stars = 0;

	(void)state;
	buf_init(&out, 1000000);
	markdown_init(&m, &term);
	markdown_feed(&m, STR("x "), &out);
	for (size_t i = 0; i < 50000; i++)
		markdown_feed(&m, STR("*"), &out);
	assert_true(out.len > 40000);
	markdown_end(&m, &out);
	for (size_t i = 0; i < out.len; i++)
		stars += out.ptr[i] == '*';
	assert_int_equal(stars, 50000);
	markdown_release(&m);
	buf_release(&out);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, rows, test_row_however_it_is_cut);
	SUITE_TEST(&s, property_pieces_do_not_show);
	SUITE_TEST(&s, test_marks_without_end);
	SUITE_TEST(&s, test_text_is_shown_while_it_comes);
	return suite_run(&s, "markdown");
}

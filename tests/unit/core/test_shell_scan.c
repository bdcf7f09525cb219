#include "core/shell_scan.h"

#include "base/buf.h"

#include "harness.h"

enum way { COMMAND, ARITHMETIC, BRACE, BRACE_IN_DOUBLE, OLD, BACKTICKS, TEXT };

/* text: from behind what opens it. rest: what follows its end; NULL: it has none. found: the commands
 * told, joined by '|'. */
static const struct row {
	const char *name;
	enum way way;
	const char *text, *rest, *found;
} ROWS[] = {
	/* clang-format off */
	{ "T8 scan: a command", COMMAND, "a b) c", " c", "" },
	{ "T8 scan: a group inside", COMMAND, "(a) (b)) c", " c", "" },
	{ "T8 scan: brackets in quotes", COMMAND, "a ')' \")\" \\)) c", " c", "" },
	{ "T8 scan: a bracket in a comment", COMMAND, "a # )\n) c", " c", "" },
	{ "T8 scan: a comment sign in a word", COMMAND, "a#) c", " c", "" },
	{ "T8 scan: a comment without end", COMMAND, "a # )", NULL, "" },
	{ "T8 scan: one inside another is not told", COMMAND, "a $(b)) c", " c", "" },
	{ "T8 scan: a process", COMMAND, "a <(b)) c", " c", "" },
	{ "T8 scan: a here-document", COMMAND, "a <<E\n)\nE\n) c", " c", "" },
	{ "T8 scan: a here-document behind tabs", COMMAND, "a <<-E\n)\n\tE\n) c", " c", "" },
	{ "T8 scan: one in single quotes", COMMAND, "a << 'E F'\n\\\n)\nE F\n) c", " c", "" },
	{ "T8 scan: one in double quotes", COMMAND, "a <<\"E\"\n)\nE\n) c", " c", "" },
	{ "T8 scan: one with quotes inside", COMMAND, "a <<E''\n)\nE\n) c", NULL, "" },
	{ "T8 scan: one with quotes behind", COMMAND, "a <<'E'F\n)\nEF\n) c", NULL, "" },
	{ "T8 scan: one that goes on in a line", COMMAND, "a <<E\nx\\\nE\n) c", NULL, "" },
	{ "T8 scan: one that a bracket ends", COMMAND, "a <<E\n)\nE)\nE\n) c", NULL, "" },
	{ "T8 scan: one without end", COMMAND, "a <<E\n) c", NULL, "" },
	{ "T8 scan: one whose body never begins", COMMAND, "a <<E) c", NULL, "" },
	{ "T8 scan: four at most", COMMAND, "a <<1 <<2 <<3 <<4 <<5\n1\n2\n3\n4\n5\n)", NULL, "" },
	{ "T8 scan: a here-string", COMMAND, "a <<<b) c", " c", "" },
	{ "T8 scan: case", COMMAND, "case x in x) a;; esac) c", NULL, "" },
	{ "T8 scan: arithmetic or groups", COMMAND, "((a)) ) c", NULL, "" },
	{ "T8 scan: a continued line between words", COMMAND, "a \\\n b) c", " c", "" },
	{ "T8 scan: a continued line in a word", COMMAND, "a\\\nb) c", NULL, "" },
	{ "T8 scan: a continued line behind an operator", COMMAND, "a;\\\nb) c", NULL, "" },
	{ "T8 scan: two dollars", COMMAND, "a $$'b') c", " c", "" },
	{ "T8 scan: escapes in dollar quotes", COMMAND, "a $'\\'') c", " c", "" },
	{ "T8 scan: an open quote", COMMAND, "a 'b) c", NULL, "" },
	{ "T8 scan: an open double quote", COMMAND, "a \"b) c", NULL, "" },
	{ "T8 scan: an open dollar quote", COMMAND, "a $'b) c", NULL, "" },
	{ "T8 scan: a backslash at the end", COMMAND, "a \\", NULL, "" },
	{ "T8 scan: arithmetic", ARITHMETIC, "(1+2)) c", " c", "" },
	{ "T8 scan: arithmetic with brackets", ARITHMETIC, "((1)+(2))) c", " c", "" },
	{ "T8 scan: arithmetic of nothing", ARITHMETIC, "()) c", " c", "" },
	{ "T8 scan: a command in arithmetic", ARITHMETIC, "($(a)+${b:-$(d)})) c", " c", "a|d" },
	{ "T8 scan: two groups are no arithmetic", ARITHMETIC, "(a)|(b)) c", NULL, "" },
	{ "T8 scan: quotes in arithmetic", ARITHMETIC, "('a')) c", NULL, "" },
	{ "T8 scan: arithmetic without end", ARITHMETIC, "(1) c", NULL, "" },
	{ "T8 scan: braces", BRACE, "x} c", " c", "" },
	{ "T8 scan: the first brace ends it", BRACE, "x:-{} c}", " c}", "" },
	{ "T8 scan: braces inside", BRACE, "x:-${y}} c", " c", "" },
	{ "T8 scan: a brace in quotes", BRACE, "x:-'}'\"}\"\\}} c", " c", "" },
	{ "T8 scan: commands in braces", BRACE, "x:-$(a)`b`\"$(d)\"'$(e)'} c", " c", "a|b|d" },
	{ "T8 scan: a process in braces", BRACE, "x:-<(a)} c", NULL, "" },
	{ "T8 scan: a command instead of a name", BRACE, " a; } c", NULL, "" },
	{ "T8 scan: another command instead of a name", BRACE, "|a; } c", NULL, "" },
	{ "T8 scan: nothing in braces", BRACE, "", NULL, "" },
	{ "T8 scan: braces without end", BRACE, "x", NULL, "" },
	{ "T8 scan: quotes in quotes that mean nothing", BRACE_IN_DOUBLE, "x:-'a b'} c", " c", "" },
	{ "T8 scan: quotes in quotes that hide a brace", BRACE_IN_DOUBLE, "x:-'}'} c", NULL, "" },
	{ "T8 scan: quotes in quotes that hide a command", BRACE_IN_DOUBLE, "x:-'$(a)'} c", NULL, "" },
	{ "T8 scan: one quote in quotes", BRACE_IN_DOUBLE, "x:-'", NULL, "" },
	{ "T8 scan: old arithmetic", OLD, "1+2] c", " c", "" },
	{ "T8 scan: old arithmetic with a blank", OLD, "1 + 2] c", NULL, "" },
	{ "T8 scan: old arithmetic without end", OLD, "1", NULL, "" },
	{ "T8 scan: backticks", BACKTICKS, "a 'b' # ` c", " c", "a 'b' # " },
	{ "T8 scan: a backslash in backticks", BACKTICKS, "a \\` c", NULL, "" },
	{ "T8 scan: backticks without end", BACKTICKS, "a", NULL, "" },
	{ "T8 scan: text", TEXT, "a \" ' $(b) \\$(c) `d` ${e:-$(f)} $ \\\n", "", "b|d|f" },
	{ "T8 scan: text with an open substitution", TEXT, "a $(b", NULL, "" },
	{ "T8 scan: a dollar before a continued line", TEXT, "$\\\n(b)", NULL, "" },
	/* clang-format on */
};

struct told {
	struct str in;
	struct buf text;
};

static void
on_found(void *ctx, size_t from, size_t to)
{
	struct told *told = ctx;

	buf_puts(&told->text, told->text.len > 0 ? "|" : "");
	buf_put_str(&told->text, str_slice(told->in, from, to));
}

static void
scan(struct shell_scan *s, enum way way)
{
	switch (way) {
	case COMMAND:
		s->found = NULL;
		shell_scan_command(s);
		return;
	case ARITHMETIC: shell_scan_arithmetic(s); return;
	case BRACE: shell_scan_brace(s, false); return;
	case BRACE_IN_DOUBLE: shell_scan_brace(s, true); return;
	case OLD: shell_scan_old_arithmetic(s); return;
	case BACKTICKS: shell_scan_backticks(s); return;
	case TEXT: shell_scan_text(s); return;
	}
}

static void
check_row(void **state)
{
	const struct row *r = *state;
	struct told told = { .in = str_of(r->text) };
	struct shell_scan s = { .in = told.in, .found = on_found, .ctx = &told };

	buf_init(&told.text, 4096);
	scan(&s, r->way);
	if (s.failed != !r->rest)
		fail_msg("%s: %s", r->name, s.failed ? "has no end" : "has an end");
	if (r->rest) {
		check_str(r->name, str_slice(s.in, s.at, s.in.len), str_of(r->rest));
		check_str(r->name, buf_str(&told.text), str_of(r->found));
	}
	buf_release(&told.text);
}

static void
T8_scan_depth_is_bounded(void **state)
{
	char text[4 * (SHELL_SCAN_DEPTH_MAX + 1) + 1];

	(void)state;
	for (size_t deep = SHELL_SCAN_DEPTH_MAX; deep <= SHELL_SCAN_DEPTH_MAX + 1; deep++) {
		struct shell_scan s = { .in = { text, 0 } };

		for (size_t i = 0; i < deep; i++)
			memcpy(text + 2 * i, "$(", 2);
		memset(text + 2 * deep, ')', deep);
		s.in.len = 3 * deep;
		shell_scan_text(&s);
		assert_int_equal(s.failed, deep > SHELL_SCAN_DEPTH_MAX);
	}
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, check_row);
	SUITE_TEST(&s, T8_scan_depth_is_bounded);
	return suite_run(&s, "core/shell_scan");
}

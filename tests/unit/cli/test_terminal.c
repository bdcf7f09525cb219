#include "cli/terminal.h"

#include "harness.h"

static const struct row {
	const char *name;
	struct terminal_facts facts;
	struct terminal want;
} rows[] = {
	{ "a terminal", { true, 120, "xterm", NULL, NULL }, { true, true, 120 } },
	{ "a pipe has no colour", { false, 120, "xterm", NULL, NULL }, { false, false, 80 } },
	{ "NO_COLOR", { true, 120, "xterm", "1", NULL }, { true, false, 120 } },
	{ "an empty NO_COLOR says nothing", { true, 120, "xterm", "", NULL }, { true, true, 120 } },
	{ "a dumb terminal", { true, 120, "dumb", NULL, NULL }, { true, false, 120 } },
	{ "no TERM", { true, 120, NULL, NULL, NULL }, { true, false, 120 } },
	{ "COLUMNS where the terminal does not know",
	  { true, 0, "xterm", NULL, "55" },
	  { true, true, 55 } },
	{ "nobody knows", { true, 0, "xterm", NULL, "x" }, { true, true, 80 } },
	{ "very narrow", { true, 3, "xterm", NULL, NULL }, { true, true, 20 } },
};

static void
test_row(void **state)
{
	const struct row *row = *state;
	struct terminal got = terminal_decide(&row->facts);

	assert_int_equal(got.is_terminal, row->want.is_terminal);
	assert_int_equal(got.colour, row->want.colour);
	assert_int_equal(got.columns, row->want.columns);
	assert_int_equal(terminal_style(&got, STYLE_BOLD)[0] != '\0', got.colour);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, rows, test_row);
	return suite_run(&s, "terminal");
}

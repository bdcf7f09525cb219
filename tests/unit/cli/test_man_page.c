#include "cli/man_page.h"

#include "harness.h"

static const struct command ROWS[] = {
	{ .name = "thing send",
	  .args = "ID",
	  .summary = "send a thing",
	  .more = ".hidden lines and \\ stay text.",
	  .examples = "perdure thing send a-b",
	  .options = { { "--message", "TEXT", "what to say", 'm' },
		       { "--now", NULL, "at once" } } },
};
static const struct command_table TABLE = { { { ROWS, 1 }, { NULL, 0 } } };

static void
test_rows_become_roff(void **state)
{
	static const char WANT[] = ".SS perdure thing send ID [options]\n"
				   "Send a thing.\n"
				   "\\&.hidden lines and \\e stay text.\n"
				   ".TP\n.B \\-m, \\-\\-message \\fITEXT\\fR\nwhat to say\n"
				   ".TP\n.B \\-\\-now\nat once\n"
				   ".PP\n.nf\nperdure thing send a\\-b\n.fi\n"
				   ".SH OPTIONS OF CLIENTS\n";
	struct buf out;

	(void)state;
	buf_init(&out, 100000);
	man_page(&TABLE, &out);
	if (!str_contains(buf_str(&out), str_of(WANT)))
		fail_msg("got %.*s", (int)out.len, out.ptr);
	assert_true(str_starts(buf_str(&out), STR(".\\\" Made by")));
	buf_release(&out);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, test_rows_become_roff);
	return suite_run(&s, "man_page");
}

#include "cli/completion.h"

#include "harness.h"

static const struct command ROWS[] = {
	{ .name = "serve", .summary = "s", .options = { { "--data", "DIR", "d" } } },
	{ .name = "agent list", .summary = "l" },
	{ .name = "agent session send", .summary = "x" },
	{ .name = "agent session status", .summary = "x" },
};
static const struct command_table TABLE = { { { ROWS, 4 }, { NULL, 0 } } };

static void
test_every_prefix_has_its_words(void **state)
{
	static const char WANT[] = "\t'') echo ' serve agent --help' ;;\n"
				   "\t'serve') echo ' --data --help' ;;\n"
				   "\t'agent') echo ' list session --help' ;;\n"
				   "\t'agent list') echo ' --help' ;;\n"
				   "\t'agent session') echo ' send status --help' ;;\n"
				   "\t'agent session send') echo ' --help' ;;\n"
				   "\t'agent session status') echo ' --help' ;;\n";
	struct buf out;

	(void)state;
	buf_init(&out, 100000);
	completion_bash(&TABLE, &out);
	if (!str_contains(buf_str(&out), str_of(WANT)))
		fail_msg("got %.*s", (int)out.len, out.ptr);
	buf_release(&out);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, test_every_prefix_has_its_words);
	return suite_run(&s, "completion");
}

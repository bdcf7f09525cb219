#include "cli/help.h"

#include "harness.h"

static const struct command ROWS[] = {
	{ .name = "serve", .summary = "run the server" },
	{ .name = "thing list", .summary = "list things", .client = true },
	{ .name = "thing send",
	  .args = "ID [FILE]",
	  .summary = "send a thing",
	  .more = "It is sent once. Words that do not fit on a line of this width go on in the "
		  "next one.",
	  .examples = "perdure thing send a\nperdure thing send b",
	  .options = { { "--message", "TEXT", "what to say", 'm', .required = true },
		       { "--a-very-long-option", "VALUE",
			 "has a text that is longer than what is left of a line of the usual "
			 "width" } } },
};
static const struct command_table TABLE = { { { ROWS, 3 }, { NULL, 0 } } };

static void
check(const char *what, struct buf *out, const char *want)
{
	check_str(what, buf_str(out), str_of(want));
	buf_release(out);
}

static void
test_help_is_made_of_the_table(void **state)
{
	struct buf out;

	(void)state;
	buf_init(&out, 10000);
	help_all(&TABLE, &out);
	check("all", &out,
	      "usage: perdure <command> [options]\n\n"
	      "  serve         run the server\n"
	      "  thing         list send\n"
	      "\nEach command explains itself with --help.\n"
	      "Exit codes: 0 ok, 1 refused, 2 usage or bad input, 3 the machine failed.\n");
	buf_init(&out, 10000);
	help_group(&TABLE, "thing", &out);
	check("group", &out,
	      "usage: perdure thing <command> [options]\n\n"
	      "  list                  list things\n"
	      "  send                  send a thing\n"
	      "\nEach command explains itself with --help.\n");
	buf_init(&out, 10000);
	help_command(&ROWS[2], &out);
	check("command", &out,
	      "usage: perdure thing send ID [FILE] --message TEXT [options]\n\n"
	      "Send a thing.\n"
	      "It is sent once. Words that do not fit on a line of this width go on in the\n"
	      "next one.\n\n"
	      "  -m, --message TEXT    what to say\n"
	      "  --a-very-long-option VALUE\n"
	      "                        has a text that is longer than what is left of a line\n"
	      "                        of the usual width\n"
	      "\nExamples:\n"
	      "  perdure thing send a\n"
	      "  perdure thing send b\n"
	      "\nExit codes: 0 ok, 1 refused, 2 usage or bad input, 3 the machine failed.\n");
}

static void
test_clients_show_their_options(void **state)
{
	struct buf out;

	(void)state;
	buf_init(&out, 10000);
	help_command(&ROWS[1], &out);
	assert_true(str_contains(buf_str(&out), STR("  --server URL")));
	assert_true(str_contains(buf_str(&out), STR("usage: perdure thing list [options]\n")));
	buf_release(&out);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, test_help_is_made_of_the_table);
	SUITE_TEST(&s, test_clients_show_their_options);
	return suite_run(&s, "help");
}

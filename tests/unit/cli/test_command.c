#include "cli/command.h"

#include "harness.h"

static const struct command A[] = { { .name = "serve", .summary = "s" } };
static const struct command B[] = {
	{ .name = "agent list", .summary = "l" },
	{ .name = "agent session send",
	  .summary = "x",
	  .client = true,
	  .options = { { "--message", "T", "m", 'm' } } },
	{ .name = "agent", .summary = "a" },
};
static const struct command_table TABLE = { { { A, 1 }, { B, 3 } } };

static const struct row {
	const char *name;
	const char *argv[5];
	const char *want; /* NULL: none */
	int words;
} rows[] = {
	{ "one word", { "serve", "--data", "x" }, "serve", 1 },
	{ "of the second part", { "agent", "list" }, "agent list", 2 },
	{ "the longer name wins", { "agent", "session", "send", "x" }, "agent session send", 3 },
	{ "the shorter one is left", { "agent", "other" }, "agent", 1 },
	{ "words in part", { "session" }, NULL, 0 },
	{ "nothing", { NULL }, NULL, 0 },
};

static void
test_row(void **state)
{
	const struct row *row = *state;
	char *argv[5] = { 0 };
	const struct command *c;
	int argc = 0, words;

	while (argc < 5 && row->argv[argc]) {
		argv[argc] = (char *)(uintptr_t)row->argv[argc];
		argc++;
	}
	c = command_find(&TABLE, argc, argv, &words);
	assert_int_equal(words, row->words);
	assert_int_equal(c == NULL, row->want == NULL);
	if (c)
		assert_string_equal(c->name, row->want);
}

static void
test_groups_and_options(void **state)
{
	(void)state;
	assert_int_equal(command_count(&TABLE), 4);
	assert_true(command_is_group(&TABLE, "agent"));
	assert_true(command_is_group(&TABLE, "agent session"));
	assert_false(command_is_group(&TABLE, "agent sess"));
	assert_false(command_is_group(&TABLE, "serve"));
	assert_string_equal(command_option_find(&B[1], "-m")->name, "--message");
	assert_string_equal(command_option_find(&B[1], "--server")->name, "--server");
	assert_null(command_option_find(&B[0], "--server"));
	assert_null(command_option_find(&B[1], "-mm"));
	assert_null(command_option_find(&B[1], "-"));
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, rows, test_row);
	SUITE_TEST(&s, test_groups_and_options);
	return suite_run(&s, "command");
}

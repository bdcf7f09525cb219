#include "cli/args.h"

#include "harness.h"

static const struct command PLAIN = {
	.name = "thing do",
	.args = "ID [FILE]",
	.summary = "do a thing",
	.options = { { "--limit", "N", "so many", 'n' }, { "--all", NULL, "all of them" } },
};
static const struct command STRICT = {
	.name = "thing send",
	.summary = "send a thing",
	.options = { { "--session", "ID", "which", .required = true } },
	.client = true,
};

static const struct row {
	const char *name;
	const struct command *command;
	const char *argv[8];
	const char *want; /* "words|--limit|--all", or "error: …" */
} rows[] = {
	{ "a word", &PLAIN, { "a" }, "a,-|-|-" },
	{ "two words", &PLAIN, { "a", "b" }, "a,b|-|-" },
	{ "an option and its value", &PLAIN, { "--limit", "5", "a" }, "a,-|5|-" },
	{ "joined by =", &PLAIN, { "a", "--limit=5" }, "a,-|5|-" },
	{ "an empty value", &PLAIN, { "a", "--limit=" }, "a,-||-" },
	{ "a letter", &PLAIN, { "-n", "5", "a" }, "a,-|5|-" },
	{ "a switch", &PLAIN, { "a", "--all" }, "a,-|-|--all" },
	{ "-- ends the options", &PLAIN, { "--", "--all" }, "--all,-|-|-" },
	{ "a dash alone is a word", &PLAIN, { "-" }, "-,-|-|-" },
	{ "a value may begin with a dash", &PLAIN, { "a", "--limit", "-3" }, "a,-|-3|-" },
	{ "L1 a missing word",
	  &PLAIN,
	  { NULL },
	  "error: ID is missing: perdure thing do ID [FILE]" },
	{ "L1 a word too many", &PLAIN, { "a", "b", "c" }, "error: 'c' is one argument too many" },
	{ "L1 an unknown option, nearly right",
	  &PLAIN,
	  { "a", "--limt", "5" },
	  "error: there is no option --limt; did you mean --limit?" },
	{ "L1 an unknown option",
	  &PLAIN,
	  { "a", "--zzzzzzz" },
	  "error: there is no option --zzzzzzz; see perdure thing do --help" },
	{ "L1 an option of clients is none of others",
	  &PLAIN,
	  { "a", "--server", "x" },
	  "error: there is no option --server" },
	{ "L1 twice", &PLAIN, { "a", "--all", "--all" }, "error: --all is given twice" },
	{ "L1 a switch takes no value", &PLAIN, { "a", "--all=1" }, "error: --all takes no value" },
	{ "L1 a value is missing",
	  &PLAIN,
	  { "a", "--limit" },
	  "error: --limit needs a value: --limit N" },
	{ "L1 a required option is missing",
	  &STRICT,
	  { "--json" },
	  "error: --session ID is missing; see perdure thing send --help" },
	{ "help wins over everything", &STRICT, { "--bogus", "-h" }, "help" },
	{ "but not behind --", &PLAIN, { "--", "--help" }, "--help,-|-|-" },
};

static const char *
or_dash(const char *text)
{
	return text ? text : "-";
}

static void
test_row(void **state)
{
	const struct row *row = *state;
	char *argv[8] = { 0 }, got[600];
	struct args a;
	struct err e;
	int argc = 0, rc;

	while (argc < 8 && row->argv[argc]) {
		argv[argc] = (char *)(uintptr_t)row->argv[argc];
		argc++;
	}
	rc = args_parse(row->command, argc, argv, &a, &e);
	if (rc != 0)
		snprintf(got, sizeof got, "error: %s", e.text);
	else if (a.help)
		snprintf(got, sizeof got, "help");
	else
		snprintf(got, sizeof got, "%s,%s|%s|%s", or_dash(args_word(&a, 0)),
			 or_dash(args_word(&a, 1)), or_dash(args_value(&a, "--limit")),
			 or_dash(args_value(&a, "--all")));
	if (rc != 0) {
		assert_int_equal(rc, ERR_USAGE);
		assert_int_equal(err_exit_code(rc), 2);
	}
	if (strncmp(row->want, "error", 5) == 0 ? strncmp(got, row->want, strlen(row->want)) != 0
						: strcmp(got, row->want) != 0)
		fail_msg("%s: got '%s'", row->name, got);
}

static void
test_numbers(void **state)
{
	char *good[] = { (char[]){ "a" }, (char[]){ "--limit=7" } };
	char *bad[] = { (char[]){ "a" }, (char[]){ "--limit=seven" } };
	char *none[] = { (char[]){ "a" } };
	struct args a;
	struct err e;
	int64_t n = 3;

	(void)state;
	assert_int_equal(args_parse(&PLAIN, 1, none, &a, &e), 0);
	assert_int_equal(args_int(&a, "--limit", 0, 10, &n, &e), 0);
	assert_int_equal(n, 3);
	assert_int_equal(args_parse(&PLAIN, 2, good, &a, &e), 0);
	assert_int_equal(args_int(&a, "--limit", 0, 10, &n, &e), 0);
	assert_int_equal(n, 7);
	assert_int_equal(args_int(&a, "--limit", 0, 6, &n, &e), ERR_USAGE);
	assert_int_equal(args_int(&a, "--limit", 8, 10, &n, &e), ERR_USAGE);
	assert_int_equal(args_parse(&PLAIN, 2, bad, &a, &e), 0);
	assert_int_equal(args_int(&a, "--limit", 0, 10, &n, &e), ERR_USAGE);
	assert_int_equal(n, 7);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, rows, test_row);
	SUITE_TEST(&s, test_numbers);
	return suite_run(&s, "args");
}

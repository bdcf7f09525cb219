#include "cli/cli.h"

#include <stdio.h>

#include "base/str.h"

static const struct command {
	const char *name, *summary;
	int (*run)(int argc, char **argv, struct err *e);
} COMMANDS[] = {
	{ "explain", "ask one decision of the product with facts of your own", cmd_explain },
};

static void
print_help(FILE *to)
{
	fputs("usage: perdure <command> [arguments]\n\n", to);
	for (size_t i = 0; i < ARRAY_LEN(COMMANDS); i++)
		fprintf(to, "  %-10s %s\n", COMMANDS[i].name, COMMANDS[i].summary);
	fputs("  --version  print the version\n\n"
	      "Each command explains itself with --help. Exit codes: 0 ok, 1 refused, 2 usage or\n"
	      "bad input, 3 the machine failed.\n",
	      to);
}

static const struct command *
command_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(COMMANDS); i++)
		if (str_eq(str_of(COMMANDS[i].name), str_of(name)))
			return &COMMANDS[i];
	return NULL;
}

int
cli_run(int argc, char **argv)
{
	const struct command *command;
	struct err e = { 0 };
	int rc;

	if (argc < 2) {
		print_help(stderr);
		return err_exit_code(ERR_USAGE);
	}
	if (str_eq(str_of(argv[1]), STR("--help")) || str_eq(str_of(argv[1]), STR("-h")) ||
	    str_eq(str_of(argv[1]), STR("help"))) {
		print_help(stdout);
		return 0;
	}
	if (str_eq(str_of(argv[1]), STR("--version"))) {
		puts("perdure " PERDURE_VERSION);
		return 0;
	}
	command = command_find(argv[1]);
	if (!command) {
		fprintf(stderr, "perdure: '%.40s' is not a command; see 'perdure --help'\n",
			argv[1]);
		return err_exit_code(ERR_USAGE);
	}
	rc = command->run(argc - 1, argv + 1, &e);
	if (rc != 0)
		fprintf(stderr, "perdure %s: %s\n", command->name, e.text);
	return err_exit_code(rc);
}

#include "cli/cli.h"

#include <stdio.h>

#include "base/str.h"

static const struct cli_command COMMANDS[] = {
	{ "explain", "ask one decision of the product with facts of your own", cmd_explain },
};

/* The cli's own commands and those of the program it is part of. */
struct commands {
	struct {
		const struct cli_command *ptr;
		size_t count;
	} tables[2];
};

static void
print_help(FILE *to, const struct commands *all)
{
	fputs("usage: perdure <command> [arguments]\n\n", to);
	for (size_t t = 0; t < ARRAY_LEN(all->tables); t++)
		for (size_t i = 0; i < all->tables[t].count; i++)
			fprintf(to, "  %-10s %s\n", all->tables[t].ptr[i].name,
				all->tables[t].ptr[i].summary);
	fputs("  --version  print the version\n\n"
	      "Each command explains itself with --help. Exit codes: 0 ok, 1 refused, 2 usage or\n"
	      "bad input, 3 the machine failed.\n",
	      to);
}

static const struct cli_command *
command_find(const struct commands *all, const char *name)
{
	for (size_t t = 0; t < ARRAY_LEN(all->tables); t++)
		for (size_t i = 0; i < all->tables[t].count; i++)
			if (str_eq(str_of(all->tables[t].ptr[i].name), str_of(name)))
				return &all->tables[t].ptr[i];
	return NULL;
}

int
cli_run(int argc, char **argv, const struct cli_command *more, size_t more_count)
{
	const struct commands all = {
		{ { COMMANDS, ARRAY_LEN(COMMANDS) }, { more, more_count } },
	};
	const struct cli_command *command;
	struct err e = { 0 };
	int rc;

	if (argc < 2) {
		print_help(stderr, &all);
		return err_exit_code(ERR_USAGE);
	}
	if (str_eq(str_of(argv[1]), STR("--help")) || str_eq(str_of(argv[1]), STR("-h")) ||
	    str_eq(str_of(argv[1]), STR("help"))) {
		print_help(stdout, &all);
		return 0;
	}
	if (str_eq(str_of(argv[1]), STR("--version"))) {
		puts("perdure " PERDURE_VERSION);
		return 0;
	}
	command = command_find(&all, argv[1]);
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

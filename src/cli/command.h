/* command - a row of the one table of commands: what it is called, takes and does. Parsing, --help,
 * the completion and the man page are made of it. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include "base/err.h"

enum { COMMAND_OPTIONS_MAX = 12 };

struct command_option {
	const char *name;  /* "--session"; NULL ends the list */
	const char *value; /* what it takes, "ID"; NULL: it is a switch */
	const char *help;
	char letter; /* 'm': also -m; 0: none */
	bool required;
};

struct cli_call;

struct command {
	const char *name;     /* words: "session list" */
	const char *args;     /* "ID [FILE]"; NULL: none */
	const char *summary;  /* a line, lower case, no full stop */
	const char *more;     /* sentences; NULL: none */
	const char *examples; /* lines; NULL: none */
	struct command_option options[COMMAND_OPTIONS_MAX];
	bool client; /* talks to a server: takes COMMAND_CLIENT_OPTIONS as well */
	int (*run)(struct cli_call *call, struct err *e);
	/* Instead of run: reads its arguments and its --help by itself; argv[0] is its last word. */
	int (*main)(int argc, char **argv, struct err *e);
};

/* The rows of the cli and those of the program that it is part of. */
struct command_table {
	struct {
		const struct command *ptr;
		size_t count;
	} parts[2];
};

extern const struct command_option COMMAND_CLIENT_OPTIONS[];

size_t command_count(const struct command_table *t);
const struct command *command_at(const struct command_table *t, size_t i);
/* The row whose words argv begins with, and how many words that are; NULL: none. A row with more
 * words wins. */
const struct command *
command_find(const struct command_table *t, int argc, char **argv, int *words);
/* True when some row's name begins with these words, and is longer: "session" or "agent session". */
bool command_is_group(const struct command_table *t, const char *words);
/* The option called so (with its dashes, long or short), of the row or of every client. */
const struct command_option *command_option_find(const struct command *c, const char *name);
/* for (size_t i = 0; (o = command_option_at(c, i)); i++)  the row's own first, then those of clients. */
const struct command_option *command_option_at(const struct command *c, size_t i);

/* args - what does this command line say, measured by its row of the table? */
#pragma once
#include <stdint.h>
#include "cli/command.h"

enum { ARGS_WORDS_MAX = 4, ARGS_OPTIONS_MAX = COMMAND_OPTIONS_MAX + 8 };

struct args {
	const struct command *command;
	const char *values[ARGS_OPTIONS_MAX]; /* by the place of the option; NULL: not given */
	const char *words[ARGS_WORDS_MAX];
	size_t word_count;
	bool help; /* --help or -h stands somewhere: nothing else was checked */
};

/* argv: what follows the command's words. --x V, --x=V, -m V; -- ends the options. Refused with
 * ERR_USAGE: unknown or repeated options (the nearest one is offered), missing or superfluous
 * arguments. */
NODISCARD int
args_parse(const struct command *c, int argc, char **argv, struct args *out, struct err *e);
/* The option must be one of the row's; NULL: not given. A switch that is given is not NULL. */
const char *args_value(const struct args *a, const char *name);
/* *out keeps its value when the option is not given. */
NODISCARD int args_int(const struct args *a, const char *name, int64_t min, int64_t max,
		       int64_t *out, struct err *e);
/* The nth argument that is no option; NULL: not given. */
const char *args_word(const struct args *a, size_t n);

#ifdef PERDURE_TEST_HOOKS
/* For a command that reads its arguments itself: takes the option that PERDURE_IGNORE names out of them,
 * with its value. The number of those left. */
int args_ignore(const struct command *c, int argc, char **argv);
#else
static inline int
args_ignore(const struct command *c, int argc, char **argv)
{
	(void)c, (void)argv;
	return argc;
}
#endif

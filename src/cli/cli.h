/* cli - the command table: name, what it does, its function. Each command lives in cmd_<name>.c. */
#pragma once
#include <stddef.h>
#include "base/err.h"

struct cli_command {
	const char *name, *summary;
	int (*run)(int argc, char **argv, struct err *e); /* argv[0] is the command's own name */
};

/* Runs the command named by argv[1], one of the cli's or of more; prints the error; returns the
 * process exit code. */
int cli_run(int argc, char **argv, const struct cli_command *more, size_t more_count);

/* The commands. */
int cmd_explain(int argc, char **argv, struct err *e);

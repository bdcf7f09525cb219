/* cli - the command line: finds the row that is meant, reads its arguments, runs it, prints the error
 * and turns it into the exit code. */
#pragma once
#include "cli/command.h"

/* more: rows of the program that the cli is part of. Returns the process's exit code. */
int cli_run(int argc, char **argv, const struct command *more, size_t more_count);

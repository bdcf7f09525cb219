/* cli - the command table: name, what it does, its function. Each command lives in cmd_<name>.c. */
#pragma once
#include "base/err.h"

/* Runs the command named by argv[1]; prints the error; returns the process exit code. */
int cli_run(int argc, char **argv);

/* The commands. argv[0] is the command's own name. */
int cmd_explain(int argc, char **argv, struct err *e);

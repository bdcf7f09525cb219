/* config_command - `perdure config check|show|keys`: is the file right, what is in force, what is there
 * to set? */
#pragma once
#include <stdio.h>
#include "base/err.h"

/* The command; argv[0] is its own name. ERR_INVALID after the problems went to standard error. */
NODISCARD int config_command_run(int argc, char **argv, struct err *e);
/* The same with streams of the caller's. */
NODISCARD int config_command(int argc, char **argv, FILE *out, FILE *problems, struct err *e);

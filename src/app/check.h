/* check - is the data in this directory whole? `perdure check [--data DIR] [--json]`
 * For a directory that no server holds: it takes the lock, reads the store through its port and
 * compares every projection with a replay of the log. It changes nothing. */
#pragma once
#include <stdbool.h>
#include <stdio.h>
#include "base/err.h"

/* The command; argv[0] is its own name. 0: all is well. ERR_MISMATCH: problems were found and printed.
 * ERR_USAGE; ERR_IO for whatever kept it from reading. */
NODISCARD int check_run(int argc, char **argv, struct err *e);

struct check_options {
	const char *directory;
	bool json;
};
/* The same with its output to a stream of the caller's. */
NODISCARD int check_directory(const struct check_options *o, FILE *out, struct err *e);

/* doctor - is this machine fit to run the server, and what is to be done where it is not?
 * `perdure doctor [--config FILE] [--data DIR] [--json]`. It only looks. */
#pragma once
#include <stdbool.h>
#include "app/doctor_report.h"
#include "base/err.h"

struct doctor_options {
	const char *config, *data; /* NULL: as the server would find them */
	bool json;
};
/* Runs every check; those that need a valid configuration are left out without one. */
void doctor_examine(const struct doctor_options *o, struct doctor_report *r);

/* The command; argv[0] is its own name. ERR_MISMATCH: something failed and was printed. ERR_USAGE. */
NODISCARD int doctor_run(int argc, char **argv, struct err *e);

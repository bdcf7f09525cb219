/* serve - `perdure serve`: runs the server until it is told to stop. */
#pragma once
#include "base/err.h"

/* The command; argv[0] is its own name. */
NODISCARD int serve_run(int argc, char **argv, struct err *e);

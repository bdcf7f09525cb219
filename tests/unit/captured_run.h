/* captured_run - a command of the program, run in this process, and what it printed. */
#pragma once
#include "cli/command.h"
#include "harness.h"

enum { CAPTURED_MAX = 64 * 1024 };

struct captured {
	int code; /* the exit code */
	char out[CAPTURED_MAX], err[CAPTURED_MAX];
};

/* words: separated by '|', without the program's own name. */
void
captured_run(const struct command *rows, size_t count, const char *words, struct captured *out);

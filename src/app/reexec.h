/* reexec - the program begins anew in its own process: same pid, same arguments, so that a terminal and a
 * service manager keep it. */
#pragma once
#include "base/err.h"

enum { REEXEC_PATH_BYTES = 4096 };

struct reexec {
	char program[REEXEC_PATH_BYTES]; /* from the root on */
	const char *name;                /* as it was called */
};

/* At the start, while the working directory and PATH are those that name was meant for. Symbolic links stay
 * links: whoever points one at another version means that one. */
void reexec_init(struct reexec *r, const char *name);
/* Is there still a program to begin anew with? */
NODISCARD int reexec_check(const struct reexec *r, struct err *e);
/* arguments: what follows the name, NULL behind the last. Closes all but stdin, stdout and stderr, and comes
 * back only with an error. */
NODISCARD int reexec_go(const struct reexec *r, char *const *arguments, struct err *e);

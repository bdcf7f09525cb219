/* sandbox - the command line of bubblewrap for one call: what it sees of this machine.
 *
 * Its own namespaces for users, processes, IPC, names, cgroups and, unless the network is granted,
 * the network. The system's programs and libraries to read, a few files of /etc that hold no
 * secrets, a private /tmp; the working directory at its own path, to write, to read, or an empty one
 * in its stead. No privileges, no way to gain any, no variable of the server's environment, nothing
 * of its data. It ends with whoever started it. */
#pragma once
#include "base/arena.h"
#include "base/err.h"
#include "tool/local/tool_job.h"

struct sandbox {
	const char *directory; /* the working directory, without links */
	const char *hidden;    /* the same of the server's data; NULL: none */
	const char *program;   /* our own: the helper inside */
};

/* ERR_DENIED for a directory that would show what must be hidden, and where that cannot be found any
 * more; ERR_NOT_FOUND for no directory. */
NODISCARD int sandbox_place(struct sandbox *s, const struct tool_job *job, const char *program,
			    struct arena *a, struct err *e);
/* The command line from "bwrap" on, ending with NULL. It runs the helper inside. */
const char *const *
sandbox_command(const struct sandbox *s, const struct tool_job *job, struct arena *a);

/* confine - a program that is not ours, such as an MCP server, in the sandbox of an environment, for as
 * long as the server lives.
 *
 * It runs as bash does in a call (sandbox, limits, the filter of system calls), with its pipes as they
 * are and without a limit of time. Where the environment has no sandbox it has at least no variable of
 * ours, and ends with us. When memory runs out it is ended before the server is. */
#pragma once
#include "net/child.h"
#include "tool/tool.h"

struct confine {
	const char *program; /* our own executable: an absolute path */
	const char *hidden;  /* the server's data; NULL: none */
};

/* What to start for argv at that place: texts in a. Errors as of sandbox_place. */
NODISCARD int
confine_command(const struct confine *c, const struct tool_place *place, const char *const *argv,
		struct arena *a, struct child_spec *out, struct err *e);
/* `perdure tool-helper confined open|closed COMMAND ARGS`: the step outside of a sandbox, or the one
 * inside; does not return, but for an exit code when the program cannot be started. */
int confine_main(int argc, char **argv);

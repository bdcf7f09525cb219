/* local - the tools that run on this machine: bash, read, write, edit, glob, grep, and the background
 * processes of bash.
 *
 * Each call is a helper process of its own, which puts the tool into the sandbox of the session's
 * environment (supervise, sandbox, inside); on the loop there are only pipes and timers. Where a call
 * cannot be isolated it is refused with the reason. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include "base/host.h"
#include "net/loop.h"
#include "tool/local/tool_job.h"
#include "tool/tool.h"

extern const struct tool_limits LOCAL_LIMITS; /* what holds unless the caller says otherwise */

/* What the operator allows. */
struct local_bounds {
	size_t processes; /* calls that run at once, background processes included; 0: any number */
	int64_t workspace_bytes; /* that a session's own folder holds; 0: any number */
};

struct local_config {
	struct loop *loop; /* all borrowed */
	struct host *host;
	const char *program;              /* our own executable: an absolute path */
	const char *data_directory;       /* no tool sees it; NULL: there is none */
	const struct tool_limits *limits; /* NULL: LOCAL_LIMITS */
	struct local_bounds bounds;
};

struct toolset *local_tools_new(const struct local_config *config);
/* For what begins from now on. t: of local_tools_new. */
void local_tools_reload(struct toolset *t, const struct local_bounds *bounds);

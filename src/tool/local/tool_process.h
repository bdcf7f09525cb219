/* tool_process - the process of a call, seen from its supervisor: bubblewrap with the tool in it, or
 * the tool alone where the sandbox is off. */
#pragma once
#include <sys/types.h>
#include "base/arena.h"
#include "base/err.h"
#include "tool/local/cgroup.h"
#include "tool/local/sandbox.h"
#include "tool/local/tool_job.h"

struct tool_process {
	pid_t pid;
	int output, errors; /* pipes that do not block; -1: closed */
};

/* It leads a session of its own, ends with the calling process, and is in the group from its
 * beginning, if there is one. A program that cannot be run is told on its error pipe. */
NODISCARD int tool_process_start(struct tool_process *out, const struct sandbox *place,
				 const struct tool_job *job, const struct cgroup *group,
				 struct arena *a, struct err *e);

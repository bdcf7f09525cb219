/* tool_job - what the server hands to the helper that carries out one call: written as one JSON
 * object on its standard input, read by the supervisor and again by what runs inside. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "tool/local/tool_args.h"
#include "tool/tool.h"

enum { TOOL_JOB_BYTES = 16 * 1024 * 1024 };

struct tool_limits {
	int64_t output_bytes; /* of a call's output: what exceeds it loses its middle */
	int64_t processes;    /* and threads, at the same time */
	int64_t memory_bytes; /* of one process; of all of them where there are cgroups */
	int64_t file_bytes;   /* of one file that is written; 0: none may grow */
	int64_t cpu_seconds;  /* of one process */
};

struct tool_job {
	struct str tool;      /* its name */
	struct str arguments; /* JSON object */
	struct str directory; /* absolute */
	struct str hidden;    /* the server's own data: never seen; may be empty */
	bool sandboxed, network, background;
	enum tool_access access;
	int64_t timeout_ms;
	int64_t parent;          /* the server's pid: whose end is the call's */
	int64_t workspace_bytes; /* of the directory; 0: it is not measured */
	struct tool_limits limits;
};

void tool_job_write(struct buf *out, const struct tool_job *job);
/* Checked as a peer's text would be. Views of text, and of a. */
NODISCARD int tool_job_parse(struct arena *a, struct str text, struct tool_job *out, struct err *e);
/* The same, and the arguments of its tool. */
NODISCARD int
tool_job_args(struct arena *a, const struct tool_job *job, struct tool_args *out, struct err *e);

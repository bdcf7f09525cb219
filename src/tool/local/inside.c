#include "tool/local/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "tool/local/file_tool.h"
#include "tool/local/process_limit.h"
#include "tool/local/syscall_filter.h"
#include "tool/local/tool_job.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

typedef int
tool_fn(const struct beneath *b, const struct tool_args *args, struct buf *out, struct err *e);

static int
not_run(const struct err *e)
{
	IGNORE(write(STDERR_FILENO, e->text, strlen(e->text))); /* nobody hears it: nothing to do */
	return INSIDE_NOT_RUN;
}

/* ---- limits ---- */

static void
put_limits(const struct tool_job *job)
{
	process_limit_lower(RLIMIT_CORE, 0);
	process_limit_lower(RLIMIT_FSIZE, job->limits.file_bytes);
	if (job->limits.file_bytes == 0) /* programs shall say what is wrong, not die of it */
		signal(SIGXFSZ, SIG_IGN);
	process_limit_lower(RLIMIT_CPU, job->limits.cpu_seconds);
	process_limit_lower(RLIMIT_NOFILE, PROCESS_LIMIT_FILES);
	if (job->sandboxed) /* outside it would count everything that this user runs */
		process_limit_lower(RLIMIT_NPROC, job->limits.processes);
	if (!SANITIZED) /* a sanitizer's shadow is larger than any limit */
		process_limit_lower(RLIMIT_DATA, job->limits.memory_bytes);
}

/* ---- tools ---- */

/* In the sandbox the mounts see to it. */
static int
check_access(const struct tool_job *job, enum local_tool tool, struct err *e)
{
	bool writes = tool == LOCAL_WRITE || tool == LOCAL_EDIT;

	if (job->sandboxed || job->access == TOOL_ACCESS_WRITE ||
	    (job->access == TOOL_ACCESS_READ && !writes))
		return 0;
	return err_set(e, ERR_DENIED, "the environment's workspace_access is %s",
		       job->access == TOOL_ACCESS_READ ? "ro" : "none");
}

static tool_fn *
file_tool(enum local_tool tool)
{
	switch (tool) {
	case LOCAL_READ: return read_tool;
	case LOCAL_WRITE: return write_tool;
	case LOCAL_EDIT: return edit_tool;
	case LOCAL_GLOB: return glob_tool;
	case LOCAL_GREP: return grep_tool;
	case LOCAL_BASH:
	case LOCAL_PROCESS_LIST:
	case LOCAL_PROCESS_OUTPUT:
	case LOCAL_PROCESS_KILL:
	case LOCAL_TOOLS: break;
	}
	return NULL;
}

static int
run_file_tool(tool_fn *fn, const struct tool_job *job, const struct tool_args *args,
	      struct arena *a)
{
	struct beneath b;
	struct buf out;
	struct err e;
	int rc = check_access(job, args->tool, &e);

	buf_init(&out, (size_t)job->limits.output_bytes);
	if (rc == 0)
		rc = beneath_init(&b, job->directory, job->hidden, a, &e);
	if (rc == 0) {
		rc = fn(&b, args, &out, &e);
		beneath_release(&b);
	}
	if (rc == 0)
		rc = buf_check(&out, "the answer", &e);
	rc = file_write_fd(STDOUT_FILENO, rc == 0 ? buf_str(&out) : str_of(e.text)) == 0 && rc == 0
		     ? 0
		     : 1;
	buf_release(&out);
	return rc;
}

static int
run_shell(const struct tool_job *job, const struct tool_args *args, struct arena *a)
{
	char *command = (char *)(uintptr_t)arena_str(a, args->command).ptr;
	char *const argv[] = { "bash", "-c", command, NULL };
	static const char GONE[] = "there is neither bash nor sh here\n";

	process_limit_lower(RLIMIT_DATA, job->limits.memory_bytes); /* ours may have been without */
	execv("/bin/bash", argv);
	execvp("bash", argv);
	execv("/bin/sh", (char *const[]){ "sh", "-c", command, NULL });
	IGNORE(file_write_fd(STDOUT_FILENO, STR("cannot start a shell: ")));
	IGNORE(file_write_fd(STDOUT_FILENO, str_of(GONE)));
	return 127;
}

/* ---- the way there ---- */

static int
load(struct arena *a, struct tool_job *job, struct tool_args *args, struct err *e)
{
	struct str text;
	int rc = file_read_fd(STDIN_FILENO, "the job", TOOL_JOB_BYTES, a, &text, e);

	if (rc == 0)
		rc = tool_job_parse(a, text, job, e);
	if (rc == 0)
		rc = tool_job_args(a, job, args, e);
	if (rc == 0 && chdir(arena_str(a, job->directory).ptr) != 0)
		rc = err_set(e, ERR_NOT_FOUND, "the working directory " STR_FMT ": %s",
			     STR_ARG(job->directory), strerror(errno));
	return rc;
}

static int
begin(struct err *e)
{
	static const char READY[] = { INSIDE_READY };
	int nothing = open("/dev/null", O_RDONLY);

	if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0)
		return err_set(e, ERR_IO, "cannot open /dev/null: %s", strerror(errno));
	if (nothing != STDIN_FILENO)
		close(nothing);
	umask(022);
	if (write(STDERR_FILENO, READY, sizeof READY) != sizeof READY ||
	    dup2(STDOUT_FILENO, STDERR_FILENO) < 0)
		return err_set(e, ERR_IO, "the tool's pipes are gone: %s", strerror(errno));
	return 0;
}

int
inside_main(void)
{
	struct tool_args args = { 0 };
	struct tool_job job = { 0 };
	struct arena a;
	struct err e;
	tool_fn *fn = NULL;
	int code;

	arena_init(&a);
	if (load(&a, &job, &args, &e) != 0) {
		code = not_run(&e);
		goto out;
	}
	fn = file_tool(args.tool);
	put_limits(&job);
	if ((job.sandboxed && syscall_filter_load(fn != NULL, &e) != 0) || begin(&e) != 0) {
		code = not_run(&e);
		goto out;
	}
	code = fn ? run_file_tool(fn, &job, &args, &a) : run_shell(&job, &args, &a);
out:
	arena_release(&a);
	return code;
}

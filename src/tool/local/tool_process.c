#include "tool/local/tool_process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "tool/local/inside.h"
#include "tool/local/process_limit.h"

enum { NO_PROGRAM = 127 };

struct ends { /* the child's */
	int job, output, errors;
};

/* The job again, for the part inside: a file that is gone when it is closed. */
static int
job_file(const struct tool_job *job)
{
	int fd = memfd_create("job", MFD_CLOEXEC);
	struct buf text;
	bool done;

	buf_init(&text, TOOL_JOB_BYTES);
	tool_job_write(&text, job);
	done = fd >= 0 && !text.overflow && write(fd, text.ptr, text.len) == (ssize_t)text.len &&
	       lseek(fd, 0, SEEK_SET) == 0;
	buf_release(&text);
	if (!done && fd >= 0)
		close(fd);
	return done ? fd : -1;
}

static NORETURN void
become(const char *const *argv, const struct cgroup *group, const struct ends *ends)
{
	sigset_t none;

	setsid(); /* signals for the supervisor's group are not for the tool */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	process_limit_yield_memory();
	if (group->path && !cgroup_join(group)) {
		dprintf(ends->errors, "cannot join %s: %s", group->path, strerror(errno));
		_exit(INSIDE_NOT_RUN);
	}
	if (dup2(ends->job, STDIN_FILENO) >= 0 && dup2(ends->output, STDOUT_FILENO) >= 0 &&
	    dup2(ends->errors, STDERR_FILENO) >= 0)
		execvp(argv[0], (char *const *)(uintptr_t)argv);
	dprintf(STDERR_FILENO, "cannot start %s: %s", argv[0], strerror(errno));
	_exit(NO_PROGRAM);
}

static void
close_pair(int pair[2])
{
	for (int i = 0; i < 2; i++)
		if (pair[i] >= 0)
			close(pair[i]);
}

int
tool_process_start(struct tool_process *out, const struct sandbox *place,
		   const struct tool_job *job, const struct cgroup *group, struct arena *a,
		   struct err *e)
{
	const char *const bare[] = { place->program, "tool-helper", "inside", NULL };
	const char *const *argv = job->sandboxed ? sandbox_command(place, job, a) : bare;
	int output[2] = { -1, -1 }, errors[2] = { -1, -1 }, text = job_file(job);
	pid_t pid = -1;
	int failed;

	if (text >= 0 && pipe2(output, O_CLOEXEC) == 0 && pipe2(errors, O_CLOEXEC) == 0)
		pid = fork();
	failed = errno;
	if (pid == 0)
		become(argv, group, &(struct ends){ text, output[1], errors[1] });
	if (text >= 0)
		close(text);
	if (pid < 0) {
		close_pair(output);
		close_pair(errors);
		return err_set(e, ERR_IO, "cannot start a process for it: %s", strerror(failed));
	}
	close(output[1]);
	close(errors[1]);
	fcntl(output[0], F_SETFL, O_NONBLOCK);
	fcntl(errors[0], F_SETFL, O_NONBLOCK);
	*out = (struct tool_process){ pid, output[0], errors[0] };
	return 0;
}

#include "tool/local/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "tool/local/descendants.h"
#include "tool/local/process_limit.h"

enum { END_MS = 10000, FIRST_ARGUMENT = 3 };

/* A signal that the program died of is ours as well. */
static int
end_by(int signal_number)
{
	sigset_t set;

	process_limit_lower(RLIMIT_CORE, 0); /* whose core it would be is not us */
	signal(signal_number, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, signal_number);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(signal_number);
	return 128 + signal_number;
}

static NORETURN void
become(char **argv, const sigset_t *signals, int told)
{
	setsid(); /* signals for the guard are not for the program */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sigprocmask(SIG_SETMASK, signals, NULL);
	execv(argv[FIRST_ARGUMENT - 1], argv + FIRST_ARGUMENT);
	IGNORE(write(told, &errno, sizeof errno)); /* nobody hears it: nothing to do */
	_exit(1);
}

/* What the pipes say, and when they end, is the program's alone. */
static void
let_pipes_go(void)
{
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int fd = STDIN_FILENO; nothing >= 0 && fd <= STDERR_FILENO; fd++)
		IGNORE(dup2(nothing, fd)); /* then it stays open until we end */
}

/* False: it was started; true: why not is in *why. */
static bool
has_failed(int told, int *why)
{
	ssize_t got;

	do
		got = read(told, why, sizeof *why);
	while (got < 0 && errno == EINTR);
	return got == sizeof *why;
}

/* True: the program ended, as *status says. False: somebody wants it to. */
static bool
await(pid_t pid, const sigset_t *signals, int *status)
{
	siginfo_t info;

	for (;;) {
		pid_t gone;
		int how;

		if (sigwaitinfo(signals, &info) < 0)
			continue;
		if (info.si_signo != SIGCHLD)
			return false;
		while ((gone = waitpid(-1, &how, WNOHANG)) > 0) {
			if (gone != pid)
				continue; /* an orphan that came to us */
			*status = how;
			return true;
		}
	}
}

static int
watch(pid_t pid, const sigset_t *signals)
{
	int status = 0;
	bool ended;

	let_pipes_go();
	ended = await(pid, signals, &status);
	descendants_end(END_MS);
	if (!ended)
		return end_by(SIGKILL);
	return WIFSIGNALED(status) ? end_by(WTERMSIG(status)) : WEXITSTATUS(status);
}

int
guard_main(int argc, char **argv)
{
	sigset_t ours, theirs;
	int told[2], why = 0;
	pid_t pid = -1;

	if (argc <= FIRST_ARGUMENT) {
		fputs("perdure: tool-helper guard takes a process id, a path and a command\n",
		      stderr);
		return 2;
	}
	sigemptyset(&ours);
	sigaddset(&ours, SIGTERM);
	sigaddset(&ours, SIGINT);
	sigaddset(&ours, SIGHUP);
	sigaddset(&ours, SIGCHLD);
	sigprocmask(SIG_BLOCK, &ours, &theirs);
	if (prctl(PR_SET_PDEATHSIG, SIGTERM) == 0 && prctl(PR_SET_CHILD_SUBREAPER, 1) == 0 &&
	    pipe2(told, O_CLOEXEC) == 0)
		pid = fork();
	if (pid == 0)
		become(argv, &theirs, told[1]);
	why = errno;
	if (pid > 0) {
		close(told[1]);
		if (getppid() !=
		    strtol(argv[1], NULL, 10)) /* the server ended before we asked to hear of it */
			kill(getpid(), SIGTERM);
		if (!has_failed(told[0], &why))
			return watch(pid, &ours);
	}
	fprintf(stderr, "cannot start %s: %s\n", argv[FIRST_ARGUMENT], strerror(why));
	return end_by(GUARD_NOT_STARTED);
}

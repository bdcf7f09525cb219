#include "tool/local/syscall_filter.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"

static long
try_unshare(void)
{
	return unshare(CLONE_NEWUSER);
}
static long
try_ptrace(void)
{
	return syscall(SYS_ptrace, 0, 0, 0, 0);
}
static long
try_keyctl(void)
{
	return syscall(SYS_keyctl, 0, 0, 0);
}
static long
try_clone3(void)
{
	return syscall(SYS_clone3, NULL, 0);
}
static long
try_openat2(void)
{
	return syscall(SYS_openat2, AT_FDCWD, "/", NULL, 0);
}
static long
try_set_uid(void)
{
	return fchmod(STDIN_FILENO, 04755);
}
static long
try_vsock(void)
{
	return socket(AF_VSOCK, SOCK_STREAM, 0);
}
static long
try_unix(void)
{
	return socket(AF_UNIX, SOCK_STREAM, 0);
}
static long
try_fork(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	return pid > 0 ? waitpid(pid, NULL, 0) : -1;
}

static const struct {
	const char *name;
	long (*attempt)(void);
	bool trusted;
	int want; /* errno; 0: it is done */
} ROWS[] = {
	{ "T12 a new user namespace", try_unshare, true, EPERM },
	{ "T12 another process's memory", try_ptrace, false, EPERM },
	{ "T12 the kernel's keys", try_keyctl, false, EPERM },
	{ "T12 a call whose flags cannot be seen", try_clone3, false, ENOSYS },
	{ "T12 a call whose mode cannot be seen", try_openat2, false, ENOSYS },
	{ "T12 our own may have that one", try_openat2, true, EINVAL },
	{ "T12 a set-uid file", try_set_uid, true, EPERM },
	{ "T12 a socket of no namespace", try_vsock, false, EAFNOSUPPORT },
	{ "T12 an ordinary socket", try_unix, false, 0 },
	{ "T12 an ordinary child", try_fork, false, 0 },
};

static void
test_row(void **state)
{
	const __typeof__(*ROWS) *row = *state;
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		struct err e;

		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
		if (syscall_filter_load(row->trusted, &e) != 0)
			_exit(255);
		_exit(row->attempt() < 0 ? errno : 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), row->want);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, test_row);
	return suite_run(&s, "tool/local/syscall_filter");
}

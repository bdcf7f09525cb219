#include "store/sqlite/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/str.h"

enum { PATH_BYTES = 4096, PID_BYTES = 32, ORPHAN_TRIES = 300 };
static const struct timespec ORPHAN_NAP = { .tv_nsec = 10 * 1000 * 1000 };
static const char NAME[] = "perdure.lock";

/* Who says to hold it: what stands in the file, or 0 when it was just being written. */
static int64_t
holder_of(int fd)
{
	char text[PID_BYTES];
	ssize_t len = pread(fd, text, sizeof text, 0);
	int64_t pid = 0;

	if (len <= 0 || !str_to_int(str_trim((struct str){ text, (size_t)len }), &pid))
		return 0;
	return pid;
}

/* Only for the message of a second opener: failing to write it fails nothing. */
static void
leave_pid(int fd)
{
	char text[PID_BYTES];
	int len = snprintf(text, sizeof text, "%lld\n", (long long)getpid());

	if (ftruncate(fd, 0) == 0)
		IGNORE(pwrite(fd, text, (size_t)len, 0));
}

/* A process that was killed right after it forked leaves the lock to its child until that executes its
 * program. That is soon over, and no reason to refuse the next start. */
static bool
is_orphaned(int fd)
{
	int64_t pid = holder_of(fd);

	return pid > 0 && kill((pid_t)pid, 0) != 0 && errno == ESRCH;
}

/* 0, or -1 with errno. */
static int
try_lock(int fd)
{
	int rc = flock(fd, LOCK_EX | LOCK_NB);

	for (int i = 0; rc != 0 && errno == EWOULDBLOCK && i < ORPHAN_TRIES; i++) {
		if (!is_orphaned(fd)) {
			errno = EWOULDBLOCK;
			break;
		}
		nanosleep(&ORPHAN_NAP, NULL);
		rc = flock(fd, LOCK_EX | LOCK_NB);
	}
	return rc;
}

int
lock_take(struct lock *l, const char *directory, struct err *e)
{
	char path[PATH_BYTES];
	int64_t pid;
	int fd;

	l->fd = -1;
	if ((size_t)snprintf(path, sizeof path, "%s/%s", directory, NAME) >= sizeof path)
		return err_set(e, ERR_INVALID, "the data directory's path is too long");
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_set(e, ERR_IO, "%s: %s", path, strerror(errno));
	if (try_lock(fd) == 0) {
		leave_pid(fd);
		l->fd = fd;
		return 0;
	}
	if (errno != EWOULDBLOCK) {
		IGNORE(err_set(e, ERR_IO, "%s: %s", path, strerror(errno)));
		close(fd);
		return ERR_IO;
	}
	pid = holder_of(fd);
	close(fd);
	if (pid > 0)
		return err_set(e, ERR_CONFLICT,
			       "the data directory %s is held by pid %lld: stop that server, "
			       "or choose another directory",
			       directory, (long long)pid);
	return err_set(e, ERR_CONFLICT,
		       "the data directory %s is held by another process: stop that server, or "
		       "choose another "
		       "directory",
		       directory);
}

void
lock_release(struct lock *l)
{
	if (l->fd >= 0)
		close(l->fd);
	l->fd = -1;
}

int
lock_holder(const char *directory, int64_t *pid, struct err *e)
{
	char path[PATH_BYTES];
	int fd, why, rc = 0;

	if ((size_t)snprintf(path, sizeof path, "%s/%s", directory, NAME) >= sizeof path)
		return err_set(e, ERR_INVALID, "the data directory's path is too long");
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 && errno != ENOENT)
		return err_set(e, ERR_IO, "%s: %s", path, strerror(errno));
	why = fd < 0 || flock(fd, LOCK_SH | LOCK_NB) == 0 ? 0 : errno;
	if (why == 0) {
		*pid = 0;
	} else if (why == EWOULDBLOCK) {
		int64_t said = holder_of(fd);
		*pid = said > 0 ? said : -1;
	} else {
		rc = err_set(e, ERR_IO, "%s: %s", path, strerror(why));
	}
	if (fd >= 0)
		close(fd);
	return rc;
}

#include "app/clean_marker.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = 4096 };

static int
marker_path(const char *directory, char out[PATH_BYTES], struct err *e)
{
	if (snprintf(out, PATH_BYTES, "%s/.clean_shutdown", directory) >= PATH_BYTES)
		return err_set(e, ERR_INVALID, "the data directory's name is too long");
	return 0;
}

static int
fail_io(struct err *e, const char *what, const char *path)
{
	return err_set(e, errno == ENOSPC ? ERR_NO_SPACE : ERR_IO, "cannot %s %s: %s", what, path,
		       strerror(errno));
}

/* The directory itself: a marker that comes back after a power cut would call a crash clean. */
static int
sync_directory(const char *directory, struct err *e)
{
	int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int rc = 0;

	if (fd < 0 || fsync(fd) != 0)
		rc = fail_io(e, "sync", directory);
	if (fd >= 0)
		close(fd);
	return rc;
}

int
clean_marker_take(const char *directory, bool *was_there, struct err *e)
{
	char path[PATH_BYTES];
	int rc = marker_path(directory, path, e);

	*was_there = false;
	if (rc != 0)
		return rc;
	if (unlink(path) != 0)
		return errno == ENOENT ? 0 : fail_io(e, "remove", path);
	*was_there = true;
	return sync_directory(directory, e);
}

int
clean_marker_leave(const char *directory, struct err *e)
{
	char path[PATH_BYTES];
	int rc = marker_path(directory, path, e);
	int fd;

	if (rc != 0)
		return rc;
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		return fail_io(e, "write", path);
	close(fd); /* it has no bytes that could be lost */
	return sync_directory(directory, e);
}

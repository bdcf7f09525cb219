#include "app/folder_remove.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_BYTES = 4096, NAME_BYTES = 32 };

/* Folders inside of folders are moved up to the top one before they are emptied, so that two open folders
 * are enough however deep it goes. */
struct removal {
	int top;
	unsigned long moved; /* makes their names there */
	bool (*stop)(void *ctx);
	void *ctx;
};

/* By what was opened, never by its name: a link is not followed. */
static int
folder_open(int at, const char *name)
{
	char self[NAME_BYTES];
	int place = openat(at, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int fd;

	if (place < 0)
		return -1;
	snprintf(self, sizeof self, "/proc/self/fd/%d", place);
	IGNORE(chmod(self, 0700)); /* if it is not ours, opening says so */
	fd = openat(place, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	close(place);
	return fd;
}

static int
folder_move_up(struct removal *r, int from, const char *name)
{
	char to[NAME_BYTES];
	int inside = folder_open(from, name); /* gives the right to move it */
	int rc;

	if (inside >= 0)
		close(inside);
	do {
		snprintf(to, sizeof to, ".removed-%lu", ++r->moved);
		rc = renameat2(from, name, r->top, to, RENAME_NOREPLACE);
	} while (rc != 0 && errno == EEXIST);
	return rc;
}

static int folder_empty(struct removal *r, int fd, bool is_top);

static int
folder_remove_name(struct removal *r, int at, const char *name, bool in_top)
{
	int fd, rc;

	if (unlinkat(at, name, 0) == 0 || errno == ENOENT)
		return 0;
	if (errno != EISDIR)
		return -1;
	if (!in_top)
		return folder_move_up(r, at, name);
	fd = folder_open(at, name);
	rc = fd < 0 ? -1 : folder_empty(r, fd, false);
	return rc == 0 ? unlinkat(at, name, AT_REMOVEDIR) : rc;
}

/* Closes fd. -1 with errno; ECANCELED: told to stop. */
static int
folder_empty(struct removal *r, int fd, bool is_top)
{
	DIR *dir = fdopendir(fd);
	struct dirent *entry;
	int rc = 0, why = 0;

	if (!dir) {
		close(fd);
		return -1;
	}
	while (rc == 0 && (entry = readdir(dir))) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		errno = ECANCELED;
		rc = r->stop(r->ctx) ? -1 : folder_remove_name(r, fd, entry->d_name, is_top);
		why = errno;
	}
	closedir(dir);
	errno = why;
	return rc;
}

/* What was moved up while the top was read may have been missed: again, until nothing was moved. */
static int
folder_empty_top(struct removal *r)
{
	unsigned long before;
	int rc, fd;

	do {
		before = r->moved;
		fd = openat(r->top, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		rc = fd < 0 ? -1 : folder_empty(r, fd, true);
	} while (rc == 0 && r->moved != before);
	return rc;
}

int
folder_remove(struct str path, bool (*stop)(void *ctx), void *ctx, struct err *e)
{
	struct removal r = { .stop = stop, .ctx = ctx };
	char text[PATH_BYTES];
	int rc, why;

	while (path.len > 1 && path.ptr[path.len - 1] == '/') /* it would follow a link */
		path.len--;
	if (path.len >= sizeof text)
		return err_set(e, ERR_INVALID, "the folder's path is too long");
	memcpy(text, path.ptr, path.len);
	text[path.len] = '\0';
	r.top = folder_open(AT_FDCWD, text);
	if (r.top < 0 && errno == ENOENT)
		return 0;
	rc = r.top < 0 ? -1 : folder_empty_top(&r);
	why = errno;
	if (r.top >= 0)
		close(r.top);
	if (rc == 0 && (rc = rmdir(text)) != 0)
		why = errno;
	if (rc != 0 && why == ECANCELED)
		return err_set(e, ERR_UNAVAILABLE, "the server ends");
	return rc == 0 ? 0 : err_set(e, ERR_IO, "cannot remove %s: %s", text, strerror(why));
}

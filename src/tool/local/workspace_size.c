#include "tool/local/workspace_size.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/xalloc.h"

enum { BLOCK = 512, LEAST = 4096, FOLDERS_MAX = 200000, SHOWN = 80 };

static void
fail(struct workspace_size *s, const char *path, const char *why)
{
	size_t len = strlen(path);

	snprintf(s->problem, sizeof s->problem, "%.*s%s: %s", SHOWN, *path ? path : ".",
		 len > SHOWN ? "..." : "", why);
}

void
workspace_size_init(struct workspace_size *s, const char *directory)
{
	*s = (struct workspace_size){ .fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC) };
	if (s->fd < 0)
		fail(s, directory, strerror(errno));
	else
		*vec_push(&s->folders) = xstrdup("");
}

static void
leave_folder(struct workspace_size *s)
{
	if (s->dir)
		closedir(s->dir);
	s->dir = NULL;
	free(s->path);
	s->path = NULL;
}

void
workspace_size_release(struct workspace_size *s)
{
	leave_folder(s);
	for (size_t i = 0; i < s->folders.len; i++)
		free(s->folders.ptr[i]);
	vec_release(&s->folders);
	if (s->fd >= 0)
		close(s->fd);
	*s = (struct workspace_size){ .fd = -1 };
}

/* From the top each time: a folder that became a link in between leads nowhere. */
static int
open_folder(const struct workspace_size *s, const char *path)
{
	struct open_how how = {
		.flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV,
	};

	return (int)syscall(SYS_openat2, s->fd, *path ? path : ".", &how, sizeof how);
}

/* Taken away or turned into something else meanwhile, or a file system of its own. */
static bool
may_be_left_out(int number)
{
	return number == ENOENT || number == ENOTDIR || number == ELOOP || number == EXDEV;
}

static void
enter_folder(struct workspace_size *s)
{
	int fd;

	s->path = s->folders.ptr[--s->folders.len];
	do
		fd = open_folder(s, s->path);
	while (fd < 0 && errno == EAGAIN); /* something was renamed: the kernel cannot tell */
	s->dir = fd >= 0 ? fdopendir(fd) : NULL;
	if (s->dir)
		return;
	if (fd >= 0)
		close(fd);
	if (!may_be_left_out(errno))
		fail(s, s->path, strerror(errno));
	leave_folder(s);
}

static void
add_folder(struct workspace_size *s, const char *name)
{
	size_t size = strlen(s->path) + strlen(name) + 2;
	char *path;

	if (s->folders.len == FOLDERS_MAX) {
		fail(s, s->path, "too many folders");
		return;
	}
	path = xmalloc(size);
	snprintf(path, size, "%s%s%s", s->path, *s->path ? "/" : "", name);
	*vec_push(&s->folders) = path;
}

static void
add_entry(struct workspace_size *s, const char *name)
{
	struct stat st;
	int64_t bytes;

	if (fstatat(dirfd(s->dir), name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return; /* gone again */
	bytes = (int64_t)st.st_blocks * BLOCK;
	if (bytes < LEAST)
		bytes = LEAST;
	if (S_ISDIR(st.st_mode))
		add_folder(s, name);
	else if (st.st_nlink > 1)
		bytes /= (int64_t)st.st_nlink;
	s->bytes += bytes;
}

bool
workspace_size_step(struct workspace_size *s, unsigned entries)
{
	struct dirent *d;

	while (entries > 0 && s->problem[0] == '\0') {
		if (!s->dir && s->folders.len == 0)
			return true;
		if (!s->dir)
			enter_folder(s);
		d = s->dir ? readdir(s->dir) : NULL;
		entries--;
		if (!d)
			leave_folder(s);
		else if (strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0)
			add_entry(s, d->d_name);
	}
	return s->problem[0] != '\0';
}

#include "tool/local/beneath.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file.h"

enum { RACE_TRIES = 16 };

int
beneath_fail(struct err *e, const char *what, struct str path, int number)
{
	const char *hint = "";
	int code = ERR_IO;

	switch (number) {
	case ENOENT:
	case ENOTDIR: code = ERR_NOT_FOUND; break;
	case EXDEV:
		return err_set(e, ERR_DENIED,
			       "cannot %s " STR_FMT ": it is outside the working directory", what,
			       STR_ARG(path));
	case ELOOP:
		return err_set(e, ERR_DENIED,
			       "cannot %s " STR_FMT ": its links lead out of the working directory "
			       "or in a circle",
			       what, STR_ARG(path));
	case EROFS:
		code = ERR_DENIED;
		hint = " (the environment's workspace_access is ro)";
		break;
	case EACCES:
	case EPERM: code = ERR_DENIED; break;
	case ENOSPC:
	case EDQUOT: code = ERR_NO_SPACE; break;
	case EFBIG: code = ERR_TOO_LARGE; break;
	case ENOSYS: hint = " (the kernel is older than 5.6 and has no openat2)"; break;
	default: break;
	}
	return err_set(e, code, "cannot %s " STR_FMT ": %s%s", what, STR_ARG(path),
		       strerror(number), hint);
}

/* -errno or a descriptor. */
static int
resolve(int fd, const char *path, int flags)
{
	struct open_how how = {
		.flags = (unsigned)flags | O_CLOEXEC,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS,
	};
	long got = -1;

	/* EAGAIN: something was renamed meanwhile, and the kernel cannot say that it did not escape. */
	for (int i = 0; i < RACE_TRIES; i++) {
		got = syscall(SYS_openat2, fd, path, &how, sizeof how);
		if (got >= 0 || errno != EAGAIN)
			break;
	}
	return got >= 0 ? (int)got : -errno;
}

static bool
cut_prefix(struct str path, struct str folder, struct str *rest)
{
	if (!str_starts(path, folder))
		return false;
	/* Only the root ends with a slash. */
	if (path.len > folder.len && path.ptr[folder.len] != '/' && !str_ends(folder, STR("/")))
		return false;
	*rest = str_slice(path, folder.len, path.len);
	while (str_starts(*rest, STR("/")))
		*rest = str_slice(*rest, 1, rest->len);
	if (str_is_empty(*rest))
		*rest = STR(".");
	return true;
}

static struct str
without_end_slashes(struct str path)
{
	while (path.len > 1 && path.ptr[path.len - 1] == '/')
		path.len--;
	return path;
}

bool
beneath_where(const struct beneath *b, int fd, struct str *out)
{
	char link[64], target[PATH_MAX];
	ssize_t len;

	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	len = readlink(link, target, sizeof target);
	return len > 0 && (size_t)len < sizeof target &&
	       cut_prefix(arena_str(b->arena, (struct str){ target, (size_t)len }), b->real, out);
}

bool
beneath_is_hidden(const struct beneath *b, struct str relative)
{
	struct str whole = arena_printf(b->arena, STR_FMT "%s" STR_FMT, STR_ARG(b->real),
					str_ends(b->real, STR("/")) ? "" : "/", STR_ARG(relative));
	struct str rest;

	return b->hidden.len > 0 && cut_prefix(whole, b->hidden, &rest);
}

/* The server's own data is treated as if it were not there, unless the directory itself lies in it. */
static bool
is_secret(const struct beneath *b, int fd)
{
	struct str where;

	return !beneath_where(b, fd, &where) || beneath_is_hidden(b, where);
}

int
beneath_init(struct beneath *b, struct str directory, struct str hidden, struct arena *a,
	     struct err *e)
{
	struct str rest;
	int failed;

	*b = (struct beneath){ .fd = -1, .arena = a, .given = without_end_slashes(directory) };
	failed = file_real_path(directory, a, &b->real);
	if (failed != 0)
		return beneath_fail(e, "use the working directory", directory, failed);
	/* Inside the sandbox it is not to be found, or an empty place. A session's own folder lies
	 * below the data: there nothing else can be reached. */
	if (hidden.len > 0 && file_real_path(hidden, a, &b->hidden) != 0)
		b->hidden = STR("");
	if (cut_prefix(b->real, b->hidden, &rest))
		b->hidden = STR("");
	b->fd = open(b->real.ptr, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return b->fd >= 0 ? 0 : beneath_fail(e, "use the working directory", directory, errno);
}

void
beneath_release(struct beneath *b)
{
	if (b->fd >= 0)
		close(b->fd);
	b->fd = -1;
}

/* What the caller means, from the working directory on, ending with NUL. */
static int
relative(const struct beneath *b, struct str path, struct str *out, struct err *e)
{
	struct str rest = path;

	if (str_starts(path, STR("/")) && !cut_prefix(path, b->given, &rest) &&
	    !cut_prefix(path, b->real, &rest))
		return err_set(e, ERR_DENIED, STR_FMT " is outside the working directory " STR_FMT,
			       STR_ARG(path), STR_ARG(b->given));
	*out = arena_str(b->arena, str_is_empty(rest) ? STR(".") : rest);
	return 0;
}

int
beneath_open(const struct beneath *b, struct str path, int flags, int *fd, struct err *e)
{
	struct str inside;
	int rc = relative(b, path, &inside, e);
	int got;

	if (rc != 0)
		return rc;
	got = resolve(b->fd, inside.ptr, flags);
	if (got < 0)
		return beneath_fail(e, "open", path, -got);
	if (is_secret(b, got)) {
		close(got);
		return beneath_fail(e, "open", path, ENOENT);
	}
	*fd = got;
	return 0;
}

/* -errno or a descriptor. Nothing is left behind in the server's data. */
static int
make_directory(const struct beneath *b, int parent, const char *name, const char *path)
{
	if (is_secret(b, parent))
		return -EACCES;
	if (mkdirat(parent, name, 0777) != 0 && errno != EEXIST)
		return -errno;
	return resolve(b->fd, path, O_PATH | O_DIRECTORY);
}

/* Makes the directories of a path one by one; each is looked up from the top, so that a link that
 * somebody puts there meanwhile leads nowhere else. -errno or a descriptor of the last. */
static int
make_directories(const struct beneath *b, struct str path)
{
	int parent = resolve(b->fd, ".", O_PATH | O_DIRECTORY);
	size_t at = 0;

	while (parent >= 0 && at < path.len) {
		size_t end = at;
		struct str upto, name;
		int next;

		while (end < path.len && path.ptr[end] != '/')
			end++;
		upto = arena_str(b->arena, str_slice(path, 0, end));
		name = arena_str(b->arena, str_slice(path, at, end));
		at = end + 1;
		if (str_is_empty(name))
			continue;
		next = resolve(b->fd, upto.ptr, O_PATH | O_DIRECTORY);
		if (next == -ENOENT)
			next = make_directory(b, parent, name.ptr, upto.ptr);
		close(parent);
		parent = next;
	}
	return parent;
}

static void
split(struct str path, struct str *folder, struct str *name)
{
	size_t at = path.len;

	while (at > 0 && path.ptr[at - 1] != '/')
		at--;
	*folder = at > 0 ? without_end_slashes(str_slice(path, 0, at)) : STR(".");
	*name = str_slice(path, at, path.len);
}

static bool
is_at(const struct beneath *b, int fd, struct str where)
{
	int found = resolve(b->fd, where.ptr, O_PATH | O_NOFOLLOW);
	struct stat is, there;
	bool same = found >= 0 && fstat(fd, &is) == 0 && fstat(found, &there) == 0 &&
		    is.st_dev == there.st_dev && is.st_ino == there.st_ino;

	if (found >= 0)
		close(found);
	return same;
}

/* Where that is what a path leads to. The kernel gives a file that was replaced meanwhile a name
 * that is none: then it is looked up again. 0 or -errno. */
static int
follow(const struct beneath *b, struct str *inside)
{
	for (int i = 0; i < RACE_TRIES; i++) {
		struct str where;
		int fd = resolve(b->fd, inside->ptr, O_PATH);
		bool known, same;

		if (fd < 0)
			return fd;
		known = beneath_where(b, fd, &where);
		same = known && is_at(b, fd, where);
		close(fd);
		if (!known)
			return -EXDEV;
		if (same) {
			*inside = where;
			return 0;
		}
	}
	return -EBUSY;
}

int
beneath_open_parent(const struct beneath *b, struct str path, int *fd,
		    char name[BENEATH_NAME_BYTES], struct err *e)
{
	struct str inside, folder, last;
	int rc = relative(b, path, &inside, e);
	int got;

	if (rc != 0)
		return rc;
	got = follow(b, &inside);
	if (got != 0 && got != -ENOENT)
		return beneath_fail(e, "write", path, -got);
	split(inside, &folder, &last);
	if (last.len == 0 || last.len >= BENEATH_NAME_BYTES || str_eq(last, STR(".")) ||
	    str_eq(last, STR("..")))
		return err_set(e, ERR_INVALID, STR_FMT " is no name of a file", STR_ARG(path));
	got = make_directories(b, folder);
	if (got < 0)
		return beneath_fail(e, "write", path, -got);
	if (is_secret(b, got) || beneath_is_hidden(b, inside)) {
		close(got);
		return beneath_fail(e, "write", path, EACCES);
	}
	memcpy(name, last.ptr, last.len);
	name[last.len] = '\0';
	*fd = got;
	return 0;
}

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/rand.h"
#include "tool/local/file_tool.h"

enum { PART_TRIES = 8 };

/* ---- the folder ---- */

/* The folder a file is changed in, for one call at a time. */
struct place {
	int folder, lock;
	char name[BENEATH_NAME_BYTES]; /* of the file, in it */
};

/* Calls run beside each other, and sessions may share a directory: from the look at a file until it
 * is replaced the others wait, as long as their time lasts. Where a folder cannot be locked (some
 * network file systems, or one that may not be read) the change is made all the same. */
static int
lock_folder(int folder)
{
	int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	while (fd >= 0 && flock(fd, LOCK_EX) != 0 && errno == EINTR)
		continue;
	return fd;
}

static int
enter(const struct beneath *b, struct str path, struct place *p, struct err *e)
{
	int rc = beneath_open_parent(b, path, &p->folder, p->name, e);

	if (rc == 0)
		p->lock = lock_folder(p->folder);
	return rc;
}

static void
leave(struct place *p)
{
	if (p->lock >= 0)
		close(p->lock);
	close(p->folder);
}

/* ---- the file ---- */

/* A file that is nobody else's; a process number would be: each sandbox counts its own. 0 or errno. */
static int
make_part(int folder, char part[BENEATH_NAME_BYTES], int *fd)
{
	struct rand r;

	rand_init_os(&r);
	for (int i = 0; i < PART_TRIES; i++) {
		snprintf(part, BENEATH_NAME_BYTES, ".perdure-%016" PRIx64 ".part", rand_u64(&r));
		*fd = openat(folder, part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			     0600);
		if (*fd >= 0 || errno != EEXIST)
			break;
	}
	return *fd >= 0 ? 0 : errno;
}

/* Takes over fd; 0 or errno. */
static int
fill_part(int fd, struct str text, mode_t mode)
{
	int failed;

	signal(SIGXFSZ, SIG_IGN); /* too large a file is an error, and no end that leaves a part */
	failed = file_write_fd(fd, text);
	if (failed == 0 && fchmod(fd, mode) != 0)
		failed = errno;
	if (close(fd) != 0 && failed == 0)
		failed = errno;
	return failed;
}

/* Whole or not at all: beside the file first, then in its place. */
static int
replace(const struct place *p, struct str text, mode_t mode)
{
	char part[BENEATH_NAME_BYTES];
	int fd = -1;
	int failed = make_part(p->folder, part, &fd);

	if (failed != 0)
		return failed;
	failed = fill_part(fd, text, mode);
	if (failed == 0 && renameat(p->folder, part, p->folder, p->name) != 0)
		failed = errno;
	if (failed != 0)
		unlinkat(p->folder, part, 0);
	return failed;
}

/* The mode a file has, or is to have; *there: it exists. */
static int
look(const struct place *p, struct str path, mode_t *mode, bool *there, struct err *e)
{
	mode_t mask = umask(0);
	struct stat st;

	umask(mask);
	*mode = 0666 & ~mask;
	*there = fstatat(p->folder, p->name, &st, AT_SYMLINK_NOFOLLOW) == 0;
	if (!*there || S_ISLNK(st.st_mode)) /* a link that leads nowhere is replaced */
		return 0;
	if (!S_ISREG(st.st_mode))
		return err_set(e, ERR_INVALID, STR_FMT " is a %s, not a file", STR_ARG(path),
			       S_ISDIR(st.st_mode) ? "directory" : "device or pipe");
	*mode = st.st_mode & 0777;
	return 0;
}

static int
put_file(const struct place *p, struct str path, struct str text, bool *there, struct err *e)
{
	mode_t mode = 0;
	int failed, rc = look(p, path, &mode, there, e);

	if (rc != 0)
		return rc;
	failed = replace(p, text, mode);
	return failed != 0 ? beneath_fail(e, "write", path, failed) : 0;
}

int
write_tool(const struct beneath *b, const struct tool_args *args, struct buf *out, struct err *e)
{
	bool there = false;
	struct place p;
	int rc = enter(b, args->file_path, &p, e);

	if (rc != 0)
		return rc;
	rc = put_file(&p, args->file_path, args->content, &there, e);
	leave(&p);
	if (rc == 0)
		buf_printf(out, "%s " STR_FMT " (%zu bytes)\n", there ? "Replaced" : "Made",
			   STR_ARG(args->file_path), args->content.len);
	return rc;
}

/* ---- edit ---- */

static size_t
occurrences(struct str text, struct str what)
{
	size_t count = 0, at = 0;

	while (str_find(text, what, at, &at)) {
		count++;
		at += what.len;
	}
	return count;
}

static void
put_replaced(struct str text, const struct tool_args *args, struct buf *out)
{
	size_t from = 0, at;

	while (str_find(text, args->old_string, from, &at)) {
		buf_put_str(out, str_slice(text, from, at));
		buf_put_str(out, args->new_string);
		from = at + args->old_string.len;
	}
	buf_put_str(out, str_slice(text, from, text.len));
}

static int
check_count(size_t count, const struct tool_args *args, struct err *e)
{
	if (count == 0)
		return err_set(e, ERR_NOT_FOUND,
			       "old_string does not occur in " STR_FMT
			       ": read the file and copy the text exactly, blanks included",
			       STR_ARG(args->file_path));
	if (count > 1 && !args->replace_all)
		return err_set(e, ERR_CONFLICT,
			       "old_string occurs %zu times in " STR_FMT
			       ": give more of the text around it, or replace_all",
			       count, STR_ARG(args->file_path));
	return 0;
}

static int
load(const struct place *p, struct str path, struct arena *a, struct str *text, struct err *e)
{
	int fd = openat(p->folder, p->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	bool is_text = false;
	int rc;

	if (fd < 0)
		return beneath_fail(e, "open", path, errno);
	rc = file_tool_load(fd, path, a, text, &is_text, e);
	close(fd);
	if (rc == 0 && !is_text)
		rc = err_set(e, ERR_INVALID, STR_FMT " is a binary file; change it with bash",
			     STR_ARG(path));
	return rc;
}

static int
change(const struct place *p, const struct tool_args *args, struct arena *a, size_t *count,
       struct err *e)
{
	struct str text = { 0 };
	struct buf changed;
	bool there;
	int rc = load(p, args->file_path, a, &text, e);

	if (rc != 0)
		return rc;
	*count = occurrences(text, args->old_string);
	rc = check_count(*count, args, e);
	if (rc != 0)
		return rc;
	buf_init(&changed, 2 * (size_t)FILE_TOOL_BYTES);
	put_replaced(text, args, &changed);
	rc = buf_check(&changed, "the changed file", e);
	if (rc == 0)
		rc = put_file(p, args->file_path, buf_str(&changed), &there, e);
	buf_release(&changed);
	return rc;
}

int
edit_tool(const struct beneath *b, const struct tool_args *args, struct buf *out, struct err *e)
{
	size_t count = 0;
	struct place p;
	int fd = -1;
	int rc = beneath_open(b, args->file_path, O_RDONLY | O_NONBLOCK, &fd, e);

	if (rc != 0) /* no folders are made for a file that is not there */
		return rc;
	close(fd);
	rc = enter(b, args->file_path, &p, e);
	if (rc != 0)
		return rc;
	rc = change(&p, args, b->arena, &count, e);
	leave(&p);
	if (rc == 0)
		buf_printf(out, "Replaced %zu occurrence%s in " STR_FMT "\n", count,
			   count == 1 ? "" : "s", STR_ARG(args->file_path));
	return rc;
}

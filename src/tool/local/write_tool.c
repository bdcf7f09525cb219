#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tool/local/file_tool.h"

/* A name that nobody else uses: the helper's number is its own. */
static void
name_part(char out[BENEATH_NAME_BYTES])
{
	snprintf(out, BENEATH_NAME_BYTES, ".perdure-%d.part", (int)getpid());
}

static int
put_all(int fd, struct str text)
{
	while (text.len > 0) {
		ssize_t written = write(fd, text.ptr, text.len);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return errno;
		text = str_slice(text, (size_t)written, text.len);
	}
	return 0;
}

/* 0 or errno. */
static int
fill_part(int folder, const char *part, struct str text, mode_t mode)
{
	int fd = openat(folder, part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	int failed;

	if (fd < 0)
		return errno;
	failed = put_all(fd, text);
	if (failed == 0 && fchmod(fd, mode) != 0)
		failed = errno;
	if (close(fd) != 0 && failed == 0)
		failed = errno;
	return failed;
}

/* Whole or not at all: beside the file first, then in its place. */
static int
replace(int folder, const char *name, struct str text, mode_t mode)
{
	char part[BENEATH_NAME_BYTES];
	int failed;

	name_part(part);
	unlinkat(folder, part, 0);
	failed = fill_part(folder, part, text, mode);
	if (failed == 0 && renameat(folder, part, folder, name) != 0)
		failed = errno;
	if (failed != 0)
		unlinkat(folder, part, 0);
	return failed;
}

/* The mode a file has, or is to have; *there: it exists. */
static int
look(int folder, const char *name, struct str path, mode_t *mode, bool *there, struct err *e)
{
	mode_t mask = umask(0);
	struct stat st;

	umask(mask);
	*mode = 0666 & ~mask;
	*there = fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
	if (!*there || S_ISLNK(st.st_mode)) /* a link that leads nowhere is replaced */
		return 0;
	if (!S_ISREG(st.st_mode))
		return err_set(e, ERR_INVALID, STR_FMT " is a %s, not a file", STR_ARG(path),
			       S_ISDIR(st.st_mode) ? "directory" : "device or pipe");
	*mode = st.st_mode & 0777;
	return 0;
}

static int
put_file(const struct beneath *b, struct str path, struct str text, bool *there, struct err *e)
{
	char name[BENEATH_NAME_BYTES];
	int folder = -1, failed = 0;
	mode_t mode = 0;
	int rc = beneath_open_parent(b, path, &folder, name, e);

	if (rc != 0)
		return rc;
	rc = look(folder, name, path, &mode, there, e);
	if (rc == 0)
		failed = replace(folder, name, text, mode);
	close(folder);
	return failed != 0 ? beneath_fail(e, "write", path, failed) : rc;
}

int
write_tool(const struct beneath *b, const struct tool_args *args, struct buf *out, struct err *e)
{
	bool there = false;
	int rc = put_file(b, args->file_path, args->content, &there, e);

	if (rc == 0)
		buf_printf(out, "%s " STR_FMT " (%zu bytes)\n", there ? "Replaced" : "Made",
			   STR_ARG(args->file_path), args->content.len);
	return rc;
}

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

int
edit_tool(const struct beneath *b, const struct tool_args *args, struct buf *out, struct err *e)
{
	struct str text = { 0 };
	bool is_text = false, there;
	struct buf changed;
	size_t count;
	int fd = -1;
	int rc = beneath_open(b, args->file_path, O_RDONLY | O_NONBLOCK, &fd, e);

	if (rc != 0)
		return rc;
	rc = file_tool_load(fd, args->file_path, b->arena, &text, &is_text, e);
	close(fd);
	if (rc != 0)
		return rc;
	if (!is_text)
		return err_set(e, ERR_INVALID, STR_FMT " is a binary file; change it with bash",
			       STR_ARG(args->file_path));
	count = occurrences(text, args->old_string);
	rc = check_count(count, args, e);
	if (rc != 0)
		return rc;
	buf_init(&changed, 2 * (size_t)FILE_TOOL_BYTES);
	put_replaced(text, args, &changed);
	rc = buf_check(&changed, "the changed file", e);
	if (rc == 0)
		rc = put_file(b, args->file_path, buf_str(&changed), &there, e);
	if (rc == 0)
		buf_printf(out, "Replaced %zu occurrence%s in " STR_FMT "\n", count,
			   count == 1 ? "" : "s", STR_ARG(args->file_path));
	buf_release(&changed);
	return rc;
}

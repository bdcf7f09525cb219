#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "tool/local/file_tool.h"
#include "tool/local/output_keep.h"

enum { LOOK_BYTES = 8 * 1024, NOTE_BYTES = 256 };

int
file_tool_load(int fd, struct str path, struct arena *a, struct str *out, bool *text, struct err *e)
{
	struct stat st;
	struct str name = arena_str(a, path);
	int rc;

	if (fstat(fd, &st) != 0)
		return beneath_fail(e, "read", path, errno);
	if (S_ISDIR(st.st_mode))
		return err_set(e, ERR_INVALID, "%s is a directory; glob lists its files", name.ptr);
	if (!S_ISREG(st.st_mode))
		return err_set(e, ERR_INVALID, "%s is no regular file", name.ptr);
	rc = file_read_fd(fd, name.ptr, FILE_TOOL_BYTES, a, out, e);
	if (rc == 0)
		*text = out->len == 0 ||
			!memchr(out->ptr, '\0', out->len < LOOK_BYTES ? out->len : LOOK_BYTES);
	return rc;
}

/* The offset of line number `line`; past the end when there are not so many. */
static size_t
line_start(struct str text, int64_t line)
{
	size_t at = 0;

	for (; line > 1 && at < text.len; line--) {
		const char *end = memchr(text.ptr + at, '\n', text.len - at);

		at = end ? (size_t)(end - text.ptr) + 1 : text.len;
	}
	return at;
}

static int64_t
count_lines(struct str text)
{
	int64_t lines = text.len > 0 && text.ptr[text.len - 1] != '\n';

	for (size_t i = 0; i < text.len; i++)
		lines += text.ptr[i] == '\n';
	return lines;
}

/* At most max bytes, whole lines if there is one that fits. */
static struct str
fit(struct str part, size_t max)
{
	size_t len = max;

	if (part.len <= max)
		return part;
	while (len > 0 && part.ptr[len - 1] != '\n')
		len--;
	return str_slice(part, 0, len > 0 ? len : max);
}

static int
put_lines(struct str text, const struct tool_args *args, struct buf *out, struct err *e)
{
	int64_t total = count_lines(text), last;
	struct str rest = str_slice(text, line_start(text, args->offset), text.len);
	struct str part = str_slice(rest, 0, line_start(rest, args->limit + 1));

	if (args->offset > 1 && args->offset > total)
		return err_set(e, ERR_INVALID,
			       "offset %" PRId64 " is behind the end of " STR_FMT
			       ": it has %" PRId64 " lines",
			       args->offset, STR_ARG(args->file_path), total);
	part = fit(part, (out->max - NOTE_BYTES) / 2); /* cleaning may double it */
	output_clean(out, part);
	if (part.len == rest.len)
		return 0;
	last = args->offset + count_lines(part) - 1;
	if (part.ptr[part.len - 1] == '\n')
		buf_printf(out,
			   "[lines %" PRId64 " to %" PRId64 " of %" PRId64
			   "; go on with offset %" PRId64 "]\n",
			   args->offset, last, total, last + 1);
	else
		buf_printf(out, "\n[line %" PRId64 " of %" PRId64 " is longer than fits here]\n",
			   last, total);
	return 0;
}

int
read_tool(const struct beneath *b, const struct tool_args *args, struct buf *out, struct err *e)
{
	struct str text = { 0 };
	bool is_text = false;
	int fd = -1;
	/* Not to wait for a pipe's other end. */
	int rc = beneath_open(b, args->file_path, O_RDONLY | O_NONBLOCK, &fd, e);

	if (rc != 0)
		return rc;
	rc = file_tool_load(fd, args->file_path, b->arena, &text, &is_text, e);
	close(fd);
	if (rc == 0 && !is_text)
		return err_set(e, ERR_INVALID,
			       STR_FMT
			       " is a binary file of %zu bytes; look at it with bash (file, "
			       "xxd, strings)",
			       STR_ARG(args->file_path), text.len);
	if (rc == 0 && text.len == 0) {
		buf_puts(out, "[the file is empty]\n");
		return 0;
	}
	return rc == 0 ? put_lines(text, args, out, e) : rc;
}

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"

static const char ZONEINFO_DIR[] = "/usr/share/zoneinfo";
enum { CHUNK_BYTES = 64 * 1024, ZONE_FILE_MAX = 64 * 1024, ZONE_NAME_MAX = 64 };

int
file_read_fd(int fd, const char *name, size_t max, struct arena *a, struct str *out, struct err *e)
{
	struct buf text;
	char chunk[CHUNK_BYTES];
	ssize_t got;
	int rc = 0;

	buf_init(&text, max);
	while ((got = read(fd, chunk, sizeof chunk)) != 0) {
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			rc = err_set(e, ERR_IO, "%s: %s", name, strerror(errno));
			goto out;
		}
		buf_put(&text, chunk, (size_t)got);
		if (text.overflow)
			break;
	}
	rc = buf_check(&text, name, e);
	if (rc == 0)
		*out = arena_str(a, buf_str(&text));
out:
	buf_release(&text);
	return rc;
}

int
file_read(const char *path, size_t max, struct arena *a, struct str *out, struct err *e)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	int rc;

	if (fd < 0)
		return err_set(e, errno == ENOENT || errno == ENOTDIR ? ERR_NOT_FOUND : ERR_IO,
			       "%s: %s", path, strerror(errno));
	if (fstat(fd, &st) != 0)
		rc = err_set(e, ERR_IO, "%s: %s", path, strerror(errno));
	else if (!S_ISREG(st.st_mode))
		rc = err_set(e, ERR_INVALID, "%s: not a regular file", path);
	else
		rc = file_read_fd(fd, path, max, a, out, e);
	close(fd);
	return rc;
}

int
file_write_fd(int fd, struct str text)
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

int
file_real_path(struct str path, struct arena *a, struct str *out)
{
	char *found = realpath(arena_str(a, path).ptr, NULL);

	if (!found)
		return errno;
	*out = arena_str(a, str_of(found));
	free(found);
	return 0;
}

/* Area/City words only: no leading or doubled slash, no dot, nothing a shell would look at. */
static bool
zone_name_ok(struct str name)
{
	if (name.len == 0 || name.len > ZONE_NAME_MAX || name.ptr[0] == '/' ||
	    name.ptr[name.len - 1] == '/' || str_contains(name, STR("//")))
		return false;
	for (size_t i = 0; i < name.len; i++) {
		char c = name.ptr[i];
		bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
			    (c >= '0' && c <= '9') || c == '_' || c == '+' || c == '-' || c == '/';
		if (!word)
			return false;
	}
	return true;
}

int
file_read_zoneinfo(struct str name, struct arena *a, struct str *out, struct err *e)
{
	char path[sizeof ZONEINFO_DIR + 1 + ZONE_NAME_MAX];
	int rc;

	if (!zone_name_ok(name))
		return err_set(e, ERR_INVALID,
			       "'" STR_FMT "' is not a time zone name like Europe/Berlin",
			       STR_ARG(str_slice(name, 0, ZONE_NAME_MAX)));
	snprintf(path, sizeof path, "%s/" STR_FMT, ZONEINFO_DIR, STR_ARG(name));
	rc = file_read(path, ZONE_FILE_MAX, a, out, e);
	if (rc == ERR_NOT_FOUND || rc == ERR_INVALID)
		return err_set(e, ERR_INVALID,
			       "'" STR_FMT
			       "' is not a known time zone (no %s; is tzdata installed?)",
			       STR_ARG(name), path);
	return rc;
}

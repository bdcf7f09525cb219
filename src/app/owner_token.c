#include "app/owner_token.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/rand.h"

enum { PATH_BYTES = 4096, FILE_BYTES_MAX = 4096 };

static int
fail_io(struct err *e, const char *what, const char *path)
{
	return err_set(e, errno == ENOSPC ? ERR_NO_SPACE : ERR_IO, "cannot %s %s: %s", what, path,
		       strerror(errno));
}

static int
read_token(const char *path, char out[TOKEN_TEXT_LEN + 1], struct err *e)
{
	struct arena a;
	struct stat st;
	struct str text = { 0 };
	int rc;

	if (stat(path, &st) == 0 && (st.st_mode & 077) != 0)
		return err_set(e, ERR_INVALID,
			       "%s can be read by others: it is a key to everything here. "
			       "Run: chmod 600 %s",
			       path, path);
	arena_init(&a);
	rc = file_read(path, FILE_BYTES_MAX, &a, &text, e);
	if (rc == ERR_TOO_LARGE) /* whatever it is, it is none of ours */
		rc = 0;
	text = str_trim(text);
	if (rc == 0 && !token_is_well_formed(text))
		rc = err_set(e, ERR_INVALID,
			     "%s holds no token. Put the right one back, or delete the file: the "
			     "next start makes a new one",
			     path);
	if (rc == 0) {
		memcpy(out, text.ptr, text.len);
		out[text.len] = '\0';
	}
	arena_release(&a);
	return rc;
}

/* The bytes, on the disk. A disk that fills up takes some of them and says so with the next. */
static bool
write_all(int fd, const char *text, size_t len)
{
	for (size_t at = 0; at < len;) {
		ssize_t got = write(fd, text + at, len - at);

		if (got < 0 && errno != EINTR)
			return false;
		at += got > 0 ? (size_t)got : 0;
	}
	return fsync(fd) == 0;
}

/* Written beside and renamed, so that a token that is there is whole. */
static int
write_token(const char *directory, const char *path, const char *token, struct err *e)
{
	char beside[PATH_BYTES + 8], line[TOKEN_TEXT_LEN + 2];
	int len, fd, dir;
	int rc = 0;

	snprintf(beside, sizeof beside, "%s.new", path);
	len = snprintf(line, sizeof line, "%s\n", token);
	IGNORE(unlink(beside)); /* of a start that failed; its rights are not ours to trust */
	fd = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return fail_io(e, "write", path);
	if (!write_all(fd, line, (size_t)len))
		rc = fail_io(e, "write", path);
	if (close(fd) != 0 && rc == 0)
		rc = fail_io(e, "write", path);
	if (rc == 0 && rename(beside, path) != 0)
		rc = fail_io(e, "write", path);
	if (rc != 0) {
		IGNORE(unlink(beside)); /* it is of no use to anybody */
		return rc;
	}
	dir = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0 || fsync(dir) != 0)
		rc = fail_io(e, "sync", directory);
	if (dir >= 0)
		close(dir);
	return rc;
}

int
owner_token_load(const char *directory, char out[TOKEN_TEXT_LEN + 1], bool *made, struct err *e)
{
	unsigned char secret[TOKEN_SECRET_BYTES];
	char path[PATH_BYTES];
	struct rand rand;
	int rc;

	if ((size_t)snprintf(path, sizeof path, "%s/owner.token", directory) >= sizeof path)
		return err_set(e, ERR_INVALID, "the data directory's name is too long");
	*made = false;
	rc = read_token(path, out, e);
	if (rc != ERR_NOT_FOUND)
		return rc;
	rand_init_os(&rand);
	rand_bytes(&rand, secret, sizeof secret);
	token_format(secret, out);
	rc = write_token(directory, path, out, e);
	*made = rc == 0;
	return rc;
}

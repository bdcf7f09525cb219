#include "app/mirror_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

enum {
	BLOCK_BYTES = 256 * 1024,
	LINE_BYTES_MAX = 512 * 1024 * 1024, /* the largest payload, each byte of it escaped */
	STATE_BYTES_MAX = 64 * 1024 * 1024,
};

static const char *const NAMES[] = {
	[MIRROR_EVENTS] = "events.jsonl",
	[MIRROR_WAKES] = "wake-queue.jsonl",
};

static int
io_failed(const char *path, struct err *e)
{
	return err_set(e, errno == ENOSPC || errno == EDQUOT ? ERR_NO_SPACE : ERR_IO,
		       "cannot write %s: %s", path, strerror(errno));
}

static const char *
path_of(const struct mirror_folder *f, const char *name)
{
	return arena_printf(f->arena, STR_FMT "%s", STR_ARG(f->path), name).ptr;
}

static int64_t *
bytes_of(struct mirror_folder *f, enum mirror_part part)
{
	return part == MIRROR_EVENTS ? &f->state.events_bytes : &f->state.wakes_bytes;
}

static int
open_part(struct mirror_folder *f, enum mirror_part part, int *out, struct err *e)
{
	const char *path = path_of(f, NAMES[part]);

	*out = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	return *out < 0 ? io_failed(path, e) : 0;
}

/* ---- where did it end? ---- */

static bool
take_line(struct mirror_folder *f, enum mirror_part part, struct str line, struct arena *scratch)
{
	struct mirror_record r;
	struct err e;
	bool of_events;

	if (mirror_record_read(line, scratch, &r, &e) != 0)
		return false;
	of_events = r.kind == MIRROR_EVENT || r.kind == MIRROR_PROCESSED;
	return of_events == (part == MIRROR_EVENTS) &&
	       mirror_state_take(&f->state, &r, f->arena, &e) == 0;
}

/* Takes the whole lines of b, and leaves the beginning of one. False: one of them cannot be read. */
static bool
take_lines(struct mirror_folder *f, enum mirror_part part, struct buf *b, struct arena *scratch)
{
	struct str rest = buf_str(b), line;
	bool good = true;

	while (good && memchr(rest.ptr, '\n', rest.len)) {
		size_t before = rest.len;

		str_cut(rest, '\n', &line, &rest);
		good = take_line(f, part, line, scratch);
		arena_reset(scratch);
		if (good)
			*bytes_of(f, part) += (int64_t)(before - rest.len);
	}
	memmove(b->ptr, rest.ptr, rest.len);
	b->len = rest.len;
	return good;
}

/* What stands behind what is known. The rest of a line, or one that is none, ends it. */
static void
scan(struct mirror_folder *f, enum mirror_part part, int fd)
{
	int64_t at = *bytes_of(f, part);
	struct arena scratch;
	struct buf b;
	ssize_t n;

	arena_init(&scratch);
	buf_init(&b, LINE_BYTES_MAX);
	for (;;) {
		char *room = buf_extend(&b, BLOCK_BYTES);

		if (!room)
			break;
		n = pread(fd, room, BLOCK_BYTES, at);
		b.len -= (size_t)(BLOCK_BYTES - (n > 0 ? n : 0));
		if (n <= 0)
			break;
		at += n;
		if (!take_lines(f, part, &b, &scratch))
			break;
	}
	buf_release(&b);
	arena_release(&scratch);
}

static void
forget(struct mirror_folder *f)
{
	mirror_state_release(&f->state);
	f->state = (struct mirror_state){ .id = f->state.id };
}

static int64_t
size_of(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 ? (int64_t)st.st_size : 0;
}

static int
look(struct mirror_folder *f, const int *fds, struct err *e)
{
	bool lost = false;

	/* a power cut may have kept session.json and lost what it counts */
	for (enum mirror_part part = MIRROR_EVENTS; part <= MIRROR_WAKES; part++)
		lost |= size_of(fds[part]) < *bytes_of(f, part);
	if (lost)
		forget(f);
	for (enum mirror_part part = MIRROR_EVENTS; part <= MIRROR_WAKES; part++) {
		int64_t *bytes = bytes_of(f, part);

		if (size_of(fds[part]) > *bytes)
			scan(f, part, fds[part]);
		if (size_of(fds[part]) > *bytes && ftruncate(fds[part], *bytes) != 0)
			return io_failed(path_of(f, NAMES[part]), e);
	}
	return 0;
}

static void
read_state(struct mirror_folder *f, struct str session)
{
	struct mirror_state read = { 0 };
	struct str text;
	struct err e;

	f->state.id = arena_str(f->arena, session);
	if (file_read(path_of(f, "session.json"), STATE_BYTES_MAX, f->arena, &text, &e) != 0)
		return;
	if (mirror_state_read(text, f->arena, &read, &e) == 0 && str_eq(read.id, session)) {
		f->state = read;
		f->was = text;
	} else {
		mirror_state_release(&read);
	}
}

int
mirror_folder_open(struct mirror_folder *f, const struct session_folder *where, struct arena *a,
		   struct err *e)
{
	int fds[] = { -1, -1 };
	int rc;

	*f = (struct mirror_folder){ .arena = a };
	rc = session_folder_make(where, a, &f->path, e);
	if (rc != 0)
		return rc;
	read_state(f, where->session);
	for (enum mirror_part part = MIRROR_EVENTS; rc == 0 && part <= MIRROR_WAKES; part++)
		rc = open_part(f, part, &fds[part], e);
	if (rc == 0)
		rc = look(f, fds, e);
	for (enum mirror_part part = MIRROR_EVENTS; part <= MIRROR_WAKES; part++)
		if (fds[part] >= 0)
			close(fds[part]);
	if (rc != 0)
		mirror_folder_release(f);
	return rc;
}

void
mirror_folder_release(struct mirror_folder *f)
{
	mirror_state_release(&f->state);
}

/* ---- writing ---- */

static int
write_at(int fd, struct str text, int64_t at)
{
	while (text.len > 0) {
		ssize_t n = pwrite(fd, text.ptr, text.len, at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		at += n;
		text = str_slice(text, (size_t)n, text.len);
	}
	return 0;
}

int
mirror_folder_append(struct mirror_folder *f, enum mirror_part part, struct str lines,
		     struct err *e)
{
	int64_t *bytes = bytes_of(f, part);
	int fd, rc;

	if (lines.len == 0)
		return 0;
	rc = open_part(f, part, &fd, e);
	if (rc != 0)
		return rc;
	if (write_at(fd, lines, *bytes) == 0) {
		*bytes += (int64_t)lines.len;
	} else {
		rc = io_failed(path_of(f, NAMES[part]), e);
		IGNORE(ftruncate(fd, *bytes)); /* else the next one to open it does */
	}
	close(fd);
	return rc;
}

int
mirror_folder_replace(struct mirror_folder *f, struct str text, struct err *e)
{
	const char *path = path_of(f, "session.json"), *beside = path_of(f, "session.json.new");
	int fd, rc = 0;

	if (str_eq(text, f->was))
		return 0;
	fd = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return io_failed(beside, e);
	if (write_at(fd, text, 0) != 0)
		rc = io_failed(beside, e);
	if (close(fd) != 0 && rc == 0)
		rc = io_failed(beside, e);
	if (rc == 0 && rename(beside, path) != 0)
		rc = io_failed(path, e);
	if (rc != 0)
		unlink(beside);
	else
		f->was = arena_str(f->arena, text);
	return rc;
}

int
mirror_folder_clear(struct mirror_folder *f, struct err *e)
{
	const char *path = path_of(f, "session.json");
	int fd, rc = 0;

	forget(f);
	f->was = (struct str){ 0 };
	if (unlink(path) != 0 && errno != ENOENT)
		return io_failed(path, e);
	for (enum mirror_part part = MIRROR_EVENTS; rc == 0 && part <= MIRROR_WAKES; part++) {
		rc = open_part(f, part, &fd, e);
		if (rc == 0 && ftruncate(fd, 0) != 0)
			rc = io_failed(path_of(f, NAMES[part]), e);
		if (fd >= 0)
			close(fd);
	}
	return rc;
}

void
mirror_folder_remove(const struct session_folder *where)
{
	struct mirror_folder f = { 0 };
	struct arena a;
	struct buf path;

	arena_init(&a);
	buf_init(&path, 4096);
	session_folder_path(where, &path);
	f.arena = &a;
	f.path = buf_str(&path);
	unlink(path_of(&f, NAMES[MIRROR_EVENTS]));
	unlink(path_of(&f, NAMES[MIRROR_WAKES]));
	unlink(path_of(&f, "session.json"));
	unlink(path_of(&f, "session.json.new"));
	buf_release(&path);
	arena_release(&a);
}

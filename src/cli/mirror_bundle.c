#include "cli/mirror_bundle.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "core/event.h"
#include "core/mirror_state.h"

enum { STATE_BYTES_MAX = 64 * 1024 * 1024 };

/* ---- which folders? ---- */

struct found {
	struct arena *arena;
	VEC(struct str) paths;
};

static bool
has_mirror(struct arena *a, struct str folder)
{
	return access(arena_printf(a, STR_FMT "/session.json", STR_ARG(folder)).ptr, R_OK) == 0;
}

/* Calls fn with each folder in path; what is not there has none. */
static void
each_folder(struct found *f, struct str path, void (*fn)(struct found *f, struct str path))
{
	DIR *dir = opendir(path.ptr);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			fn(f, arena_printf(f->arena, "%s/%s", path.ptr, entry->d_name));
	if (dir)
		closedir(dir);
}

static void
take_session(struct found *f, struct str path)
{
	if (has_mirror(f->arena, path))
		*vec_push(&f->paths) = path;
}

static void
take_agent(struct found *f, struct str path)
{
	each_folder(f, arena_printf(f->arena, "%s/sessions", path.ptr), take_session);
}

static int
by_text(const void *a, const void *b)
{
	return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

int
mirror_bundle_find(struct str path, struct arena *a, struct str_list *out, struct err *e)
{
	struct found f = { .arena = a };
	struct str *kept;

	path = arena_str(a, path);
	take_session(&f, path);
	each_folder(&f, arena_printf(a, "%s/agents", path.ptr), take_agent);
	if (f.paths.len == 0)
		return err_set(
			e, ERR_NOT_FOUND,
			"%s: there is no mirror here. It is made by a server with \"mirror: on\";"
			" name its data directory, or the folder of one session",
			path.ptr);
	kept = ARENA_ARRAY(a, f.paths.len, struct str);
	memcpy(kept, f.paths.ptr, f.paths.len * sizeof *kept);
	qsort(kept, f.paths.len, sizeof *kept, by_text);
	*out = (struct str_list){ kept, f.paths.len };
	vec_release(&f.paths);
	return 0;
}

/* ---- one of them ---- */

struct reading {
	struct str folder;
	struct arena *arena;
	struct mirror_state state;
	FILE *file;
	char *line;
	size_t room;
	FILE *to; /* NULL: the lines are only counted */
};

/* A line without its end; false: that was all, or the rest was cut short. */
static bool
next_line(struct reading *r, struct str *out)
{
	ssize_t len = getline(&r->line, &r->room, r->file);

	if (len <= 0 || r->line[len - 1] != '\n')
		return false;
	*out = (struct str){ r->line, (size_t)len - 1 };
	return true;
}

static int
take_line(struct reading *r, struct str line, struct arena *scratch, struct err *e)
{
	struct mirror_record record;
	int rc = mirror_record_read(line, scratch, &record, e);

	if (rc == 0 && r->to && record.kind == MIRROR_EVENT)
		fwrite(line.ptr, 1, line.len + 1, r->to); /* with its line end */
	if (rc == 0 && !r->to)
		rc = mirror_state_take(&r->state, &record, r->arena, e);
	return rc;
}

static int
read_lines(struct reading *r, const char *name, struct err *e)
{
	const char *path = arena_printf(r->arena, STR_FMT "/%s", STR_ARG(r->folder), name).ptr;
	struct arena scratch;
	struct str line;
	int64_t number = 0;
	int rc = 0;

	r->file = fopen(path, "re");
	if (!r->file)
		return err_set(e, ERR_IO, "cannot read %s: %s", path, strerror(errno));
	arena_init(&scratch);
	while (rc == 0 && next_line(r, &line)) {
		number++;
		rc = take_line(r, line, &scratch, e);
		arena_reset(&scratch);
	}
	arena_release(&scratch);
	fclose(r->file);
	return rc == 0 ? 0 : err_prefix(e, rc, "%s:%lld: ", path, (long long)number);
}

/* Bytes with line ends in them stand as a string. */
static void
field_object(struct jw *w, const char *name, const char *text_name, struct str json)
{
	if (memchr(json.ptr, '\n', json.len) || memchr(json.ptr, '\r', json.len))
		jw_field_str(w, text_name, json);
	else
		jw_field_raw(w, name, json);
}

static void
put_wakes(struct jw *w, const struct mirror_state *s)
{
	if (s->wakes.len == 0)
		return;
	jw_field_array(w, "wakes");
	for (size_t i = 0; i < s->wakes.len; i++) {
		jw_object(w);
		jw_field_str(w, "id", s->wakes.ptr[i].id);
		jw_field_int(w, "due_at_ms", s->wakes.ptr[i].due_at_ms);
		field_object(w, "wake", "wake_text", s->wakes.ptr[i].wake);
		jw_end_object(w);
	}
	jw_end_array(w);
}

/* The first line of docs/API.md's bundles. */
static void
put_header(const struct reading *r, struct buf *out)
{
	const struct mirror_state *s = &r->state;
	char hex[SHA256_HEX + 1];
	struct jw w;

	sha256_hex(&s->head_hash, SHA256_BYTES, hex);
	jw_init(&w, out);
	jw_object(&w);
	jw_field_str(&w, "format", STR("perdure-session"));
	jw_field_int(&w, "version", 1);
	jw_field_int(&w, "event_format", EVENT_FORMAT);
	jw_field_str(&w, "id", s->id);
	jw_field_int(&w, "head_seq", s->head_seq);
	jw_field_str(&w, "head_hash", str_of(hex));
	if (s->extra.len > 0)
		field_object(&w, "extra", "extra_text", s->extra);
	put_wakes(&w, s);
	jw_end_object(&w);
	buf_putc(out, '\n');
}

static int
read_session(struct reading *r, struct err *e)
{
	const char *path = arena_printf(r->arena, STR_FMT "/session.json", STR_ARG(r->folder)).ptr;
	struct mirror_state said = { 0 };
	struct str text;
	int rc = file_read(path, STATE_BYTES_MAX, r->arena, &text, e);

	if (rc == 0) {
		rc = mirror_state_read(text, r->arena, &said, e);
		if (rc != 0)
			rc = err_prefix(e, rc, "%s: ", path);
	}
	if (rc == 0)
		r->state = (struct mirror_state){ .id = said.id, .extra = said.extra };
	mirror_state_release(&said);
	return rc;
}

static int
write_bundle(struct reading *r, struct err *e)
{
	struct buf header;
	int rc;

	buf_init(&header, 2 * STATE_BYTES_MAX);
	put_header(r, &header);
	rc = buf_check(&header, "the header of a bundle", e);
	if (rc == 0)
		fwrite(header.ptr, 1, header.len, r->to);
	buf_release(&header);
	if (rc == 0)
		rc = read_lines(r, "events.jsonl", e);
	if (rc == 0 && (fflush(r->to) != 0 || ferror(r->to)))
		rc = err_set(e, ERR_IO, "cannot write the bundle: %s", strerror(errno));
	return rc;
}

int
mirror_bundle_write(struct str folder, int to_fd, struct arena *a, struct err *e)
{
	struct reading r = { .folder = folder, .arena = a };
	int rc = read_session(&r, e);

	if (rc == 0)
		rc = read_lines(&r, "events.jsonl", e);
	if (rc == 0)
		rc = read_lines(&r, "wake-queue.jsonl", e);
	if (rc == 0 && r.state.head_seq == 0)
		rc = err_set(e, ERR_INVALID, STR_FMT "/events.jsonl: has no event",
			     STR_ARG(folder));
	if (rc == 0) {
		r.to = fdopen(dup(to_fd), "w");
		rc = r.to ? write_bundle(&r, e)
			  : err_set(e, ERR_IO, "cannot write the bundle: %s", strerror(errno));
		if (r.to)
			fclose(r.to);
	}
	mirror_state_release(&r.state);
	free(r.line);
	return rc;
}

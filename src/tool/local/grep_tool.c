#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tool/local/file_tool.h"
#include "tool/local/glob_match.h"
#include "tool/local/grep_match.h"
#include "tool/local/output_keep.h"
#include "tool/local/walk.h"

enum { NOTE_BYTES = 512, LINE_BYTES = 500 };

struct search {
	const struct tool_args *args;
	const struct beneath *beneath;
	struct glob_pattern glob;
	struct grep_match match;
	struct buf *out;
	int64_t shown;
	size_t skipped; /* files too large to look at */
	bool full;
};

static bool
has_room(struct search *s, size_t bytes)
{
	s->full = s->full || s->shown == s->args->limit ||
		  s->out->len + bytes + NOTE_BYTES > s->out->max;
	return !s->full;
}

static bool
show_line(struct search *s, struct str path, int64_t number, struct str line)
{
	struct str part = str_slice(line, 0, LINE_BYTES);

	if (!has_room(s, 2 * (path.len + part.len) + 64))
		return false;
	output_clean(s->out, path);
	buf_printf(s->out, ":%" PRId64 ":", number);
	output_clean(s->out, part);
	buf_puts(s->out, part.len < line.len ? " [...]\n" : "\n");
	s->shown++;
	return true;
}

static bool
show_file(struct search *s, struct str path, int64_t matches)
{
	if (!has_room(s, 2 * path.len + 64))
		return false;
	output_clean(s->out, path);
	if (s->args->mode == GREP_COUNT)
		buf_printf(s->out, ":%" PRId64, matches);
	buf_putc(s->out, '\n');
	s->shown++;
	return true;
}

static bool
search_text(struct search *s, struct str path, struct str text)
{
	int64_t number = 0, found = 0;
	struct str line;

	while (text.len > 0) {
		str_cut(text, '\n', &line, &text);
		number++;
		if (!grep_match_line(&s->match, line))
			continue;
		found++;
		if (s->args->mode == GREP_FILES)
			break;
		if (s->args->mode == GREP_CONTENT && !show_line(s, path, number, line))
			return false;
	}
	return found == 0 || s->args->mode == GREP_CONTENT || show_file(s, path, found);
}

/* Takes over fd. */
static bool
search_file(struct search *s, int fd, struct str path)
{
	struct str text;
	struct arena a;
	struct err e;
	bool is_text = false, more = true;
	int rc;

	arena_init(&a);
	rc = file_tool_load(fd, path, &a, &text, &is_text, &e);
	if (rc == ERR_TOO_LARGE)
		s->skipped++;
	if (rc == 0 && is_text)
		more = search_text(s, path, text);
	arena_release(&a);
	close(fd);
	return more;
}

static bool
on_file(void *ctx, int parent, const char *name, struct str path)
{
	struct search *s = ctx;
	struct str what = str_contains(s->args->glob, STR("/")) ? path : str_of(name);
	struct stat st;
	int fd;

	if (s->args->glob.len > 0 && !glob_match(&s->glob, what))
		return true;
	/* Neither links nor pipes: nothing that could lead elsewhere or wait. */
	if (fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(st.st_mode))
		return true;
	fd = openat(parent, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	return fd < 0 || search_file(s, fd, path);
}

static void
search_all(struct search *s, int fd, struct str path, bool *cut)
{
	struct walk w = { .beneath = s->beneath,
			  .hidden_too = str_starts(s->args->glob, STR(".")),
			  .on_file = on_file,
			  .ctx = s };
	struct stat st;

	if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode))
		walk_run(&w, fd, str_eq(path, STR(".")) ? STR("") : path);
	else
		search_file(s, fd, path);
	*cut = w.cut;
}

int
grep_tool(const struct beneath *b, const struct tool_args *args, struct buf *out, struct err *e)
{
	struct search s = { .args = args, .beneath = b, .out = out };
	struct str path = args->path.len > 0 ? args->path : STR(".");
	bool cut = false;
	int fd = -1;
	int rc = glob_pattern_parse(b->arena, args->glob, &s.glob, e);

	if (rc == 0)
		rc = beneath_open(b, path, O_RDONLY | O_NONBLOCK, &fd, e);
	if (rc != 0)
		return rc;
	rc = grep_match_init(&s.match, args->pattern, args->ignore_case, e);
	if (rc != 0) {
		close(fd);
		return rc;
	}
	search_all(&s, fd, path, &cut);
	grep_match_release(&s.match);
	if (s.shown == 0)
		buf_puts(out, "[nothing matches]\n");
	if (s.full)
		buf_printf(out, "[there is more: shown are the first %" PRId64 "]\n", s.shown);
	if (s.skipped > 0)
		buf_printf(out, "[%zu files of more than %d MiB were not looked at]\n", s.skipped,
			   FILE_TOOL_BYTES >> 20);
	if (cut)
		buf_puts(out, "[not everything was looked at: too many files; give a path]\n");
	return 0;
}

#include <fcntl.h>

#include "tool/local/file_tool.h"
#include "tool/local/glob_match.h"
#include "tool/local/output_keep.h"
#include "tool/local/walk.h"

enum { NOTE_BYTES = 256 };

struct search {
	struct glob_pattern pattern;
	struct buf *out;
	size_t found;
	bool full;
};

static bool
on_file(void *ctx, int parent, const char *name, struct str path)
{
	struct search *s = ctx;

	(void)parent, (void)name;
	if (!glob_match(&s->pattern, path))
		return true;
	if (s->found == TOOL_FILES || s->out->len + 2 * path.len + NOTE_BYTES > s->out->max) {
		s->full = true;
		return false;
	}
	s->found++;
	output_clean(s->out, path);
	buf_putc(s->out, '\n');
	return true;
}

/* A pattern that names a hidden folder wants to see it. */
static bool
names_hidden(struct str pattern)
{
	return str_starts(pattern, STR(".")) || str_contains(pattern, STR("/.")) ||
	       str_contains(pattern, STR("{.")) || str_contains(pattern, STR(",."));
}

int
glob_tool(const struct beneath *b, const struct tool_args *args, struct buf *out, struct err *e)
{
	struct search s = { .out = out };
	struct walk w = { .beneath = b,
			  .hidden_too = names_hidden(args->pattern),
			  .on_file = on_file,
			  .ctx = &s };
	struct str path = args->path.len > 0 ? args->path : STR(".");
	int fd = -1;
	int rc = glob_pattern_parse(b->arena, args->pattern, &s.pattern, e);

	if (rc == 0)
		rc = beneath_open(b, path, O_RDONLY | O_DIRECTORY, &fd, e);
	if (rc != 0)
		return rc;
	walk_run(&w, fd, STR(""));
	if (s.found == 0)
		buf_puts(out, "[no file matches]\n");
	if (s.full)
		buf_printf(out, "[more than %zu files match: a narrower pattern shows the rest]\n",
			   s.found);
	if (w.cut)
		buf_puts(out, "[not everything was looked at: too many files; give a path]\n");
	return 0;
}

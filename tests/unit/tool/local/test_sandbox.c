#include "tool/local/sandbox.h"

#include <stdio.h>

#include "harness.h"
#include "work_dir.h"

/* The command line as one text, each argument between blanks. */
static struct str
command(const struct tool_job *job, struct arena *a)
{
	const char *const *argv;
	struct sandbox s;
	struct str text = STR(" ");
	struct err e;

	assert_int_equal(sandbox_place(&s, job, "/opt/perdure", a, &e), 0);
	argv = sandbox_command(&s, job, a);
	for (; *argv; argv++)
		text = arena_printf(a, STR_FMT "%s ", STR_ARG(text), *argv);
	return text;
}

static const struct {
	const char *name;
	enum tool_access access;
	bool network;
	const char *has, *has_not; /* DIR is the working directory */
} ROWS[] = {
	{ "T12 to write", TOOL_ACCESS_WRITE, false, " --bind DIR DIR ", " --ro-bind DIR DIR " },
	{ "T12 to read", TOOL_ACCESS_READ, false, " --ro-bind DIR DIR ", " --bind " },
	{ "T12 an empty place", TOOL_ACCESS_NONE, false, " --tmpfs DIR ", "bind DIR" },
	{ "T12 no network", TOOL_ACCESS_NONE, false, " --unshare-net ", "--share-net" },
	{ "T12 a network", TOOL_ACCESS_NONE, true, " --unshare-pid ", "--unshare-net" },
	{ "T12 ends with its parent", TOOL_ACCESS_NONE, true, " --die-with-parent ", "try /home" },
	{ "T12 no privileges", TOOL_ACCESS_NONE, true, " --cap-drop ALL ", "cap-add" },
	{ "T12 users of its own", TOOL_ACCESS_NONE, true, " --unshare-user ", "user-try" },
	{ "T12 no variables", TOOL_ACCESS_NONE, true, " --clearenv ", "/etc /etc" },
	{ "T12 the kernel's settings", TOOL_ACCESS_WRITE, true, " --remount-ro /proc ", "/sys" },
	{ "T12 then the helper", TOOL_ACCESS_WRITE, true,
	  " --chdir DIR -- /run/perdure tool-helper inside ", "/opt/perdure /opt" },
};

static void
test_row(void **state)
{
	const __typeof__(*ROWS) *row = *state;
	struct work_dir d;
	struct arena a;
	struct str got;

	work_dir_init(&d);
	arena_init(&a);
	got = command(&(struct tool_job){ .directory = str_of(d.path),
					  .sandboxed = true,
					  .access = row->access,
					  .network = row->network },
		      &a);
	if (!str_contains(got, work_dir_text(&d, row->has, &a)) ||
	    str_contains(got, work_dir_text(&d, row->has_not, &a)))
		fail_msg(STR_FMT, STR_ARG(got));
	arena_release(&a);
	work_dir_release(&d);
}

static const struct {
	const char *name;
	enum tool_access access;
	const char *file, *link, *hidden; /* what is in DIR, and what is given */
	const char *has, *has_not;
} COVERED[] = {
	{ "T12 the server's data", TOOL_ACCESS_WRITE, "data/owner.token", ">data", "DIR/link",
	  " --bind DIR DIR --perms 0000 --tmpfs DIR/data --remount-ro DIR/data ", " DIR/link " },
	{ "T12 one folder on the way to it", TOOL_ACCESS_WRITE, "a/data/owner.token", ">a",
	  "DIR/link/data",
	  " --bind DIR DIR --bind DIR/a DIR/a --perms 0000 --tmpfs DIR/a/data "
	  "--remount-ro DIR/a/data ",
	  " DIR/link" },
	{ "T12 two folders on the way to it", TOOL_ACCESS_WRITE, "a/b/data/owner.token", ">a/b",
	  "DIR/link/data",
	  " --bind DIR DIR --bind DIR/a DIR/a --bind DIR/a/b DIR/a/b --perms 0000 --tmpfs "
	  "DIR/a/b/data ",
	  " --bind DIR/a/b/data " },
	{ "T12 the way to it, to read", TOOL_ACCESS_READ, "a/data/owner.token", ">a", "DIR/a/data",
	  " --ro-bind DIR DIR --ro-bind DIR/a DIR/a --perms 0000 --tmpfs DIR/a/data ", " --bind " },
	{ "T12 the way to it, an empty place", TOOL_ACCESS_NONE, "a/data/owner.token", ">a",
	  "DIR/a/data", " --tmpfs DIR ", " DIR/a" },
	{ "T12 data among the system's programs", TOOL_ACCESS_WRITE, "a", ">a", "/usr/share/doc",
	  " --perms 0111 --tmpfs /usr/share/doc ", " --perms 0000 " },
	{ "T12 and nothing is put there", TOOL_ACCESS_WRITE, "a", ">a", "/usr/share/doc",
	  " --bind DIR DIR --remount-ro /usr/share/doc ", " --bind /usr" },
};

static void
test_covered(void **state)
{
	const __typeof__(*COVERED) *row = *state;
	struct work_dir d;
	struct arena a;
	struct str got;

	work_dir_init(&d);
	work_dir_put(&d, row->file, "x");
	work_dir_put(&d, "link", row->link);
	arena_init(&a);
	got = command(&(struct tool_job){ .directory = str_of(d.path),
					  .hidden = work_dir_text(&d, row->hidden, &a),
					  .sandboxed = true,
					  .access = row->access },
		      &a);
	if (!str_contains(got, work_dir_text(&d, row->has, &a)) ||
	    str_contains(got, work_dir_text(&d, row->has_not, &a)))
		fail_msg(STR_FMT, STR_ARG(got));
	arena_release(&a);
	work_dir_release(&d);
}

/* Too many for a command line: refused, for what comes last on it is what hides. */
static void
T12_data_too_far_below_is_refused(void **state)
{
	struct tool_job job = { .sandboxed = true, .access = TOOL_ACCESS_WRITE };
	struct work_dir d;
	struct sandbox s;
	struct arena a;
	struct str path = STR("x");
	struct err e;

	(void)state;
	work_dir_init(&d);
	arena_init(&a);
	for (int i = 0; i < 64; i++)
		path = arena_printf(&a, "f/" STR_FMT, STR_ARG(path));
	work_dir_put(&d, arena_printf(&a, STR_FMT "/y/z", STR_ARG(path)).ptr, "x");
	job.directory = str_of(d.path);
	job.hidden = arena_printf(&a, "%s/" STR_FMT, d.path, STR_ARG(path));
	assert_true(str_ends(command(&job, &a), STR(" tool-helper inside ")));
	job.hidden = arena_printf(&a, STR_FMT "/y", STR_ARG(job.hidden));
	assert_int_equal(sandbox_place(&s, &job, "/opt/perdure", &a, &e), ERR_DENIED);
	arena_release(&a);
	work_dir_release(&d);
}

static const struct {
	const char *name, *directory, *hidden; /* NULL: a folder that exists */
	bool sandboxed;
	int want;
} PLACES[] = {
	{ "T12 a folder", NULL, "", true, 0 },
	{ "T12 the whole machine", "/", "", true, ERR_DENIED },
	{ "T12 the whole machine by a detour", "/usr/..", "", true, ERR_DENIED },
	{ "T12 the kernel's files", "/proc", "", true, ERR_DENIED },
	{ "T12 the kernel's settings as a place", "/proc/sys/kernel", "", true, ERR_DENIED },
	{ "T12 the kernel's devices", "/sys/kernel", "", true, ERR_DENIED },
	{ "T12 the devices", "/dev", "", true, ERR_DENIED },
	{ "T12 sockets of services", "/run", "", true, ERR_DENIED },
	{ "T12 the whole machine, sandbox off", "/", "", false, 0 },
	{ "T12 the server's data", NULL, NULL, true, ERR_DENIED },
	{ "T12 the server's data, sandbox off", NULL, NULL, false, ERR_DENIED },
	{ "T12 data that is gone", NULL, "/nowhere/data", true, ERR_DENIED },
	{ "T12 data that is gone, sandbox off", NULL, "/nowhere/data", false, ERR_DENIED },
	{ "T12 nowhere", "/nowhere", "", true, ERR_NOT_FOUND },
	{ "T12 a file", "/etc/passwd", "", true, ERR_NOT_FOUND },
};

static void
test_place(void **state)
{
	const __typeof__(*PLACES) *row = *state;
	struct tool_job job = { .sandboxed = row->sandboxed };
	struct work_dir d;
	struct sandbox s;
	struct arena a;
	struct err e;

	work_dir_init(&d);
	arena_init(&a);
	job.directory = str_of(row->directory ? row->directory : d.path);
	job.hidden = str_of(row->hidden ? row->hidden : d.path);
	assert_int_equal(sandbox_place(&s, &job, "/opt/perdure", &a, &e), row->want);
	arena_release(&a);
	work_dir_release(&d);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, test_row);
	SUITE_ROWS(&s, COVERED, test_covered);
	SUITE_TEST(&s, T12_data_too_far_below_is_refused);
	SUITE_ROWS(&s, PLACES, test_place);
	return suite_run(&s, "tool/local/sandbox");
}

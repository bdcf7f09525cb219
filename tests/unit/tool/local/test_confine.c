#include "tool/local/confine.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "harness.h"

static const char *const COMMAND[] = { "npx", "-y", "server", NULL };

static struct str
joined(const char *const *words, struct buf *out)
{
	for (size_t i = 0; words[i]; i++)
		buf_printf(out, "%s%s", i > 0 ? " " : "", words[i]);
	return buf_str(out);
}

static int
make(struct tool_place *place, struct arena *a, struct child_spec *spec, struct buf *line,
     struct err *e)
{
	const struct confine c = { "/opt/perdure", "/tmp" };
	int rc = confine_command(&c, place, COMMAND, a, spec, e);

	if (rc == 0)
		joined(spec->argv, line);
	return rc;
}

static void
T10_in_the_sandbox_of_its_environment(void **state)
{
	struct tool_place place = { .directory = STR("/usr"),
				    .sandboxed = true,
				    .access = TOOL_ACCESS_READ };
	struct child_spec spec;
	struct buf line;
	struct arena a;
	struct err e;

	(void)state;
	arena_init(&a);
	buf_init(&line, 1 << 16);
	assert_int_equal(make(&place, &a, &spec, &line, &e), 0);
	assert_true(
		str_starts(buf_str(&line),
			   STR("/opt/perdure tool-helper confined open bwrap --unshare-user ")));
	assert_true(str_contains(buf_str(&line), STR(" --die-with-parent ")));
	assert_true(str_contains(buf_str(&line), STR(" --unshare-net ")));
	assert_true(str_contains(buf_str(&line), STR(" --clearenv ")));
	assert_true(str_ends(buf_str(&line), STR(" tool-helper confined closed npx -y server")));
	assert_false(str_contains(buf_str(&line), STR(" inside")));
	assert_null(spec.env[1]);
	assert_int_equal(spec.extra_fd, -1);
	place.network = true;
	buf_clear(&line);
	assert_int_equal(make(&place, &a, &spec, &line, &e), 0);
	assert_false(str_contains(buf_str(&line), STR(" --unshare-net ")));
	buf_release(&line);
	arena_release(&a);
}

static void
T10_without_one_it_gets_nothing_of_ours_and_ends_with_us(void **state)
{
	struct tool_place place = { .directory = STR("/usr") };
	struct child_spec spec;
	struct buf line;
	struct arena a;
	struct err e;

	(void)state;
	arena_init(&a);
	buf_init(&line, 1 << 16);
	assert_int_equal(make(&place, &a, &spec, &line, &e), 0);
	check_str("line", buf_str(&line),
		  STR("/opt/perdure tool-helper confined open npx -y server"));
	check_str("where", str_of(spec.directory), STR("/usr"));
	assert_true(str_starts(str_of(spec.env[0]), STR("PATH=")));
	assert_true(str_starts(str_of(spec.env[1]), STR("HOME=")));
	assert_null(spec.env[2]);
	buf_release(&line);
	arena_release(&a);
}

static void
T10_a_place_that_shows_too_much_is_refused(void **state)
{
	static const char *const PLACES[] = { "/", "/tmp", "/none/such" };
	struct tool_place place = { .sandboxed = true };
	struct child_spec spec;
	struct buf line;
	struct arena a;
	struct err e;

	(void)state;
	arena_init(&a);
	buf_init(&line, 1 << 16);
	for (size_t i = 0; i < ARRAY_LEN(PLACES); i++) {
		place.directory = str_of(PLACES[i]);
		assert_int_not_equal(make(&place, &a, &spec, &line, &e), 0);
	}
	buf_release(&line);
	arena_release(&a);
}

static void
T10_the_servers_data_is_kept_from_it(void **state)
{
	const struct confine gone = { "/opt/perdure", "/none/such" };
	const struct confine deep = { "/opt/perdure", "/usr/share/doc" };
	struct tool_place place = { .directory = STR("/usr"),
				    .sandboxed = true,
				    .access = TOOL_ACCESS_WRITE };
	struct child_spec spec;
	struct buf line;
	struct arena a;
	struct err e;

	(void)state;
	arena_init(&a);
	buf_init(&line, 1 << 16);
	assert_int_equal(confine_command(&gone, &place, COMMAND, &a, &spec, &e), ERR_DENIED);
	assert_true(str_contains(str_of(e.text), STR("/none/such")));
	assert_int_equal(confine_command(&deep, &place, COMMAND, &a, &spec, &e), 0);
	assert_true(str_contains(joined(spec.argv, &line),
				 STR(" --bind /usr /usr --bind /usr/share /usr/share --perms 0000 "
				     "--tmpfs /usr/share/doc ")));
	buf_release(&line);
	arena_release(&a);
}

static int
run(char **argv, int argc)
{
	pid_t pid = fork();
	int status;

	if (pid == 0)
		_exit(confine_main(argc, argv));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void
T10_the_last_step_becomes_the_program(void **state)
{
	static const struct {
		const char *words[5];
		int argc, code;
	} ROWS[] = {
		{ { "confined", "open", "sh", "-c", "exit 7" }, 5, 7 },
		{ { "confined", "closed", "sh", "-c", "exit 8" }, 5, 8 },
		/* a new namespace is not to be had there */
		{ { "confined", "closed", "unshare", "-U", "true" }, 5, 1 },
		{ { "confined", "open", "/none/such" }, 3, 127 },
		{ { "confined", "open" }, 2, 2 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		char *argv[6] = { 0 };

		for (int k = 0; k < ROWS[i].argc; k++)
			argv[k] = (char *)(uintptr_t)ROWS[i].words[k];
		assert_int_equal(run(argv, ROWS[i].argc), ROWS[i].code);
	}
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, T10_in_the_sandbox_of_its_environment);
	SUITE_TEST(&s, T10_without_one_it_gets_nothing_of_ours_and_ends_with_us);
	SUITE_TEST(&s, T10_a_place_that_shows_too_much_is_refused);
	SUITE_TEST(&s, T10_the_servers_data_is_kept_from_it);
	SUITE_TEST(&s, T10_the_last_step_becomes_the_program);
	return suite_run(&s, "tool/local/confine");
}

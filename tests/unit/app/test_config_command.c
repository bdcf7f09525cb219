#include "app/config_command.h"

#include <unistd.h>

#include "config_rows.h"

struct said {
	char *out, *problems;
	int rc;
	struct err e;
};

static struct said
run(const char *a, const char *b, const char *c)
{
	const char *argv[] = { "config", a, b, c };
	struct said s = { 0 };
	size_t out_len, problems_len;
	FILE *out = open_memstream(&s.out, &out_len);
	FILE *problems = open_memstream(&s.problems, &problems_len);
	int argc = 1;

	setenv("HOME", "/h", 1);
	unsetenv("XDG_CONFIG_HOME");
	unsetenv("XDG_STATE_HOME");
	unsetenv("PERDURE_CONFIG");
	while (argc < 4 && argv[argc])
		argc++;
	s.rc = config_command(argc, (char **)(uintptr_t)argv, out, problems, &s.e);
	fclose(out);
	fclose(problems);
	return s;
}

static void
said_free(struct said *s)
{
	free(s->out);
	free(s->problems);
}

static void
L2_check_tells_every_problem(void **state)
{
	char folder[64], path[128], want[600];
	struct said s;

	(void)state;
	config_rows_mkdir(folder);
	config_rows_write(folder, "c.yaml", "lisen: 1\nlog: {level: x}\n", path);
	s = run("check", path, NULL);
	assert_int_equal(s.rc, ERR_INVALID);
	assert_int_equal(err_exit_code(s.rc), 2);
	assert_string_equal(s.out, "");
	snprintf(want, sizeof want,
		 "%s:1:1: 'lisen' is not a key; did you mean 'listen'?\n"
		 "%s:2:14: log.level: must be debug, info, warn or error, not 'x'\n",
		 path, path);
	assert_string_equal(s.problems, want);
	snprintf(want, sizeof want, "%s has 2 problems", path);
	assert_string_equal(s.e.text, want);
	said_free(&s);

	config_rows_write(folder, "c.yaml", "log: {level: warn}\n", path);
	s = run("check", "--config", path);
	assert_int_equal(s.rc, 0);
	snprintf(want, sizeof want, "%s: ok\n", path);
	assert_string_equal(s.out, want);
	assert_string_equal(s.problems, "");
	said_free(&s);

	s = run("show", path, NULL);
	assert_int_equal(s.rc, 0);
	assert_true(str_contains(str_of(s.out), STR(" warn ")));
	said_free(&s);
	s = run("show", path, "--defaults");
	assert_int_equal(s.rc, 0);
	assert_false(str_contains(str_of(s.out), STR(" warn ")));
	said_free(&s);
	unlink(path);
	rmdir(folder);
}

static const struct row {
	const char *name, *argv[3];
	int want;
	const char *out;
} ROWS[] = {
	{ "L2 no file is fine",
	  { "check" },
	  0,
	  "ok: there is no file, every value is the default" },
	{ "L2 show as JSON", { "show", "--json" }, 0, "{\"file\":null,\"settings\":[{" },
	{ "L2 the table of keys", { "keys" }, 0, "| key | value | default | meaning |" },
	{ "L2 help", { "--help" }, 0, "usage: perdure config check [FILE]" },
	{ "L2 help of a verb", { "show", "-h" }, 0, "usage: perdure config check [FILE]" },
	{ "L2 no verb", { NULL }, ERR_USAGE, "" },
	{ "L2 another verb", { "chek" }, ERR_USAGE, "" },
	{ "L2 an unknown option", { "show", "--all" }, ERR_USAGE, "" },
	{ "L2 two files", { "check", "a", "b" }, ERR_USAGE, "" },
	{ "L2 --config without its value", { "check", "--config" }, ERR_USAGE, "" },
	{ "L2 a file that is not there", { "check", "/nonexistent/c" }, ERR_IO, "" },
};

static void
answers(void **state)
{
	const struct row *r = *state;
	struct said s = run(r->argv[0], r->argv[0] ? r->argv[1] : NULL,
			    r->argv[0] && r->argv[1] ? r->argv[2] : NULL);

	if (s.rc != r->want)
		fail_msg("%s: %d %s", r->name, s.rc, s.e.text);
	if (!str_starts(str_of(s.out), str_of(r->out)))
		fail_msg("%s: %s", r->name, s.out);
	if (s.rc != 0)
		assert_string_equal(s.out, "");
	said_free(&s);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, L2_check_tells_every_problem);
	SUITE_ROWS(&s, ROWS, answers);
	return suite_run(&s, "app/config_command");
}

#include "app/serve.h"

#include "harness.h"

/* How it runs, stops and reloads is tried as a process by tests/server. */
static const struct row {
	const char *name;
	const char *argv[4];
	int rc;
	const char *says;
} ROWS[] = {
	{ "help is no error", { "--help" }, 0, NULL },
	{ "help wherever it stands", { "--data", "/tmp/x", "-h" }, 0, NULL },
	{ "an unknown option", { "--port", "1" }, ERR_USAGE, "no option --port" },
	{ "a word too many", { "now" }, ERR_USAGE, "no option now" },
	{ "a value is missing", { "--listen" }, ERR_USAGE, "--listen needs a value" },
	{ "a wrong address", { "--listen", "somewhere" }, ERR_INVALID, "--listen: " },
	{ "L2 a file that is not there",
	  { "--config", "/nonexistent/c.yaml" },
	  ERR_NOT_FOUND,
	  "/nonexistent/c.yaml" },
	{ "not beyond this machine without a word",
	  { "--listen", "0.0.0.0:7340" },
	  ERR_INVALID,
	  "insecure_listen" },
};

static void
test_row(void **state)
{
	const struct row *row = *state;
	char *argv[6] = { (char *)"serve" };
	int argc = 1;
	struct err e = { 0 };

	while (argc <= 4 && row->argv[argc - 1]) {
		argv[argc] = (char *)row->argv[argc - 1];
		argc++;
	}
	assert_int_equal(serve_run(argc, argv, &e), row->rc);
	if (row->says && !strstr(e.text, row->says))
		fail_msg("'%s' does not say '%s'", e.text, row->says);
}

static void
sixteen_addresses_and_no_more(void **state)
{
	char *argv[2 * 17 + 2] = { (char *)"serve" };
	struct err e;

	(void)state;
	for (int i = 0; i < 17; i++) {
		argv[1 + 2 * i] = (char *)"--listen";
		argv[2 + 2 * i] = (char *)"127.0.0.1:0";
	}
	assert_int_equal(serve_run(35, argv, &e), ERR_USAGE);
	assert_non_null(strstr(e.text, "at most 16"));
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, test_row);
	SUITE_TEST(&s, sixteen_addresses_and_no_more);
	return suite_run(&s, "app/serve");
}

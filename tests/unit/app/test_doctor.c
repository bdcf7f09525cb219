#include "app/doctor.h"

#include <unistd.h>

#include "doctor_rows.h"

/* The verdict of the first item of a check; -1 when there is none. */
static int
verdict_of(const struct doctor_report *r, const char *check)
{
	for (size_t i = 0; i < r->items.len; i++)
		if (str_eq(str_of(r->items.ptr[i].check), str_of(check)))
			return (int)r->items.ptr[i].verdict;
	return -1;
}

static void
a_fresh_machine_is_fine(void **state)
{
	static const char *const CHECKS[] = { "version", "sqlite", "clock", "zones",
					      "config",  "data",   "listen" };
	char folder[64], path[128], data[200];
	struct doctor_report r;

	(void)state;
	config_rows_mkdir(folder);
	config_rows_write(folder, "c.yaml", "listen: 127.0.0.1:0\n", path);
	snprintf(data, sizeof data, "%s/data", folder);
	doctor_report_init(&r);
	doctor_examine(&(struct doctor_options){ .config = path, .data = data }, &r);
	for (size_t i = 0; i < ARRAY_LEN(CHECKS); i++)
		if (verdict_of(&r, CHECKS[i]) != DOCTOR_OK)
			fail_msg("%s: %d", CHECKS[i], verdict_of(&r, CHECKS[i]));
	assert_int_not_equal(access(data, F_OK), 0); /* nothing was made */
	doctor_report_release(&r);
	unlink(path);
	rmdir(folder);
}

static void
L2_a_bad_configuration_is_told_whole(void **state)
{
	char folder[64], path[128];
	struct doctor_report r;

	(void)state;
	config_rows_mkdir(folder);
	config_rows_write(folder, "c.yaml", "lisen: x\nmodl: y\n", path);
	doctor_report_init(&r);
	doctor_examine(&(struct doctor_options){ .config = path }, &r);
	assert_int_equal(r.counts[DOCTOR_FAIL], 2);
	assert_int_equal(verdict_of(&r, "config"), DOCTOR_FAIL);
	assert_int_equal(verdict_of(&r, "data"), -1); /* which one, nobody knows */
	assert_int_equal(verdict_of(&r, "listen"), -1);
	doctor_report_release(&r);
	doctor_report_init(&r);
	doctor_examine(&(struct doctor_options){ .config = path, .data = folder }, &r);
	assert_int_equal(verdict_of(&r, "data"), DOCTOR_OK);
	doctor_report_release(&r);
	doctor_report_init(&r);
	doctor_examine(&(struct doctor_options){ .config = "/nonexistent" }, &r);
	assert_int_equal(verdict_of(&r, "config"), DOCTOR_FAIL);
	doctor_report_release(&r);
	unlink(path);
	rmdir(folder);
}

static const struct usage_row {
	const char *name, *argv[4];
	int want;
} USAGES[] = {
	{ "help", { "doctor", "--help" }, 0 },
	{ "an unknown option", { "doctor", "--fast" }, ERR_USAGE },
	{ "--data without its value", { "doctor", "--data" }, ERR_USAGE },
	{ "--config without its value", { "doctor", "--config" }, ERR_USAGE },
	{ "what fails is told by the exit code",
	  { "doctor", "--json", "--config", "/nonexistent" },
	  ERR_MISMATCH },
};

static void
usage(void **state)
{
	const struct usage_row *u = *state;
	struct err e;
	int argc = 0;

	while (argc < 4 && u->argv[argc])
		argc++;
	assert_int_equal(doctor_run(argc, (char **)(uintptr_t)u->argv, &e), u->want);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, a_fresh_machine_is_fine);
	SUITE_TEST(&s, L2_a_bad_configuration_is_told_whole);
	SUITE_ROWS(&s, USAGES, usage);
	return suite_run(&s, "app/doctor");
}

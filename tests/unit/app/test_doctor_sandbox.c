#include <stdlib.h>
#include <sys/stat.h>

#include "doctor_rows.h"

/* Bubblewrap, or what stands in for it: a script of its own. */
static void
check(const char *name, const char *script, const char *want)
{
	char folder[] = "/tmp/perdure-doctor-XXXXXX", path[128];
	struct doctor_report r;

	assert_non_null(mkdtemp(folder));
	config_rows_write(folder, "bwrap", script, path);
	assert_int_equal(chmod(path, 0700), 0);
	doctor_report_init(&r);
	doctor_sandbox(&r, path);
	doctor_rows_check(name, &r, want);
	doctor_report_release(&r);
	remove(path);
	remove(folder);
}

static const struct row {
	const char *name, *script, *want;
} ROWS[] = {
	{ "it works", "#!/bin/sh\nexit 0\n",
	  "ok sandbox: bubblewrap keeps tools apart from this machine" },
	{ "it may not", "#!/bin/sh\necho 'bwrap: No permissions' >&2\nexit 1\n",
	  "warn sandbox: bubblewrap cannot isolate here: bwrap: No permissions" },
	{ "it talks for ever", "#!/bin/sh\nhead -c 100000 /dev/zero | tr '\\0' y\nexit 0\n",
	  "ok sandbox: bubblewrap keeps tools apart from this machine" },
};

static void
check_row(void **state)
{
	const struct row *row = *state;

	check(row->name, row->script, row->want);
}

static void
T12_who_has_none_is_told_what_to_install(void **state)
{
	struct doctor_report r;

	(void)state;
	doctor_report_init(&r);
	doctor_sandbox(&r, "no-such-bubblewrap");
	doctor_rows_check("none", &r,
			  "warn sandbox: there is no program no-such-bubblewrap in PATH");
	doctor_report_release(&r);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, check_row);
	SUITE_TEST(&s, T12_who_has_none_is_told_what_to_install);
	return suite_run(&s, "app/doctor_sandbox");
}

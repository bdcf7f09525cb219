#include <sqlite3.h>

#include "base/timestamp.h"
#include "doctor_rows.h"

static void
the_program_and_its_library(void **state)
{
	struct doctor_report r;
	char want[200];

	(void)state;
	doctor_report_init(&r);
	doctor_version(&r);
	snprintf(want, sizeof want,
		 "ok version: perdure %s\nok sqlite: SQLite %s with threads and FTS5",
		 PERDURE_VERSION, sqlite3_libversion());
	doctor_rows_check("version", &r, want);
	doctor_report_release(&r);
}

static const struct clock_row {
	const char *name, *now, *want;
} CLOCKS[] = {
	{ "a sane clock", "2026-03-29T01:00:00.5Z", "ok clock: it is 2026-03-29T01:00:00Z" },
	{ "an empty battery", "1970-01-01T00:00:09Z",
	  "fail clock: it is 1970-01-01T00:00:09Z, which cannot be" },
	{ "just too early", "2024-12-31T23:59:59Z",
	  "fail clock: it is 2024-12-31T23:59:59Z, which cannot be" },
	{ "the first instant", "2025-01-01T00:00:00Z", "ok clock: it is 2025-01-01T00:00:00Z" },
	{ "far ahead", "2101-01-01T00:00:00Z",
	  "fail clock: it is 2101-01-01T00:00:00Z, which cannot be" },
};

static void
clocks(void **state)
{
	const struct clock_row *row = *state;
	struct doctor_report r;
	char want[200];
	int64_t now;

	assert_true(timestamp_parse(str_of(row->now), &now));
	doctor_report_init(&r);
	doctor_clock(&r, now);
	snprintf(want, sizeof want, "%s\nok zones: time zone rules are readable", row->want);
	doctor_rows_check(row->name, &r, want);
	doctor_report_release(&r);
}

static const struct file_row {
	const char *name;
	int64_t wanted, allowed;
	const char *want;
} FILES[] = {
	{ "enough open files", 1000, 1000, "ok files: 1000 open files are allowed" },
	{ "one too few", 1000, 999,
	  "warn files: 999 open files are allowed, limits.connections can need 1000" },
	{ "far too few", 1000, 255,
	  "fail files: 255 open files are allowed, limits.connections can need 1000" },
	{ "few, but enough", 200, 200, "ok files: 200 open files are allowed" },
};

static void
files(void **state)
{
	const struct file_row *row = *state;
	struct doctor_report r;

	doctor_report_init(&r);
	doctor_descriptors(&r, row->wanted, row->allowed);
	doctor_rows_check(row->name, &r, row->want);
	doctor_report_release(&r);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, the_program_and_its_library);
	SUITE_ROWS(&s, CLOCKS, clocks);
	SUITE_ROWS(&s, FILES, files);
	return suite_run(&s, "app/doctor_machine");
}

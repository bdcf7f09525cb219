/* doctor_machine - program, SQLite, clock and limits of this machine. */
#include <sqlite3.h>

#include "app/doctor_private.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/timestamp.h"

enum { SQLITE_LEAST = 3040000, YEAR_MIN = 2025, YEAR_MAX = 2100, DESCRIPTORS_LEAST = 256 };

void
doctor_version(struct doctor_report *r)
{
	static const char UPDATE[] = "install a libsqlite3 of at least 3.40, with threads and FTS5";
	bool old = sqlite3_libversion_number() < SQLITE_LEAST, threads = sqlite3_threadsafe() != 0;
	bool search = sqlite3_compileoption_used("ENABLE_FTS5") != 0;

	doctor_report_ok(r, "version", "perdure %s", PERDURE_VERSION);
	if (old || !threads || !search)
		doctor_report_add(r, DOCTOR_FAIL, "sqlite", UPDATE, "SQLite %s%s%s%s",
				  sqlite3_libversion(), old ? ", which is too old" : "",
				  threads ? "" : ", built without threads",
				  search ? "" : ", built without FTS5");
	else
		doctor_report_ok(r, "sqlite", "SQLite %s with threads and FTS5",
				 sqlite3_libversion());
}

static void
check_zones(struct doctor_report *r)
{
	struct str rules;
	struct arena a;
	struct err e;

	arena_init(&a);
	if (file_read_zoneinfo(STR("Europe/Berlin"), &a, &rules, &e) != 0)
		doctor_report_add(r, DOCTOR_FAIL, "zones",
				  "install tzdata: schedules and daily resets need time zones",
				  "%s", e.text);
	else
		doctor_report_ok(r, "zones", "time zone rules are readable");
	arena_release(&a);
}

void
doctor_clock(struct doctor_report *r, int64_t now_ms)
{
	char text[TIMESTAMP_TEXT_MAX];
	int64_t year = timestamp_to_civil(now_ms).year, before = clock_monotonic_ns();
	struct str now = timestamp_format(now_ms / 1000 * 1000, text);

	if (year < YEAR_MIN || year > YEAR_MAX)
		doctor_report_add(r, DOCTOR_FAIL, "clock",
				  "set the clock (timedatectl set-ntp true): expiry, schedules and "
				  "certificates go by it",
				  "it is " STR_FMT ", which cannot be", STR_ARG(now));
	else if (clock_monotonic_ns() < before)
		doctor_report_add(r, DOCTOR_FAIL, "clock", "this kernel or its host is broken",
				  "the monotonic clock goes back");
	else
		doctor_report_ok(r, "clock", "it is " STR_FMT, STR_ARG(now));
	check_zones(r);
}

void
doctor_descriptors(struct doctor_report *r, int64_t wanted, int64_t allowed)
{
	const char *advice = arena_printf(&r->a,
					  "allow more (ulimit -n %lld, or LimitNOFILE= of its "
					  "service), or lower limits.connections",
					  (long long)wanted)
				     .ptr;

	if (allowed >= wanted)
		doctor_report_ok(r, "files", "%lld open files are allowed", (long long)allowed);
	else
		doctor_report_add(r, allowed < DESCRIPTORS_LEAST ? DOCTOR_FAIL : DOCTOR_WARN,
				  "files", advice,
				  "%lld open files are allowed, limits.connections can need %lld",
				  (long long)allowed, (long long)wanted);
}

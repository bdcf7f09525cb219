#include "base/rand.h"
#include "base/timestamp.h"
#include "harness.h"

/* The instants come from date -u -d. */
static const struct parse_row {
	const char *name; /* the text */
	bool ok;
	int64_t want_ms;
} parse_rows[] = {
	{ "1970-01-01T00:00:00Z", true, 0 },
	{ "1969-12-31T23:59:59.999Z", true, -1 },
	{ "2026-03-29T01:02:03.456Z", true, INT64_C(1774746123456) },
	{ "2026-03-29t01:02:03.456z", true, INT64_C(1774746123456) },
	{ "2026-03-29 01:02:03.456Z", true, INT64_C(1774746123456) },
	{ "2026-03-29T03:02:03.456+02:00", true, INT64_C(1774746123456) },
	{ "2026-03-28T19:32:03.456-05:30", true, INT64_C(1774746123456) },
	{ "2026-03-29T01:02:03.456-00:00", true, INT64_C(1774746123456) },
	{ "2026-03-29T01:02:03.4Z", true, INT64_C(1774746123400) },
	{ "2026-03-29T01:02:03.45678901234Z", true, INT64_C(1774746123456) },
	{ "2024-02-29T00:00:00Z", true, INT64_C(1709164800000) },
	{ "2000-02-29T00:00:00Z", true, INT64_C(951782400000) },
	{ "2016-12-31T23:59:60Z", true, INT64_C(1483228800000) },
	{ "0000-01-01T00:00:00Z", true, INT64_C(-62167219200000) },
	{ "9999-12-31T23:59:59.999Z", true, INT64_C(253402300799999) },
	{ "2026-01-01T00:00:00+23:59", true, INT64_C(1767139260000) },
	{ "", false, 0 },
	{ "2026-03-29", false, 0 },
	{ "2026-03-29T01:02:03", false, 0 },
	{ "2026-03-29T01:02Z", false, 0 },
	{ "2026-03-29T01:02:03.Z", false, 0 },
	{ "2026-03-29T01:02:03,5Z", false, 0 },
	{ "2026-03-29T01:02:03Zx", false, 0 },
	{ " 2026-03-29T01:02:03Z", false, 0 },
	{ "2026-3-29T01:02:03Z", false, 0 },
	{ "26-03-29T01:02:03Z", false, 0 },
	{ "12026-03-29T01:02:03Z", false, 0 },
	{ "-026-03-29T01:02:03Z", false, 0 },
	{ "2026-00-10T00:00:00Z", false, 0 },
	{ "2026-13-10T00:00:00Z", false, 0 },
	{ "2026-01-00T00:00:00Z", false, 0 },
	{ "2026-01-32T00:00:00Z", false, 0 },
	{ "2026-04-31T00:00:00Z", false, 0 },
	{ "2026-02-29T00:00:00Z", false, 0 },
	{ "1900-02-29T00:00:00Z", false, 0 },
	{ "2026-01-01T24:00:00Z", false, 0 },
	{ "2026-01-01T00:60:00Z", false, 0 },
	{ "2026-01-01T00:00:61Z", false, 0 },
	{ "2026-01-01T00:00:00+24:00", false, 0 },
	{ "2026-01-01T00:00:00+01:60", false, 0 },
	{ "2026-01-01T00:00:00+0100", false, 0 },
	{ "2026-01-01T00:00:00+01", false, 0 },
};

static void
parses(void **state)
{
	const struct parse_row *row = *state;
	int64_t got = 77;

	assert_int_equal(timestamp_parse(str_of(row->name), &got), row->ok);
	assert_true(got == (row->ok ? row->want_ms : 77));
}

static void
a_NUL_inside_is_refused(void **state)
{
	int64_t ms;

	(void)state;
	assert_false(timestamp_parse(STR("2026-03-29\0"
					 "01:02:03Z"),
				     &ms));
	assert_false(timestamp_parse(STR("2026-03-29T01:02:03Z\0"), &ms));
}

static const struct format_row {
	const char *name; /* the text wanted */
	int64_t ms;
	int offset_s; /* 0: as UTC with Z */
} format_rows[] = {
	{ "1970-01-01T00:00:00Z", 0, 0 },
	{ "1969-12-31T23:59:59.999Z", -1, 0 },
	{ "2026-03-29T01:02:03.050Z", INT64_C(1774746123050), 0 },
	{ "2026-03-29T03:02:03+02:00", INT64_C(1774746123000), 7200 },
	{ "2026-03-28T19:32:03-05:30", INT64_C(1774746123000), -19800 },
	{ "292278994-08-17T07:12:55.807Z", INT64_MAX, 0 },
	{ "-292275055-05-16T16:47:04.192Z", INT64_MIN, 0 },
	{ "-292275055-05-16T18:47:04.192+02:00", INT64_MIN, 7200 },
	{ "292278994-08-17T05:12:55.807-02:00", INT64_MAX, -7200 },
};

static void
formats(void **state)
{
	const struct format_row *row = *state;
	char out[TIMESTAMP_TEXT_MAX];
	struct str got = row->offset_s ? timestamp_format_offset(row->ms, row->offset_s, out)
				       : timestamp_format(row->ms, out);

	check_str("text", got, str_of(row->name));
}

static void
offsets_beyond_the_last_instant_do_not_overflow(void **state)
{
	char out[TIMESTAMP_TEXT_MAX];

	(void)state;
	assert_true(timestamp_format_offset(INT64_MAX, 3600, out).len > 0);
	assert_true(timestamp_format_offset(INT64_MIN, -3600, out).len > 0);
}

/* Every day of eight centuries, against counting. */
static void
days_are_counted_one_by_one(void **state)
{
	int64_t day = timestamp_days(1600, 1, 1);
	int weekday = 6; /* 1600-01-01 was a Saturday */

	(void)state;
	for (int64_t year = 1600; year < 2400; year++) {
		for (int month = 1; month <= 12; month++) {
			for (int d = 1; d <= timestamp_days_in_month(year, month); d++, day++) {
				struct civil c = timestamp_to_civil(day * 86400000);
				if (timestamp_days(year, month, d) != day || c.year != year ||
				    c.month != month || c.day != d ||
				    timestamp_weekday(day) != weekday)
					fail_msg("%lld-%02d-%02d", (long long)year, month, d);
				weekday = (weekday + 1) % 7;
			}
		}
	}
}

static void
property_civil_round_trip(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < suite_seeds(100000); seed++) {
		struct rand r;
		struct civil c;
		int64_t ms;

		rand_init_seed(&r, seed);
		ms = (int64_t)rand_u64(&r) >> rand_below(&r, 63);
		if (seed < 2)
			ms = seed ? INT64_MIN : INT64_MAX;
		c = timestamp_to_civil(ms);
		if (timestamp_from_civil(&c) != ms || c.month < 1 || c.month > 12 || c.day < 1 ||
		    c.day > timestamp_days_in_month(c.year, c.month) || c.hour < 0 || c.hour > 23 ||
		    c.minute < 0 || c.minute > 59 || c.second < 0 || c.second > 59 || c.ms < 0 ||
		    c.ms > 999)
			fail_msg("seed %llu: %lld", (unsigned long long)seed, (long long)ms);
	}
}

static void
property_text_round_trip(void **state)
{
	static const int64_t FIRST_MS = INT64_C(-62167219200000),
			     LAST_MS = INT64_C(253402300799999);

	(void)state;
	for (uint64_t seed = 0; seed < suite_seeds(20000); seed++) {
		char out[TIMESTAMP_TEXT_MAX];
		struct rand r;
		int64_t ms, back;
		int offset_s;

		rand_init_seed(&r, seed);
		ms = FIRST_MS + 86400000 +
		     (int64_t)rand_below(&r, (uint64_t)(LAST_MS - FIRST_MS - 2 * 86400000));
		offset_s = 60 * ((int)rand_below(&r, 2 * 1439) - 1439);
		if (!timestamp_parse(timestamp_format(ms, out), &back) || back != ms ||
		    !timestamp_parse(timestamp_format_offset(ms, offset_s, out), &back) ||
		    back != ms)
			fail_msg("seed %llu: %s", (unsigned long long)seed, out);
	}
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, parse_rows, parses);
	SUITE_TEST(&s, a_NUL_inside_is_refused);
	SUITE_ROWS(&s, format_rows, formats);
	SUITE_TEST(&s, offsets_beyond_the_last_instant_do_not_overflow);
	SUITE_TEST(&s, days_are_counted_one_by_one);
	SUITE_TEST(&s, property_civil_round_trip);
	SUITE_TEST(&s, property_text_round_trip);
	return suite_run(&s, "timestamp");
}

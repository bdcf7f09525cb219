#include <stdio.h>

#include "base/rand.h"
#include "base/timestamp.h"
#include "core/retry_after.h"
#include "harness.h"

#define NOW INT64_C(784111777000) /* Sun, 06 Nov 1994 08:49:37 GMT */

static const struct row {
	const char *name, *text;
	int64_t want; /* -1: refused */
} ROWS[] = {
	{ "T6 seconds", "120", 120000 },
	{ "T6 no wait", "0", 0 },
	{ "T6 blanks around", " 5 ", 5000 },
	{ "T6 fractions are rounded up", "1.0005", 1001 },
	{ "T6 fractions of ms exactly", "0.250", 250 },
	{ "T6 a fraction of zeros", "2.0000", 2000 },
	{ "T6 an absurd number is capped", "99999999999999999999", INT64_C(1000000000000) },
	{ "T6 a date ahead", "Sun, 06 Nov 1994 08:49:40 GMT", 3000 },
	{ "T6 a date now", "Sun, 06 Nov 1994 08:49:37 GMT", 0 },
	{ "T6 a date past", "Sun, 06 Nov 1994 08:49:36 GMT", 0 },
	{ "T6 a leap second", "Sun, 06 Nov 1994 08:49:60 GMT", 23000 },
	{ "T6 a leap day", "Thu, 29 Feb 1996 00:00:00 GMT", INT64_C(825552000000) - NOW },
	{ "T6 no leap day", "Wed, 29 Feb 1995 00:00:00 GMT", -1 },
	{ "T6 a wrong weekday", "Mon, 06 Nov 1994 08:49:40 GMT", -1 },
	{ "T6 no weekday", "Xyz, 06 Nov 1994 08:49:40 GMT", -1 },
	{ "T6 no month", "Sun, 06 Xyz 1994 08:49:40 GMT", -1 },
	{ "T6 day zero", "Mon, 00 Nov 1994 08:49:40 GMT", -1 },
	{ "T6 hour 24", "Sun, 06 Nov 1994 24:00:00 GMT", -1 },
	{ "T6 minute 60", "Sun, 06 Nov 1994 08:60:00 GMT", -1 },
	{ "T6 second 61", "Sun, 06 Nov 1994 08:49:61 GMT", -1 },
	{ "T6 another zone", "Sun, 06 Nov 1994 08:49:40 CET", -1 },
	{ "T6 a missing comma", "Sun  06 Nov 1994 08:49:40 GMT", -1 },
	{ "T6 a letter in the day", "Sun, 0x Nov 1994 08:49:40 GMT", -1 },
	{ "T6 a letter in the year", "Sun, 06 Nov 199x 08:49:40 GMT", -1 },
	{ "T6 a letter in the hour", "Sun, 06 Nov 1994 0x:49:40 GMT", -1 },
	{ "T6 a letter in the minute", "Sun, 06 Nov 1994 08:4x:40 GMT", -1 },
	{ "T6 a letter in the second", "Sun, 06 Nov 1994 08:49:4x GMT", -1 },
	{ "T6 a byte above the digits", "Sun, 06 Nov 1994 08:49:3: GMT", -1 },
	{ "T6 a byte below the digits", "Sun, 06 Nov 1994 08:49:4/ GMT", -1 },
	{ "T6 a date cut short", "Sun, 06 Nov 1994", -1 },
	{ "T6 nothing", "", -1 },
	{ "T6 a sign", "-1", -1 },
	{ "T6 a word", "soon", -1 },
	{ "T6 a point without digits", "1.", -1 },
	{ "T6 a fraction without whole", ".5", -1 },
	{ "T6 a fraction with a letter", "1.x", -1 },
};

static void
check_row(void **state)
{
	const struct row *r = *state;
	int64_t got = -1;

	if (!retry_after_parse(str_of(r->text), NOW, &got))
		got = -1;
	if (got != r->want)
		fail_msg("%s: %lld, wanted %lld", r->name, (long long)got, (long long)r->want);
}

static void
T6_milliseconds(void **state)
{
	int64_t ms = -1;

	(void)state;
	assert_true(retry_after_parse_ms(STR("1500"), &ms));
	assert_int_equal(ms, 1500);
	assert_true(retry_after_parse_ms(STR("12.3"), &ms));
	assert_int_equal(ms, 13);
	assert_false(retry_after_parse_ms(STR("1s"), &ms));
}

static void
T6_property_dates_read_back(void **state)
{
	static const char *const DAYS[] = { "Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat" };
	static const char *const MONTHS[] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun",
					      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec" };

	(void)state;
	for (uint64_t seed = 0; seed < suite_seeds(5000); seed++) {
		struct rand r;
		struct civil c;
		int64_t ms, got = 0;
		char text[64];

		rand_init_seed(&r, seed);
		ms = (int64_t)rand_below(&r, 4102444800) * 1000;
		c = timestamp_to_civil(ms);
		snprintf(text, sizeof text, "%s, %02d %s %04d %02d:%02d:%02d GMT",
			 DAYS[timestamp_weekday(timestamp_days(c.year, c.month, c.day))], c.day,
			 MONTHS[c.month - 1], (int)c.year, c.hour, c.minute, c.second);
		if (!retry_after_parse_date(str_of(text), &got) || got != ms)
			fail_msg("seed %llu: %s", (unsigned long long)seed, text);
	}
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, check_row);
	SUITE_TEST(&s, T6_milliseconds);
	SUITE_TEST(&s, T6_property_dates_read_back);
	return suite_run(&s, "core/retry_after");
}

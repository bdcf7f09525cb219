#include "cli/time_words.h"

#include "harness.h"

#define S(n) (INT64_C(1000) * (n))

static const struct row {
	const char *name;
	int64_t ago_ms;
	const char *want;
} rows[] = {
	{ "now", 0, "now" },
	{ "just now", S(4), "now" },
	{ "seconds", S(5), "5 s ago" },
	{ "the last second of a minute", S(59), "59 s ago" },
	{ "minutes", S(60), "1 min ago" },
	{ "the last minute of an hour", S(3599), "59 min ago" },
	{ "hours", S(3600), "1 h ago" },
	{ "days", S(86400), "1 d ago" },
	{ "the last day in words", S(30 * 86400 - 1), "29 d ago" },
	{ "a date", S(30 * 86400), "2026-02-27" },
	{ "ahead", -S(7200), "in 2 h" },
	{ "far ahead", -S(40 * 86400), "2026-05-08" },
};

static void
test_row(void **state)
{
	const struct row *row = *state;
	const int64_t now = S(INT64_C(1774742400)); /* 2026-03-29 */
	char out[TIME_WORDS_MAX];

	check_str(row->name, time_words(now, now - row->ago_ms, out), str_of(row->want));
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, rows, test_row);
	return suite_run(&s, "time_words");
}

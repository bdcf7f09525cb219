#include "explain_rows.h"

/* Texts without a name of their own keep the rows on a line or two. */
#define CRON(expression, zone, after, count)                                          \
	"{\"expression\":\"" expression "\",\"zone\":\"" zone "\",\"after\":\"" after \
	"\",\"count\":" count "}"
#define BERLIN   "Europe/Berlin"
#define NEW_YORK "America/New_York"
#define HOWE     "Australia/Lord_Howe"

static const struct explain_row ROWS[] = {
	{ "H3 cron: one by default, in UTC", "cron",
	  "{\"expression\":\"0 12 * * *\",\"after\":\"2026-01-01T12:00:00Z\"}",
	  "{\"next\":[\"2026-01-02T12:00:00Z\"]}" },
	{ "H3 cron: after with an offset", "cron",
	  "{\"expression\":\"0 12 * * *\",\"after\":\"2026-01-01T12:59:59+01:00\"}",
	  "{\"next\":[\"2026-01-01T12:00:00Z\"]}" },
	{ "H3 cron: 30 2 on the spring day in Berlin", "cron",
	  CRON("30 2 * * *", BERLIN, "2026-03-28T12:00:00Z", "2"),
	  "{\"next\":[\"2026-03-29T01:00:00Z\",\"2026-03-30T00:30:00Z\"]}" },
	{ "H3 cron: 30 2 on the autumn day in Berlin", "cron",
	  CRON("30 2 * * *", BERLIN, "2026-10-24T12:00:00Z", "2"),
	  "{\"next\":[\"2026-10-25T00:30:00Z\",\"2026-10-26T01:30:00Z\"]}" },
	{ "H3 cron: 30 2 on the spring day in New York", "cron",
	  CRON("30 2 * * *", NEW_YORK, "2026-03-07T12:00:00Z", "2"),
	  "{\"next\":[\"2026-03-08T07:00:00Z\",\"2026-03-09T06:30:00Z\"]}" },
	{ "H3 cron: 30 1 on the autumn day in New York", "cron",
	  CRON("30 1 * * *", NEW_YORK, "2026-10-31T12:00:00Z", "2"),
	  "{\"next\":[\"2026-11-01T05:30:00Z\",\"2026-11-02T06:30:00Z\"]}" },
	{ "H3 cron: 15 2 on the spring day of Lord Howe", "cron",
	  CRON("15 2 * * *", HOWE, "2026-10-03T00:00:00Z", "2"),
	  "{\"next\":[\"2026-10-03T15:30:00Z\",\"2026-10-04T15:15:00Z\"]}" },
	{ "H3 cron: 45 1 on the autumn day of Lord Howe", "cron",
	  CRON("45 1 * * *", HOWE, "2026-04-04T00:00:00Z", "2"),
	  "{\"next\":[\"2026-04-04T14:45:00Z\",\"2026-04-05T15:15:00Z\"]}" },
	{ "H3 cron: five minutes over the spring change", "cron",
	  CRON("*/5 * * * *", BERLIN, "2026-03-29T00:50:00Z", "4"),
	  "{\"next\":[\"2026-03-29T00:55:00Z\",\"2026-03-29T01:00:00Z\","
	  "\"2026-03-29T01:05:00Z\",\"2026-03-29T01:10:00Z\"]}" },
	{ "H3 cron: five minutes over the autumn change", "cron",
	  CRON("*/5 * * * *", BERLIN, "2026-10-25T00:50:00Z", "4"),
	  "{\"next\":[\"2026-10-25T00:55:00Z\",\"2026-10-25T01:00:00Z\","
	  "\"2026-10-25T01:05:00Z\",\"2026-10-25T01:10:00Z\"]}" },
	{ "H3 cron: stepped hours over the autumn change", "cron",
	  CRON("0 */2 * * *", BERLIN, "2026-10-24T22:00:00Z", "3"),
	  "{\"next\":[\"2026-10-25T00:00:00Z\",\"2026-10-25T01:00:00Z\","
	  "\"2026-10-25T03:00:00Z\"]}" },
	{ "H3 cron: leap day", "cron", CRON("0 0 29 2 *", "UTC", "2026-01-01T00:00:00Z", "3"),
	  "{\"next\":[\"2028-02-29T00:00:00Z\",\"2032-02-29T00:00:00Z\","
	  "\"2036-02-29T00:00:00Z\"]}" },
	{ "H3 cron: leap day over a century", "cron",
	  CRON("0 0 29 2 *", "UTC", "2096-03-01T00:00:00Z", "1"),
	  "{\"next\":[\"2104-02-29T00:00:00Z\"]}" },
	{ "H3 cron: month ends", "cron", CRON("0 0 31 * *", "UTC", "2026-01-31T00:00:00Z", "2"),
	  "{\"next\":[\"2026-03-31T00:00:00Z\",\"2026-05-31T00:00:00Z\"]}" },
	{ "H3 cron: a date that never comes", "cron",
	  CRON("0 0 31 2 *", BERLIN, "2026-01-01T00:00:00Z", "1000"), "{\"next\":[]}" },
	{ "H3 cron: day or weekday", "cron", CRON("0 0 13 * 5", "UTC", "2026-01-01T00:00:00Z", "3"),
	  "{\"next\":[\"2026-01-02T00:00:00Z\",\"2026-01-09T00:00:00Z\","
	  "\"2026-01-13T00:00:00Z\"]}" },
	{ "H3 cron: a stepped day is a restriction", "cron",
	  CRON("0 0 */10 * mon", "UTC", "2026-01-01T00:00:00Z", "3"),
	  "{\"next\":[\"2026-01-05T00:00:00Z\",\"2026-01-11T00:00:00Z\","
	  "\"2026-01-12T00:00:00Z\"]}" },
	{ "H3 cron: @weekly", "cron", CRON("@weekly", "UTC", "2026-01-01T00:00:00Z", "1"),
	  "{\"next\":[\"2026-01-04T00:00:00Z\"]}" },
	{ "H3 cron: far ahead by rule", "cron",
	  CRON("0 12 1 7 *", BERLIN, "2150-01-01T00:00:00Z", "1"),
	  "{\"next\":[\"2150-07-01T10:00:00Z\"]}" },

	{ "H3 cron: no expression", "cron", "{\"after\":\"2026-01-01T00:00:00Z\"}",
	  "error: expression" },
	{ "H3 cron: no after", "cron", "{\"expression\":\"@daily\"}", "error: after" },
	{ "H3 cron: the field at fault", "cron",
	  CRON("0 25 * * *", "UTC", "2026-01-01T00:00:00Z", "1"),
	  "error: expression: hour: '25' is not in 0..23" },
	{ "H3 cron: four fields", "cron", CRON("* * * *", "UTC", "2026-01-01T00:00:00Z", "1"),
	  "error: expression: day-of-week: missing" },
	{ "H3 cron: @reboot", "cron", CRON("@reboot", "UTC", "2026-01-01T00:00:00Z", "1"),
	  "error: expression: '@reboot'" },
	{ "H3 cron: unknown zone", "cron",
	  CRON("@daily", "Mars/Olympus", "2026-01-01T00:00:00Z", "1"), "error: zone: " },
	{ "H3 cron: zone outside the folder", "cron",
	  CRON("@daily", "../../etc/passwd", "2026-01-01T00:00:00Z", "1"), "error: zone: " },
	{ "H3 cron: zone is a folder", "cron",
	  CRON("@daily", "Europe", "2026-01-01T00:00:00Z", "1"), "error: zone: " },
	{ "H3 cron: zone is another file", "cron",
	  CRON("@daily", "leapseconds", "2026-01-01T00:00:00Z", "1"),
	  "error: zone: not a TZif file" },
	{ "H3 cron: bad after", "cron", CRON("@daily", "UTC", "2026-02-29T00:00:00Z", "1"),
	  "error: after: '2026-02-29T00:00:00Z' is not an instant" },
	{ "H3 cron: after without a zone", "cron",
	  CRON("@daily", "UTC", "2026-02-28T00:00:00", "1"), "error: after: " },
	{ "H3 cron: count 0", "cron", CRON("@daily", "UTC", "2026-01-01T00:00:00Z", "0"),
	  "error: count" },
	{ "H3 cron: count 1001", "cron", CRON("@daily", "UTC", "2026-01-01T00:00:00Z", "1001"),
	  "error: count" },
	{ "H3 cron: count 1.5", "cron", CRON("@daily", "UTC", "2026-01-01T00:00:00Z", "1.5"),
	  "error: count" },
	{ "H3 cron: null zone", "cron",
	  "{\"expression\":\"@daily\",\"after\":\"2026-01-01T00:00:00Z\",\"zone\":null}",
	  "error: zone" },
	{ "H3 cron: unknown field", "cron",
	  "{\"expression\":\"@daily\",\"after\":\"2026-01-01T00:00:00Z\",\"tz\":\"UTC\"}",
	  "error: tz" },
};

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, explain_row_check);
	return suite_run(&s, "explain_cron");
}

#include "zones.h"

static const struct {
	const char *name, *text;
	int64_t year;
	int32_t standard_s, daylight_s;
	const char *begin, *end; /* NULL: no daylight time */
} RULES[] = {
	{ "H3 rule of Berlin", "CET-1CEST,M3.5.0,M10.5.0/3", 2100, 3600, 7200,
	  "2100-03-28T01:00:00Z", "2100-10-31T01:00:00Z" },
	{ "H3 rule without daylight time", "MSK-3", 2100, 10800, 0, NULL, NULL },
	{ "H3 rule west of Greenwich", "EST5EDT,M3.2.0,M11.1.0", 2026, -18000, -14400,
	  "2026-03-08T07:00:00Z", "2026-11-01T06:00:00Z" },
	{ "H3 rule with any letters", "aAzZ5", 2026, -18000, 0, NULL, NULL },
	{ "H3 rule with a plus sign", "EST+5", 2026, -18000, 0, NULL, NULL },
	{ "H3 rule with a bracketed name", "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", 2026, 37800,
	  39600, "2026-10-03T15:30:00Z", "2026-04-04T15:00:00Z" },
	{ "H3 rule with seconds", "LMT-0:53:28", 2026, 3208, 0, NULL, NULL },
	{ "H3 rule in negative hours", "<-02>2<-01>,M3.5.0/-1,M10.5.0/0", 2100, -7200, -3600,
	  "2100-03-28T01:00:00Z", "2100-10-31T01:00:00Z" },
	{ "H3 rule of many hours", "EET-2EEST,M3.4.4/50,M10.4.4/50", 2100, 7200, 10800,
	  "2100-03-27T00:00:00Z", "2100-10-29T23:00:00Z" },
	{ "H3 rule into the next year", "AAA0BBB,J1,J365/167", 2026, 0, 3600,
	  "2026-01-01T02:00:00Z", "2027-01-06T22:00:00Z" },
	{ "H3 rule 167 hours back", "AAA0BBB,M1.1.0/-167:59:59,J365", 2026, 0, 3600,
	  "2025-12-28T00:00:01Z", "2026-12-31T01:00:00Z" },
	{ "H3 rule J60 in a leap year", "AAA0BBB,J59,J60", 2024, 0, 3600, "2024-02-28T02:00:00Z",
	  "2024-03-01T01:00:00Z" },
	{ "H3 rule J60 in another", "AAA0BBB,J59,J60", 2023, 0, 3600, "2023-02-28T02:00:00Z",
	  "2023-03-01T01:00:00Z" },
	{ "H3 rule day 59 in a leap year", "AAA0BBB,0,59", 2024, 0, 3600, "2024-01-01T02:00:00Z",
	  "2024-02-29T01:00:00Z" },
	{ "H3 rule day 59 in another", "AAA0BBB,0,59", 2023, 0, 3600, "2023-01-01T02:00:00Z",
	  "2023-03-01T01:00:00Z" },
	{ "H3 rule fifth week that exists", "AAA0BBB,M5.5.0,M9.4.0", 2026, 0, 3600,
	  "2026-05-31T02:00:00Z", "2026-09-27T01:00:00Z" },
	{ "H3 rule fifth week that does not", "AAA0BBB,M2.5.6,M2.1.0", 2026, 0, 3600,
	  "2026-02-28T02:00:00Z", "2026-02-01T01:00:00Z" },
	{ "H3 rule daylight below standard", "IST-1GMT0,M10.5.0,M3.5.0/1", 2026, 3600, 0,
	  "2026-10-25T01:00:00Z", "2026-03-29T01:00:00Z" },
};

static void
rule_row(void **state)
{
	const __typeof__(RULES[0]) *row = *state;
	struct zone_rule rule;
	struct zone_year year;
	struct err e = { 0 };

	if (zone_rule_parse(str_of(row->text), &rule, &e) != 0)
		fail_msg("%s", e.text);
	assert_int_equal(rule.standard_s, row->standard_s);
	assert_int_equal(rule.has_daylight, row->begin != NULL);
	if (!row->begin)
		return;
	assert_int_equal(rule.daylight_s, row->daylight_s);
	year = zone_rule_year(&rule, row->year);
	check_instant("begin", year.daylight_begin_s * 1000, instant(row->begin));
	check_instant("end", year.daylight_end_s * 1000, instant(row->end));
}

static const struct {
	const char *name, *text;
} REFUSED[] = {
	{ "H3 rule refused: empty", "" },
	{ "H3 rule refused: no offset", "CET" },
	{ "H3 rule refused: short name", "CE-1" },
	{ "H3 rule refused: digits without brackets", "C3T-1" },
	{ "H3 rule refused: open bracket", "<+03-3" },
	{ "H3 rule refused: sign alone", "CET-" },
	{ "H3 rule refused: hours", "CET-25" },
	{ "H3 rule refused: too many digits", "CET-0001" },
	{ "H3 rule refused: minutes", "CET-1:60" },
	{ "H3 rule refused: seconds", "CET-1:00:60" },
	{ "H3 rule refused: minutes missing", "CET-1:" },
	{ "H3 rule refused: short daylight name", "CET-1CE,M3.5.0,M10.5.0" },
	{ "H3 rule refused: daylight offset", "CET-1CEST-x,M3.5.0,M10.5.0" },
	{ "H3 rule refused: no changes", "CET-1CEST" },
	{ "H3 rule refused: one change", "CET-1CEST,M3.5.0" },
	{ "H3 rule refused: month 0", "CET-1CEST,M0.5.0,M10.5.0" },
	{ "H3 rule refused: month 13", "CET-1CEST,M13.5.0,M10.5.0" },
	{ "H3 rule refused: week 6", "CET-1CEST,M3.6.0,M10.5.0" },
	{ "H3 rule refused: weekday 7", "CET-1CEST,M3.5.7,M10.5.0" },
	{ "H3 rule refused: month alone", "CET-1CEST,M3,M10.5.0" },
	{ "H3 rule refused: no weekday", "CET-1CEST,M3.5,M10.5.0" },
	{ "H3 rule refused: J0", "CET-1CEST,J0,J365" },
	{ "H3 rule refused: J366", "CET-1CEST,J1,J366" },
	{ "H3 rule refused: day 366", "CET-1CEST,0,366" },
	{ "H3 rule refused: 168 hours", "CET-1CEST,M3.5.0/168,M10.5.0" },
	{ "H3 rule refused: no time", "CET-1CEST,M3.5.0/,M10.5.0" },
	{ "H3 rule refused: trailing text", "CET-1CEST,M3.5.0,M10.5.0 " },
};

static void
refused_row(void **state)
{
	const __typeof__(REFUSED[0]) *row = *state;
	struct zone_rule rule = { .standard_s = 42 };
	struct err e = { 0 };

	assert_int_equal(zone_rule_parse(str_of(row->text), &rule, &e), ERR_INVALID);
	assert_int_equal(rule.standard_s, 42);
	assert_true(str_starts(str_of(e.text), STR("time zone rule '")));
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, RULES, rule_row);
	SUITE_ROWS(&s, REFUSED, refused_row);
	return suite_run(&s, "zone_rule");
}

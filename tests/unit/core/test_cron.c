#include "base/buf.h"
#include "base/rand.h"
#include "core/cron.h"
#include "zones.h"

static const struct {
	const char *name, *expression, *zone, *after;
	const char *want[5]; /* what follows, in order; NULL ends it, "none": nothing more comes */
} NEXT[] = {
	{ "H3 every minute",
	  "* * * * *",
	  "UTC",
	  "2026-01-01T00:00:00Z",
	  { "2026-01-01T00:01:00Z", "2026-01-01T00:02:00Z" } },
	{ "H3 next is strictly after",
	  "0 12 * * *",
	  "UTC",
	  "2026-01-01T12:00:00Z",
	  { "2026-01-02T12:00:00Z" } },
	{ "H3 one ms before",
	  "0 12 * * *",
	  "UTC",
	  "2026-01-01T11:59:59.999Z",
	  { "2026-01-01T12:00:00Z" } },
	{ "H3 one ms after",
	  "* * * * *",
	  "UTC",
	  "2026-01-01T11:59:00.001Z",
	  { "2026-01-01T12:00:00Z" } },
	{ "H3 list, range and step",
	  "0,30 8-10/2 * * *",
	  "UTC",
	  "2026-01-01T00:00:00Z",
	  { "2026-01-01T08:00:00Z", "2026-01-01T08:30:00Z", "2026-01-01T10:00:00Z",
	    "2026-01-01T10:30:00Z", "2026-01-02T08:00:00Z" } },
	{ "H3 names in any case",
	  "0 0 * FEB-mar Mon",
	  "UTC",
	  "2026-01-01T00:00:00Z",
	  { "2026-02-02T00:00:00Z" } },
	{ "H3 0 is Sunday",
	  "0 0 * * 0",
	  "UTC",
	  "2026-01-01T00:00:00Z",
	  { "2026-01-04T00:00:00Z", "2026-01-11T00:00:00Z" } },
	{ "H3 7 is Sunday",
	  "0 0 * * 7",
	  "UTC",
	  "2026-01-01T00:00:00Z",
	  { "2026-01-04T00:00:00Z", "2026-01-11T00:00:00Z" } },
	{ "H3 range to 7",
	  "0 0 * * 6-7",
	  "UTC",
	  "2026-01-01T00:00:00Z",
	  { "2026-01-03T00:00:00Z", "2026-01-04T00:00:00Z", "2026-01-10T00:00:00Z" } },
	{ "H3 range to sun",
	  "0 0 * * sat-sun",
	  "UTC",
	  "2026-01-01T00:00:00Z",
	  { "2026-01-03T00:00:00Z", "2026-01-04T00:00:00Z", "2026-01-10T00:00:00Z" } },
	{ "H3 range from sun",
	  "0 0 * * sun-mon",
	  "UTC",
	  "2026-01-01T00:00:00Z",
	  { "2026-01-04T00:00:00Z", "2026-01-05T00:00:00Z", "2026-01-11T00:00:00Z" } },
	{ "H3 range of one Sunday",
	  "0 0 * * sun-sun",
	  "UTC",
	  "2026-01-01T00:00:00Z",
	  { "2026-01-04T00:00:00Z", "2026-01-11T00:00:00Z" } },
	{ "H3 widest step",
	  "*/59 0 * * *",
	  "UTC",
	  "2026-01-01T00:00:00Z",
	  { "2026-01-01T00:59:00Z", "2026-01-02T00:00:00Z" } },
	{ "H3 weekday step begins with Sunday",
	  "0 0 * * */3",
	  "UTC",
	  "2026-01-01T00:00:00Z",
	  { "2026-01-03T00:00:00Z", "2026-01-04T00:00:00Z", "2026-01-07T00:00:00Z" } },
	{ "H3 both days restricted: either",
	  "0 0 13 * 5",
	  "UTC",
	  "2026-01-01T00:00:00Z",
	  { "2026-01-02T00:00:00Z", "2026-01-09T00:00:00Z", "2026-01-13T00:00:00Z" } },
	{ "H3 day alone",
	  "0 0 13 * *",
	  "UTC",
	  "2026-01-01T00:00:00Z",
	  { "2026-01-13T00:00:00Z", "2026-02-13T00:00:00Z" } },
	{ "H3 weekday alone",
	  "0 0 * * 5",
	  "UTC",
	  "2026-01-01T00:00:00Z",
	  { "2026-01-02T00:00:00Z", "2026-01-09T00:00:00Z" } },
	{ "H3 stepped day is a restriction",
	  "0 0 */10 * 5",
	  "UTC",
	  "2026-01-01T00:00:00Z",
	  { "2026-01-02T00:00:00Z", "2026-01-09T00:00:00Z", "2026-01-11T00:00:00Z" } },
	{ "H3 stepped weekday is a restriction",
	  "0 0 13 * */6",
	  "UTC",
	  "2026-01-01T00:00:00Z",
	  { "2026-01-03T00:00:00Z", "2026-01-04T00:00:00Z", "2026-01-10T00:00:00Z",
	    "2026-01-11T00:00:00Z", "2026-01-13T00:00:00Z" } },
	{ "H3 step of one is a restriction",
	  "0 0 13 * */1",
	  "UTC",
	  "2026-01-01T00:00:00Z",
	  { "2026-01-02T00:00:00Z", "2026-01-03T00:00:00Z" } },
	{ "H3 leap day",
	  "0 0 29 2 *",
	  "UTC",
	  "2026-01-01T00:00:00Z",
	  { "2028-02-29T00:00:00Z", "2032-02-29T00:00:00Z" } },
	{ "H3 leap day over 2100",
	  "0 0 29 2 *",
	  "UTC",
	  "2096-02-29T00:00:00Z",
	  { "2104-02-29T00:00:00Z" } },
	{ "H3 leap day or Monday in February",
	  "0 0 29 2 1",
	  "UTC",
	  "2027-02-15T00:00:00Z",
	  { "2027-02-22T00:00:00Z", "2028-02-07T00:00:00Z" } },
	{ "H3 31st of long months only",
	  "0 0 31 * *",
	  "UTC",
	  "2026-01-31T00:00:00Z",
	  { "2026-03-31T00:00:00Z", "2026-05-31T00:00:00Z", "2026-07-31T00:00:00Z",
	    "2026-08-31T00:00:00Z", "2026-10-31T00:00:00Z" } },
	{ "H3 30 February never comes", "0 0 30 2 *", "UTC", "2026-01-01T00:00:00Z", { "none" } },
	{ "H3 31 February never comes",
	  "*/5 * 31 2 *",
	  "Europe/Berlin",
	  "2026-01-01T00:00:00Z",
	  { "none" } },
	{ "H3 31 of short months never comes",
	  "0 0 31 4,6,9,11 *",
	  "UTC",
	  "2026-01-01T00:00:00Z",
	  { "none" } },
	{ "H3 year's end",
	  "59 23 31 12 *",
	  "UTC",
	  "2026-12-31T23:58:59Z",
	  { "2026-12-31T23:59:00Z", "2027-12-31T23:59:00Z" } },
	{ "H3 last minute anyone can write",
	  "59 23 31 12 *",
	  "UTC",
	  "9999-01-01T00:00:00Z",
	  { "9999-12-31T23:59:00Z", "none" } },
	{ "H3 year 9999 ends in UTC",
	  "59 23 31 12 *",
	  "America/New_York",
	  "9999-01-01T00:00:00Z",
	  { "9999-01-01T04:59:00Z", "none" } },
	{ "H3 @hourly",
	  "@hourly",
	  "UTC",
	  "2026-01-01T00:00:00Z",
	  { "2026-01-01T01:00:00Z", "2026-01-01T02:00:00Z" } },
	{ "H3 @daily", "@daily", "UTC", "2026-01-01T00:00:00Z", { "2026-01-02T00:00:00Z" } },
	{ "H3 @midnight", "@midnight", "UTC", "2026-01-01T00:00:00Z", { "2026-01-02T00:00:00Z" } },
	{ "H3 @weekly", "@weekly", "UTC", "2026-01-01T00:00:00Z", { "2026-01-04T00:00:00Z" } },
	{ "H3 @monthly", "@monthly", "UTC", "2026-01-01T00:00:00Z", { "2026-02-01T00:00:00Z" } },
	{ "H3 @yearly", "@yearly", "UTC", "2026-01-01T00:00:00Z", { "2027-01-01T00:00:00Z" } },
	{ "H3 @annually",
	  " @annually ",
	  "UTC",
	  "2026-01-01T00:00:00Z",
	  { "2027-01-01T00:00:00Z" } },
	{ "H3 blanks and tabs around",
	  " \t0  0\t1 1 * ",
	  "UTC",
	  "2026-01-01T00:00:00Z",
	  { "2027-01-01T00:00:00Z" } },

	{ "H3 local hour in a zone",
	  "0 9 * * *",
	  "America/New_York",
	  "2026-07-01T00:00:00Z",
	  { "2026-07-01T13:00:00Z" } },
	{ "H3 named hour in a gap: the jump",
	  "30 2 * * *",
	  "Europe/Berlin",
	  "2026-03-28T12:00:00Z",
	  { "2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z" } },
	{ "H3 named minutes in a gap fire once",
	  "*/10 2 * * *",
	  "Europe/Berlin",
	  "2026-03-28T12:00:00Z",
	  { "2026-03-29T01:00:00Z", "2026-03-30T00:00:00Z" } },
	{ "H3 gap and the hour behind it fire once",
	  "0 2,3 * * *",
	  "Europe/Berlin",
	  "2026-03-28T12:00:00Z",
	  { "2026-03-29T01:00:00Z", "2026-03-30T00:00:00Z" } },
	{ "H3 after the jump nothing is left of the gap",
	  "30 2 * * *",
	  "Europe/Berlin",
	  "2026-03-29T01:00:00Z",
	  { "2026-03-30T00:30:00Z" } },
	{ "H3 named range over a gap",
	  "30 1-3 * * *",
	  "Europe/Berlin",
	  "2026-03-29T00:00:00Z",
	  { "2026-03-29T00:30:00Z", "2026-03-29T01:00:00Z", "2026-03-29T01:30:00Z" } },
	{ "H3 named hour repeated: first only",
	  "30 2 * * *",
	  "Europe/Berlin",
	  "2026-10-24T12:00:00Z",
	  { "2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z" } },
	{ "H3 named minutes repeated: first pass only",
	  "*/30 2 * * *",
	  "Europe/Berlin",
	  "2026-10-24T12:00:00Z",
	  { "2026-10-25T00:00:00Z", "2026-10-25T00:30:00Z", "2026-10-26T01:00:00Z" } },
	{ "H3 asked inside the second pass",
	  "30 2 * * *",
	  "Europe/Berlin",
	  "2026-10-25T01:10:00Z",
	  { "2026-10-26T01:30:00Z" } },
	{ "H3 spring in New York",
	  "30 2 * * *",
	  "America/New_York",
	  "2026-03-07T12:00:00Z",
	  { "2026-03-08T07:00:00Z", "2026-03-09T06:30:00Z" } },
	{ "H3 autumn in New York",
	  "30 1 * * *",
	  "America/New_York",
	  "2026-10-31T12:00:00Z",
	  { "2026-11-01T05:30:00Z", "2026-11-02T06:30:00Z" } },
	{ "H3 half an hour left out",
	  "15 2 * * *",
	  "Australia/Lord_Howe",
	  "2026-10-03T00:00:00Z",
	  { "2026-10-03T15:30:00Z", "2026-10-04T15:15:00Z" } },
	{ "H3 half an hour repeated",
	  "45 1 * * *",
	  "Australia/Lord_Howe",
	  "2026-04-04T00:00:00Z",
	  { "2026-04-04T14:45:00Z", "2026-04-05T15:15:00Z" } },
	{ "H3 midnight left out",
	  "0 0 * * *",
	  "America/Sao_Paulo",
	  "2018-11-03T12:00:00Z",
	  { "2018-11-04T03:00:00Z", "2018-11-05T02:00:00Z" } },
	{ "H3 day left out",
	  "0 12 * * *",
	  "Pacific/Apia",
	  "2011-12-29T20:00:00Z",
	  { "2011-12-29T22:00:00Z", "2011-12-30T10:00:00Z", "2011-12-30T22:00:00Z" } },
	{ "H3 gap by rule far ahead",
	  "30 2 * * *",
	  "Europe/Berlin",
	  "2100-03-27T12:00:00Z",
	  { "2100-03-28T01:00:00Z", "2100-03-29T00:30:00Z" } },

	{ "H3 elapsed over a gap",
	  "*/30 * * * *",
	  "Europe/Berlin",
	  "2026-03-29T00:00:00Z",
	  { "2026-03-29T00:30:00Z", "2026-03-29T01:00:00Z", "2026-03-29T01:30:00Z" } },
	{ "H3 elapsed in both passes",
	  "*/30 * * * *",
	  "Europe/Berlin",
	  "2026-10-24T23:30:00Z",
	  { "2026-10-25T00:00:00Z", "2026-10-25T00:30:00Z", "2026-10-25T01:00:00Z",
	    "2026-10-25T01:30:00Z", "2026-10-25T02:00:00Z" } },
	{ "H3 stepped hours are elapsed",
	  "30 */2 * * *",
	  "Europe/Berlin",
	  "2026-10-24T23:00:00Z",
	  { "2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z", "2026-10-25T03:30:00Z" } },
	{ "H3 stepped range is elapsed",
	  "30 0-4/2 * * *",
	  "Europe/Berlin",
	  "2026-03-28T23:00:00Z",
	  { "2026-03-28T23:30:00Z", "2026-03-29T02:30:00Z" } },
	{ "H3 one wildcard in the list is elapsed",
	  "30 5,*/2 * * *",
	  "Europe/Berlin",
	  "2026-10-25T00:00:00Z",
	  { "2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z" } },
	{ "H3 elapsed over half an hour left out",
	  "0 * * * *",
	  "Australia/Lord_Howe",
	  "2026-10-03T14:00:00Z",
	  { "2026-10-03T14:30:00Z", "2026-10-03T16:00:00Z" } },
	{ "H3 elapsed over half an hour repeated",
	  "30 * * * *",
	  "Australia/Lord_Howe",
	  "2026-04-04T14:00:00Z",
	  { "2026-04-04T14:30:00Z", "2026-04-04T15:00:00Z", "2026-04-04T16:00:00Z" } },
};

static void
next_row(void **state)
{
	const __typeof__(NEXT[0]) *row = *state;
	int64_t at_ms = instant(row->after);
	struct arena a;
	struct zone zone;
	struct cron cron;
	struct err e = { 0 };

	arena_init(&a);
	zone = zone_named(row->zone, &a);
	if (cron_parse(str_of(row->expression), &cron, &e) != 0)
		fail_msg("%s", e.text);
	for (size_t i = 0; i < ARRAY_LEN(row->want) && row->want[i]; i++) {
		bool comes = cron_next(&cron, &zone, at_ms, &at_ms);

		if (str_eq(str_of(row->want[i]), STR("none"))) {
			assert_false(comes);
			continue;
		}
		assert_true(comes);
		check_instant(row->name, at_ms, instant(row->want[i]));
	}
	arena_release(&a);
}

static const struct {
	const char *name, *expression, *want;
} REFUSED[] = {
	{ "H3 refused: empty", "", "minute: missing" },
	{ "H3 refused: four fields", "* * * *", "day-of-week: missing" },
	{ "H3 refused: six fields", "* * * * * 2026", "'2026' stands behind the five fields" },
	{ "H3 refused: minute 60", "60 * * * *", "minute: '60' is not in 0..59" },
	{ "H3 refused: hour 24", "0 24 * * *", "hour: '24' is not in 0..23" },
	{ "H3 refused: day 0", "0 0 0 * *", "day-of-month: '0' is not in 1..31" },
	{ "H3 refused: day 32", "0 0 32 * *", "day-of-month: '32' is not in 1..31" },
	{ "H3 refused: month 0", "0 0 * 0 *", "month: '0' is not in 1..12" },
	{ "H3 refused: month 13", "0 0 * 1-13 *", "month: '13' is not in 1..12" },
	{ "H3 refused: weekday 8", "0 0 * * 8", "day-of-week: '8' is not in 0..7" },
	{ "H3 refused: huge", "99999999999999999999 * * * *", "is not in 0..59" },
	{ "H3 refused: long names", "0 0 * * monday",
	  "day-of-week: 'monday' is not a number or a" },
	{ "H3 refused: names of the other field", "0 0 * mon *", "month: 'mon' is not a number" },
	{ "H3 refused: names where none are", "jan * * * *", "minute: 'jan' is not a number" },
	{ "H3 refused: sign", "+5 * * * *", "minute: '+5' is not a number" },
	{ "H3 refused: negative", "-5 * * * *", "minute: '' is not a number" },
	{ "H3 refused: fraction", "1.5 * * * *", "minute: '1.5' is not a number" },
	{ "H3 refused: step 0", "*/0 * * * *", "minute: step '0' is not in 1..59" },
	{ "H3 refused: step too wide", "*/60 * * * *", "minute: step '60' is not in 1..59" },
	{ "H3 refused: no step", "*/ * * * *", "minute: step '' is not in 1..59" },
	{ "H3 refused: two steps", "*/2/3 * * * *", "minute: step '2/3' is not" },
	{ "H3 refused: step behind a number", "5/15 * * * *", "'5/15': a step stands behind" },
	{ "H3 refused: backwards", "0 17-9 * * *", "hour: '17-9' runs backwards" },
	{ "H3 refused: backwards by number", "0 0 * * 5-0", "day-of-week: '5-0' runs backwards" },
	{ "H3 refused: week round the corner", "0 0 * * fri-mon", "'fri-mon' runs backwards" },
	{ "H3 refused: open range", "0 9- * * *", "hour: '' is not a number" },
	{ "H3 refused: empty entry", "1,,2 * * * *", "minute: '1,,2' has an empty entry" },
	{ "H3 refused: comma at the start", "* ,2 * * *", "hour: ',2' has an empty entry" },
	{ "H3 refused: comma at the end", "1, * * * *", "minute: '1,' has an empty entry" },
	{ "H3 refused: question mark", "0 0 ? * *", "day-of-month: '?' is not a number" },
	{ "H3 refused: last day", "0 0 L * *", "day-of-month: 'L' is not a number" },
	{ "H3 refused: nth weekday", "0 0 * * 5#2", "day-of-week: '5#2' is not a number" },
	{ "H3 refused: @reboot", "@reboot", "'@reboot' is not one of @hourly" },
	{ "H3 refused: shorthand and more", "@daily *", "'@daily *' is not one of" },
};

static void
refused_row(void **state)
{
	const __typeof__(REFUSED[0]) *row = *state;
	struct cron cron = { .minutes = 42 };
	struct err e = { 0 };

	assert_int_equal(cron_parse(str_of(row->expression), &cron, &e), ERR_INVALID);
	if (!str_contains(str_of(e.text), str_of(row->want)))
		fail_msg("refused with '%s'", e.text);
	assert_int_equal(cron.minutes, 42);
	assert_int_equal(cron_parse(str_of(row->expression), &cron, NULL), ERR_INVALID);
}

/* --- properties: the oracle knows the fields as tables and walks minute by minute --- */

enum { MINUTE_MS = 60000, WINDOW_MINUTES = 6 * 1440, FIELDS = 5 };

struct guess {
	char text[256];
	bool named[FIELDS][64];
	bool plain[FIELDS]; /* the field is * */
	bool elapsed;
};

static const struct {
	int min, max;
} BOUNDS[FIELDS] = { { 0, 59 }, { 0, 23 }, { 1, 31 }, { 1, 12 }, { 0, 6 } };

static void
guess_entry(struct guess *g, int field, struct rand *r, struct buf *out)
{
	int min = BOUNDS[field].min, width = BOUNDS[field].max - min + 1, step = 1;
	int low = min, high = BOUNDS[field].max;
	uint64_t kind = rand_below(r, 4);

	if (kind >= 1) {
		low = min + (int)rand_below(r, (uint64_t)width);
		high = kind == 1 ? low : low + (int)rand_below(r, (uint64_t)(min + width - low));
	}
	if (kind == 0 || kind == 3)
		step = 1 + (int)rand_below(r, (uint64_t)(width < 8 ? width - 1 : 8));
	if (kind == 0)
		buf_printf(out, "*/%d", step);
	else if (kind == 1)
		buf_printf(out, "%d", low);
	else if (kind == 2)
		buf_printf(out, "%d-%d", low, high);
	else
		buf_printf(out, "%d-%d/%d", low, high, step);
	if (field == 1 && (kind == 0 || kind == 3))
		g->elapsed = true;
	for (int value = low; value <= high; value += step)
		g->named[field][value] = true;
}

static void
guess_expression(struct guess *g, struct rand *r)
{
	struct buf out;

	*g = (struct guess){ 0 };
	buf_init(&out, sizeof g->text - 1);
	for (int field = 0; field < FIELDS; field++) {
		uint64_t entries = 1 + rand_below(r, 3);

		if (field > 0)
			buf_putc(&out, ' ');
		if (rand_below(r, field < 2 ? 4 : 2) == 0) {
			g->plain[field] = true;
			g->elapsed |= field == 1;
			buf_putc(&out, '*');
			for (int v = BOUNDS[field].min; v <= BOUNDS[field].max; v++)
				g->named[field][v] = true;
			continue;
		}
		for (uint64_t i = 0; i < entries; i++) {
			if (i > 0)
				buf_putc(&out, ',');
			guess_entry(g, field, r, &out);
		}
	}
	memcpy(g->text, out.ptr, out.len);
	buf_release(&out);
}

static bool
guess_names(const struct guess *g, int64_t local_ms)
{
	struct civil at = timestamp_to_civil(local_ms);
	bool day = g->named[2][at.day];
	bool weekday = g->named[4][timestamp_weekday(timestamp_days(at.year, at.month, at.day))];
	bool either = !g->plain[2] && !g->plain[4];

	return g->named[0][at.minute] && g->named[1][at.hour] && g->named[3][at.month] &&
	       (either ? day || weekday : day && weekday);
}

/* Which minutes of the window fire, window_ms being its first. */
static void
fire_by_search(const struct guess *g, const struct zone *zone, int64_t window_ms, bool *fires)
{
	int64_t high_ms = zone_local_ms(zone, window_ms) - MINUTE_MS;

	memset(fires, 0, WINDOW_MINUTES);
	for (int i = 0; i < WINDOW_MINUTES; i++) {
		int64_t local_ms = zone_local_ms(zone, window_ms + (int64_t)i * MINUTE_MS);

		if (g->elapsed)
			fires[i] = guess_names(g, local_ms);
		for (; high_ms < local_ms; high_ms += MINUTE_MS)
			if (!g->elapsed && guess_names(g, high_ms + MINUTE_MS))
				fires[i] = true;
	}
}

static void
check_against_search(const struct guess *g, const struct zone *zone, int64_t window_ms,
		     const char *where)
{
	static bool fires[WINDOW_MINUTES];
	struct cron cron;
	struct err e = { 0 };
	int skipped = 3 * 1440; /* the search must have seen what led up to a minute */
	int64_t next_ms;

	if (cron_parse(str_of(g->text), &cron, &e) != 0)
		fail_msg("%s: '%s': %s", where, g->text, e.text);
	fire_by_search(g, zone, window_ms, fires);
	for (int i = skipped; i < WINDOW_MINUTES; i++) {
		int64_t at_ms = window_ms + (int64_t)i * MINUTE_MS;

		if (!fires[i] && i + 1 < WINDOW_MINUTES)
			continue;
		if (!cron_next(&cron, zone, window_ms + (int64_t)skipped * MINUTE_MS - 1, &next_ms))
			next_ms = INT64_MAX;
		if (fires[i] ? next_ms != at_ms : next_ms <= at_ms)
			fail_msg("%s: '%s' from minute %d: at minute %d got %lld, not %lld", where,
				 g->text, skipped, i, (long long)next_ms, (long long)at_ms);
		skipped = i + 1;
	}
}

static void
H3_property_fires_as_by_search(void **state)
{
	struct arena a;

	(void)state;
	arena_init(&a);
	for (uint64_t seed = 0; seed < suite_seeds(1500); seed++) {
		struct rand r;
		struct guess g;
		struct zone zone;
		struct zone_span span;
		int64_t window_ms;
		char where[80];

		rand_init_seed(&r, seed);
		snprintf(where, sizeof where, "seed %llu, %s", (unsigned long long)seed,
			 ZONE_NAMES[seed % ARRAY_LEN(ZONE_NAMES)]);
		zone = zone_named(ZONE_NAMES[seed % ARRAY_LEN(ZONE_NAMES)], &a);
		guess_expression(&g, &r);
		/* A change from 1980 to 2120, three to six days into the window. */
		span = zone_span(
			&zone, (int64_t)(315532800 + rand_below(&r, UINT64_C(4417977600))) * 1000);
		window_ms = span.end_ms == INT64_MAX ? INT64_C(1767225600000)
						     : span.end_ms - span.end_ms % MINUTE_MS;
		window_ms -= (int64_t)(3 * 1440 + rand_below(&r, 3 * 1440)) * MINUTE_MS;
		check_against_search(&g, &zone, window_ms, where);
		arena_reset(&a);
	}
	arena_release(&a);
}

static void
H3_property_five_minutes_never_fall_silent(void **state)
{
	struct arena a;
	struct cron cron;
	struct err e;

	(void)state;
	arena_init(&a);
	assert_int_equal(cron_parse(STR("*/5 * * * *"), &cron, &e), 0);
	for (size_t i = 0; i < ARRAY_LEN(ZONE_NAMES); i++) {
		struct zone zone = zone_named(ZONE_NAMES[i], &a);
		int64_t at_ms = instant("2026-01-01T00:00:00Z");

		while (at_ms < instant("2027-01-01T00:00:00Z")) {
			int64_t next_ms;

			assert_true(cron_next(&cron, &zone, at_ms, &next_ms));
			if (next_ms - at_ms != INT64_C(300000))
				fail_msg("%s: %lld ms after %lld", ZONE_NAMES[i],
					 (long long)(next_ms - at_ms), (long long)at_ms);
			at_ms = next_ms;
		}
		arena_reset(&a);
	}
	arena_release(&a);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, NEXT, next_row);
	SUITE_ROWS(&s, REFUSED, refused_row);
	SUITE_TEST(&s, H3_property_fires_as_by_search);
	SUITE_TEST(&s, H3_property_five_minutes_never_fall_silent);
	return suite_run(&s, "cron");
}

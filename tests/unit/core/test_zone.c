#include <time.h>

#include "base/buf.h"
#include "base/rand.h"
#include "zones.h"

/* The machine's own reading of the zones is the oracle; nowhere else may anyone ask it. */
#undef localtime_r
#undef tzset

static const struct {
	const char *name, *zone, *at;
	int want_s;
} OFFSETS[] = {
	{ "H3 UTC has no offset", "UTC", "2026-07-01T00:00:00Z", 0 },
	{ "H3 winter in Berlin", "Europe/Berlin", "2026-01-01T00:00:00Z", 3600 },
	{ "H3 summer in Berlin", "Europe/Berlin", "2026-07-01T00:00:00Z", 7200 },
	{ "H3 one ms before the change", "Europe/Berlin", "2026-03-29T00:59:59.999Z", 3600 },
	{ "H3 at the change", "Europe/Berlin", "2026-03-29T01:00:00Z", 7200 },
	{ "H3 before the change back", "Europe/Berlin", "2026-10-25T00:59:59.999Z", 7200 },
	{ "H3 at the change back", "Europe/Berlin", "2026-10-25T01:00:00Z", 3600 },
	{ "H3 the rule after the table, summer", "Europe/Berlin", "2200-07-01T00:00:00Z", 7200 },
	{ "H3 the rule after the table, winter", "Europe/Berlin", "2200-01-01T00:00:00Z", 3600 },
	{ "H3 rule change to the second", "Europe/Berlin", "2100-03-28T00:59:59Z", 3600 },
	{ "H3 rule change at the second", "Europe/Berlin", "2100-03-28T01:00:00Z", 7200 },
	{ "H3 the south at new year", "Australia/Sydney", "2150-01-01T00:00:00Z", 39600 },
	{ "H3 the south in July", "Australia/Sydney", "2150-07-01T00:00:00Z", 36000 },
	{ "H3 half an hour of daylight time", "Australia/Lord_Howe", "2026-01-01T00:00:00Z",
	  39600 },
	{ "H3 Lord Howe in winter", "Australia/Lord_Howe", "2026-07-01T00:00:00Z", 37800 },
	{ "H3 daylight time below standard", "Europe/Dublin", "2150-01-01T00:00:00Z", 0 },
	{ "H3 quarter hours", "Asia/Kathmandu", "2026-01-01T00:00:00Z", 20700 },
	{ "H3 before the first change", "Europe/Berlin", "1800-01-01T00:00:00Z", 3208 },
	{ "H3 Apia before the lost day", "Pacific/Apia", "2011-12-30T09:59:59Z", -36000 },
	{ "H3 Apia after the lost day", "Pacific/Apia", "2011-12-30T10:00:00Z", 50400 },
	{ "H3 Casablanca in Ramadan", "Africa/Casablanca", "2026-03-01T00:00:00Z", 0 },
	{ "H3 Casablanca after Ramadan", "Africa/Casablanca", "2026-05-01T00:00:00Z", 3600 },
	{ "H3 rule given in negative hours", "America/Nuuk", "2100-03-28T00:59:59Z", -7200 },
	{ "H3 rule in negative hours, at it", "America/Nuuk", "2100-03-28T01:00:00Z", -3600 },
};

static void
offset_row(void **state)
{
	const __typeof__(OFFSETS[0]) *row = *state;
	struct arena a;
	struct zone zone;
	int64_t at_ms = instant(row->at);

	arena_init(&a);
	zone = zone_named(row->zone, &a);
	assert_int_equal(zone_local_ms(&zone, at_ms) - at_ms, row->want_s * INT64_C(1000));
	arena_release(&a);
}

static const struct {
	const char *name, *zone, *local; /* Z only to please the reader */
	enum zone_fit fit;
	const char *first, *last;
} INSTANTS[] = {
	{ "H3 an ordinary time", "Europe/Berlin", "2026-07-01T12:00:00Z", ZONE_ONCE,
	  "2026-07-01T10:00:00Z", "2026-07-01T10:00:00Z" },
	{ "H3 last ms before a gap", "Europe/Berlin", "2026-03-29T01:59:59.999Z", ZONE_ONCE,
	  "2026-03-29T00:59:59.999Z", "2026-03-29T00:59:59.999Z" },
	{ "H3 first ms of a gap", "Europe/Berlin", "2026-03-29T02:00:00Z", ZONE_GAP,
	  "2026-03-29T01:00:00Z", "2026-03-29T01:00:00Z" },
	{ "H3 inside a gap", "America/New_York", "2026-03-08T02:30:00Z", ZONE_GAP,
	  "2026-03-08T07:00:00Z", "2026-03-08T07:00:00Z" },
	{ "H3 first ms after a gap", "Europe/Berlin", "2026-03-29T03:00:00Z", ZONE_ONCE,
	  "2026-03-29T01:00:00Z", "2026-03-29T01:00:00Z" },
	{ "H3 first ms of an overlap", "Europe/Berlin", "2026-10-25T02:00:00Z", ZONE_TWICE,
	  "2026-10-25T00:00:00Z", "2026-10-25T01:00:00Z" },
	{ "H3 last ms of an overlap", "Europe/Berlin", "2026-10-25T02:59:59.999Z", ZONE_TWICE,
	  "2026-10-25T00:59:59.999Z", "2026-10-25T01:59:59.999Z" },
	{ "H3 first ms after an overlap", "Europe/Berlin", "2026-10-25T03:00:00Z", ZONE_ONCE,
	  "2026-10-25T02:00:00Z", "2026-10-25T02:00:00Z" },
	{ "H3 gap of half an hour", "Australia/Lord_Howe", "2026-10-04T02:15:00Z", ZONE_GAP,
	  "2026-10-03T15:30:00Z", "2026-10-03T15:30:00Z" },
	{ "H3 overlap of half an hour", "Australia/Lord_Howe", "2026-04-05T01:45:00Z", ZONE_TWICE,
	  "2026-04-04T14:45:00Z", "2026-04-04T15:15:00Z" },
	{ "H3 a midnight that is missing", "America/Sao_Paulo", "2018-11-04T00:00:00Z", ZONE_GAP,
	  "2018-11-04T03:00:00Z", "2018-11-04T03:00:00Z" },
	{ "H3 a day that is missing", "Pacific/Apia", "2011-12-30T12:00:00Z", ZONE_GAP,
	  "2011-12-30T10:00:00Z", "2011-12-30T10:00:00Z" },
	{ "H3 a gap by rule", "Europe/Berlin", "2100-03-28T02:30:00Z", ZONE_GAP,
	  "2100-03-28T01:00:00Z", "2100-03-28T01:00:00Z" },
	{ "H3 an overlap by rule", "Europe/Berlin", "2100-10-31T02:30:00Z", ZONE_TWICE,
	  "2100-10-31T00:30:00Z", "2100-10-31T01:30:00Z" },
};

static void
instants_row(void **state)
{
	const __typeof__(INSTANTS[0]) *row = *state;
	struct arena a;
	struct zone zone;
	struct zone_instants got;

	arena_init(&a);
	zone = zone_named(row->zone, &a);
	got = zone_instants(&zone, instant(row->local));
	assert_int_equal(got.fit, row->fit);
	check_instant("first", got.first_ms, instant(row->first));
	check_instant("last", got.last_ms, instant(row->last));
	arena_release(&a);
}

static const struct {
	const char *name, *zone;
	int hour;
	const char *now, *want;
} HOURS[] = {
	{ "R1 boundary already past today", "UTC", 4, "2026-06-10T05:00:00Z",
	  "2026-06-10T04:00:00Z" },
	{ "R1 boundary yesterday before the hour", "UTC", 4, "2026-06-10T03:59:59.999Z",
	  "2026-06-09T04:00:00Z" },
	{ "R1 boundary at now itself", "UTC", 4, "2026-06-10T04:00:00Z", "2026-06-10T04:00:00Z" },
	{ "R1 boundary in the zone's own day", "America/New_York", 4, "2026-06-10T03:00:00Z",
	  "2026-06-09T08:00:00Z" },
	{ "R1 boundary before a change keeps its own offset", "Europe/Berlin", 1,
	  "2026-03-29T10:00:00Z", "2026-03-29T00:00:00Z" },
	{ "R1 boundary yesterday across the change", "Europe/Berlin", 20, "2026-03-29T10:00:00Z",
	  "2026-03-28T19:00:00Z" },
	{ "R1 hour inside a gap is the jump", "Europe/Berlin", 2, "2026-03-29T10:00:00Z",
	  "2026-03-29T01:00:00Z" },
	{ "R1 hour inside a gap, at the jump", "Europe/Berlin", 2, "2026-03-29T01:00:00Z",
	  "2026-03-29T01:00:00Z" },
	{ "R1 hour inside a gap, before the jump", "Europe/Berlin", 2, "2026-03-29T00:59:59Z",
	  "2026-03-28T01:00:00Z" },
	{ "R1 repeated hour is its first pass", "Europe/Berlin", 2, "2026-10-25T10:00:00Z",
	  "2026-10-25T00:00:00Z" },
	{ "R1 repeated hour, now in the second pass", "Europe/Berlin", 2, "2026-10-25T01:30:00Z",
	  "2026-10-25T00:00:00Z" },
	{ "R1 midnight missing", "America/Sao_Paulo", 0, "2018-11-04T12:00:00Z",
	  "2018-11-04T03:00:00Z" },
	{ "R1 clock put back over midnight", "America/Havana", 0, "2026-11-01T05:30:00Z",
	  "2026-11-01T04:00:00Z" },
	{ "R1 clock put back at midnight delays it", "America/Nuuk", 0, "2026-10-25T01:30:00Z",
	  "2026-10-24T01:00:00Z" },
	{ "R1 lost day begins at the jump", "Pacific/Apia", 4, "2011-12-30T12:00:00Z",
	  "2011-12-30T10:00:00Z" },
	{ "R1 day after the lost one", "Pacific/Apia", 4, "2011-12-30T15:00:00Z",
	  "2011-12-30T14:00:00Z" },
	{ "R1 repeated day counts once", "Pacific/Kwajalein", 4, "1969-10-01T12:00:00Z",
	  "1969-09-29T17:00:00Z" },
};

static void
hour_row(void **state)
{
	const __typeof__(HOURS[0]) *row = *state;
	struct arena a;
	struct zone zone;

	arena_init(&a);
	zone = zone_named(row->zone, &a);
	check_instant(row->name, zone_last_hour(&zone, row->hour, instant(row->now)),
		      instant(row->want));
	arena_release(&a);
}

/* --- files made by hand --- */

enum made {
	MADE_OK,
	MADE_V1,
	MADE_NO_RULE,
	MADE_LEAPS,
	MADE_MAGIC,
	MADE_SHORT,
	MADE_NO_TYPES,
	MADE_BAD_TYPE,
	MADE_BAD_OFFSET,
	MADE_DISORDER,
	MADE_NO_FOOTER,
	MADE_OPEN_FOOTER,
	MADE_ODD_FOOTER,
	MADE_BAD_FOOTER,
	MADE_FAR,
};

static void
put_int(struct buf *b, int64_t value, int bytes)
{
	while (bytes-- > 0)
		buf_putc(b, (char)((uint64_t)value >> (8 * bytes)));
}

/* Two changes, at 1000 s to +2 h and at 2000 s back to +1 h. */
static void
put_block(struct buf *b, enum made made, char version, int time_bytes)
{
	int64_t late_s = made == MADE_DISORDER ? 900 : made == MADE_FAR ? INT64_MAX : 2000;
	int64_t early_s = made == MADE_FAR ? INT64_MIN : 1000;
	int leaps = made == MADE_LEAPS ? 2 : 0;

	buf_puts(b, made == MADE_MAGIC ? "TZiF" : "TZif");
	buf_putc(b, version);
	put_int(b, 0, 7); /* 15 unused */
	put_int(b, 0, 8);
	put_int(b, 0, 8); /* no flags */
	put_int(b, leaps, 4);
	put_int(b, 2, 4);
	put_int(b, made == MADE_NO_TYPES ? 0 : 2, 4);
	put_int(b, 4, 4);
	put_int(b, early_s, time_bytes);
	put_int(b, late_s, time_bytes);
	put_int(b, made == MADE_BAD_TYPE ? 2 : 1, 1);
	put_int(b, 0, 1);
	put_int(b, made == MADE_BAD_OFFSET ? 100000 : 3600, 4);
	put_int(b, 0, 2);
	put_int(b, 7200, 4);
	put_int(b, 1, 2);
	buf_put(b, "ABC", 4);
	for (int i = 0; i < leaps; i++) {
		put_int(b, 500 + 1000 * i, time_bytes);
		put_int(b, i + 1, 4);
	}
}

static const struct {
	const char *name;
	enum made made;
	const char *footer;
	const char *want; /* part of the refusal; NULL: accepted */
	int64_t at_s;     /* the change to +2 h */
	int32_t later_s;  /* the offset in July 2100 */
} MADE[] = {
	{ "H3 TZif version 2", MADE_OK, "ABC-1DEF,M3.5.0,M10.5.0/3", NULL, 1000, 7200 },
	{ "H3 TZif version 1 has no rule", MADE_V1, "", NULL, 1000, 3600 },
	{ "H3 TZif with an empty rule", MADE_NO_RULE, "", NULL, 1000, 3600 },
	{ "H3 TZif names in brackets", MADE_OK, "<+01>-1", NULL, 1000, 3600 },
	{ "H3 TZif all days of daylight time", MADE_OK, "ABC-1DEF,0/0,J365/25", NULL, 1000, 7200 },
	{ "H3 TZif rule by day number", MADE_OK, "ABC-1DEF-3,J60,300", NULL, 1000, 10800 },
	{ "H3 TZif leap seconds are taken out", MADE_LEAPS, "ABC-1", NULL, 999, 3600 },
	{ "H3 TZif changes beyond all years", MADE_FAR, "ABC-1", NULL, INT64_MIN, 7200 },
	{ "H3 TZif without its magic", MADE_MAGIC, "ABC-1", "not a TZif file", 0, 0 },
	{ "H3 TZif cut short", MADE_SHORT, "ABC-1", "cut short", 0, 0 },
	{ "H3 TZif without types", MADE_NO_TYPES, "ABC-1", "0 local time types", 0, 0 },
	{ "H3 TZif with an unknown type", MADE_BAD_TYPE, "ABC-1", "type 2 of 2", 0, 0 },
	{ "H3 TZif with a wild offset", MADE_BAD_OFFSET, "ABC-1", "offset of 100000 s", 0, 0 },
	{ "H3 TZif out of order", MADE_DISORDER, "ABC-1", "change 1 is out of order", 0, 0 },
	{ "H3 TZif without a footer", MADE_NO_FOOTER, "", "no footer", 0, 0 },
	{ "H3 TZif with an open footer", MADE_OPEN_FOOTER, "ABC-1", "no footer", 0, 0 },
	{ "H3 TZif with bytes before the footer", MADE_ODD_FOOTER, "ABC-1", "no footer", 0, 0 },
	{ "H3 TZif with a bad rule", MADE_BAD_FOOTER, "ABC", "time zone rule 'ABC'", 0, 0 },
};

static struct str
made_file(enum made made, const char *footer, struct buf *b)
{
	put_block(b, made, made == MADE_V1 ? '\0' : '2', 4);
	if (made == MADE_V1)
		return buf_str(b);
	put_block(b, made, '2', 8);
	if (made == MADE_SHORT)
		return str_slice(buf_str(b), 0, b->len - 1);
	if (made == MADE_NO_FOOTER)
		return buf_str(b);
	buf_putc(b, made == MADE_ODD_FOOTER ? ' ' : '\n');
	buf_puts(b, footer);
	if (made != MADE_OPEN_FOOTER)
		buf_putc(b, '\n');
	return buf_str(b);
}

static void
made_row(void **state)
{
	const __typeof__(MADE[0]) *row = *state;
	struct arena a;
	struct buf b;
	struct zone zone = { .first_offset_s = 42 };
	struct err e = { 0 };
	int rc;

	arena_init(&a);
	buf_init(&b, 4096);
	rc = zone_parse(made_file(row->made, row->footer, &b), &a, &zone, &e);
	if (row->want) {
		if (rc != ERR_INVALID || !str_contains(str_of(e.text), str_of(row->want)))
			fail_msg("got %d '%s', wanted '%s'", rc, e.text, row->want);
		assert_int_equal(zone.first_offset_s, 42);
	} else {
		int64_t july_ms = instant("2100-07-01T00:00:00Z");

		if (rc != 0)
			fail_msg("%s", e.text);
		assert_int_equal(zone_local_ms(&zone, july_ms) - july_ms,
				 row->later_s * INT64_C(1000));
		if (row->at_s != INT64_MIN) {
			assert_int_equal(zone_span(&zone, row->at_s * 1000).offset_ms, 7200000);
			assert_int_equal(zone_span(&zone, row->at_s * 1000 - 1).offset_ms, 3600000);
			/* the file's 1000 s of it, less the leap second in them */
			assert_int_equal(zone_span(&zone, row->at_s * 1000).end_ms,
					 row->at_s * 1000 +
						 (row->made == MADE_LEAPS ? 999000 : 1000000));
		}
	}
	buf_release(&b);
	arena_release(&a);
}

/* --- properties --- */

/* Seconds from 1900 to 2200. */
static int64_t
any_second(struct rand *r)
{
	return (int64_t)rand_below(r, UINT64_C(300) * 31556952) - INT64_C(70) * 31556952;
}

static void
H3_property_agrees_with_the_machine_for_300_years(void **state)
{
	struct rand r;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(ZONE_NAMES); i++) {
		struct arena a;
		struct zone zone;

		arena_init(&a);
		zone = zone_named(ZONE_NAMES[i], &a);
		setenv("TZ", ZONE_NAMES[i], 1);
		tzset();
		for (uint64_t seed = 0; seed < suite_seeds(3000); seed++) {
			time_t at;
			struct tm tm;

			rand_init_seed(&r, seed);
			at = any_second(&r);
			localtime_r(&at, &tm);
			if (zone_local_ms(&zone, at * 1000) != (at + tm.tm_gmtoff) * 1000)
				fail_msg("%s: seed %llu: offset at %lld is %lld, not %ld",
					 ZONE_NAMES[i], (unsigned long long)seed, (long long)at,
					 (long long)zone_span(&zone, at * 1000).offset_ms / 1000,
					 tm.tm_gmtoff);
		}
		arena_release(&a);
	}
}

/* An instant within three days of some change, on a whole minute. */
static int64_t
near_a_change(const struct zone *zone, struct rand *r)
{
	struct zone_span span = zone_span(zone, any_second(r) / 2 * 1000);
	int64_t near_ms = span.end_ms == INT64_MAX ? 0 : span.end_ms;

	return near_ms - near_ms % 60000 + ((int64_t)rand_below(r, 8640) - 4320) * 60000;
}

/* Minute by minute from well before: the first that shows local_ms or later, and whether it is
 * shown exactly, once or more. */
static struct zone_instants
instants_by_search(const struct zone *zone, int64_t local_ms)
{
	struct zone_instants found = { .fit = ZONE_GAP, .first_ms = INT64_MIN };

	for (int64_t t = local_ms - 27 * 3600000; t <= local_ms + 27 * 3600000; t += 60000) {
		int64_t shown = zone_local_ms(zone, t);

		if (shown >= local_ms && found.first_ms == INT64_MIN) {
			found.fit = shown == local_ms ? ZONE_ONCE : ZONE_GAP;
			found.first_ms = found.last_ms = t;
		} else if (shown == local_ms && found.fit != ZONE_GAP) {
			found.fit = ZONE_TWICE;
			found.last_ms = t;
		}
	}
	return found;
}

/* Offsets of whole minutes only: the search takes whole minutes. */
static bool
whole_minutes(const struct zone *zone, int64_t ms)
{
	for (int64_t t = ms - 200 * INT64_C(3600000); t <= ms + 200 * INT64_C(3600000);
	     t += 3600000)
		if (zone_span(zone, t).offset_ms % 60000 != 0)
			return false;
	return true;
}

static void
H3_property_local_times_found_as_by_search(void **state)
{
	struct arena a;

	(void)state;
	arena_init(&a);
	for (uint64_t seed = 0; seed < suite_seeds(2000); seed++) {
		struct rand r;
		struct zone zone;
		struct zone_instants got, want;
		int64_t local_ms;
		const char *name;

		rand_init_seed(&r, seed);
		name = ZONE_NAMES[rand_below(&r, ARRAY_LEN(ZONE_NAMES))];
		zone = zone_named(name, &a);
		local_ms = near_a_change(&zone, &r);
		if (!whole_minutes(&zone, local_ms))
			continue;
		got = zone_instants(&zone, local_ms);
		want = instants_by_search(&zone, local_ms);
		if (got.fit != want.fit || got.first_ms != want.first_ms ||
		    got.last_ms != want.last_ms)
			fail_msg("seed %llu: %s %lld", (unsigned long long)seed, name,
				 (long long)local_ms);
		arena_reset(&a);
	}
	arena_release(&a);
}

/* Minute by minute: a boundary is where the wall passes the hour of a date it has not shown yet. */
static int64_t
last_hour_by_search(const struct zone *zone, int hour, int64_t now_ms)
{
	const int64_t day_ms = 86400000, shift_ms = hour * INT64_C(3600000);
	int64_t boundary_ms = INT64_MIN, high_ms = INT64_MIN;

	for (int64_t t = now_ms - 6 * day_ms; t <= now_ms; t += 60000) {
		int64_t shown_ms = zone_local_ms(zone, t) - shift_ms;

		if (shown_ms <= high_ms)
			continue;
		if (high_ms != INT64_MIN &&
		    timestamp_to_civil(shown_ms).day != timestamp_to_civil(high_ms).day)
			boundary_ms = t;
		high_ms = shown_ms;
	}
	return boundary_ms;
}

static void
R1_property_boundary_found_as_by_search(void **state)
{
	struct arena a;

	(void)state;
	arena_init(&a);
	for (uint64_t seed = 0; seed < suite_seeds(2000); seed++) {
		struct rand r;
		struct zone zone;
		int64_t now_ms, got_ms;
		const char *name;
		int hour;

		rand_init_seed(&r, seed);
		name = ZONE_NAMES[rand_below(&r, ARRAY_LEN(ZONE_NAMES))];
		zone = zone_named(name, &a);
		now_ms = near_a_change(&zone, &r);
		hour = (int)rand_below(&r, 24);
		if (!whole_minutes(&zone, now_ms))
			continue;
		got_ms = zone_last_hour(&zone, hour, now_ms);
		if (got_ms != last_hour_by_search(&zone, hour, now_ms))
			fail_msg("seed %llu: %s hour %d now %lld: got %lld",
				 (unsigned long long)seed, name, hour, (long long)now_ms,
				 (long long)got_ms);
		arena_reset(&a);
	}
	arena_release(&a);
}

static void
H3_the_zero_zone_is_UTC(void **state)
{
	(void)state;
	assert_int_equal(zone_local_ms(&ZONE_UTC, 1234567890123), 1234567890123);
	assert_int_equal(zone_last_hour(&ZONE_UTC, 0, 86400000 * 3 - 1), 86400000 * 2);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, OFFSETS, offset_row);
	SUITE_ROWS(&s, INSTANTS, instants_row);
	SUITE_ROWS(&s, HOURS, hour_row);
	SUITE_ROWS(&s, MADE, made_row);
	SUITE_TEST(&s, H3_the_zero_zone_is_UTC);
	SUITE_TEST(&s, H3_property_agrees_with_the_machine_for_300_years);
	SUITE_TEST(&s, H3_property_local_times_found_as_by_search);
	SUITE_TEST(&s, R1_property_boundary_found_as_by_search);
	return suite_run(&s, "zone");
}

#include "core/cron.h"

#include "base/timestamp.h"

static const int64_t MINUTE_MS = 60000;
static const int64_t LAST_MS = INT64_C(253402300799999); /* the end of the year 9999 */
enum { LAST_YEAR = 9999, SUNDAY_AGAIN = 7, TEXT_SHOWN = 40 };

enum { MINUTE, HOUR, DAY, MONTH, WEEKDAY, FIELD_COUNT };

static const char *const MONTHS[] = { "jan", "feb", "mar", "apr", "may", "jun",
				      "jul", "aug", "sep", "oct", "nov", "dec" };
static const char *const WEEKDAYS[] = { "sun", "mon", "tue", "wed", "thu", "fri", "sat" };

static const struct field {
	const char *name;
	int min, max;
	int star_max; /* the last one that * covers */
	const char *const *names;
	int name_count; /* names[0] is min */
} FIELDS[FIELD_COUNT] = {
	[MINUTE] = { "minute", 0, 59, 59, NULL, 0 },
	[HOUR] = { "hour", 0, 23, 23, NULL, 0 },
	[DAY] = { "day-of-month", 1, 31, 31, NULL, 0 },
	[MONTH] = { "month", 1, 12, 12, MONTHS, ARRAY_LEN(MONTHS) },
	[WEEKDAY] = { "day-of-week", 0, SUNDAY_AGAIN, 6, WEEKDAYS, ARRAY_LEN(WEEKDAYS) },
};

static const struct {
	const char *name, *expression;
} SHORTHANDS[] = {
	{ "@hourly", "0 * * * *" },   { "@daily", "0 0 * * *" },   { "@midnight", "0 0 * * *" },
	{ "@weekly", "0 0 * * 0" },   { "@monthly", "0 0 1 * *" }, { "@yearly", "0 0 1 1 *" },
	{ "@annually", "0 0 1 1 *" },
};

/* What one field names. */
struct field_set {
	uint64_t bits;
	bool any;       /* exactly * */
	bool patterned; /* has * or a step somewhere */
};

static bool
is_number(struct str text)
{
	for (size_t i = 0; i < text.len; i++)
		if (text.ptr[i] < '0' || text.ptr[i] > '9')
			return false;
	return text.len > 0;
}

static int
parse_value(const struct field *f, struct str text, int *out, struct err *e)
{
	int64_t value;

	for (int i = 0; i < f->name_count; i++) {
		if (str_eq_nocase(text, str_of(f->names[i]))) {
			*out = f->min + i;
			return 0;
		}
	}
	if (!is_number(text))
		return err_set(e, ERR_INVALID, "'" STR_FMT "' is not a number%s%s",
			       STR_ARG(str_slice(text, 0, TEXT_SHOWN)),
			       f->names ? " or a name like " : "", f->names ? f->names[1] : "");
	if (!str_to_int(text, &value) || value < f->min || value > f->max)
		return err_set(e, ERR_INVALID, "'" STR_FMT "' is not in %d..%d",
			       STR_ARG(str_slice(text, 0, TEXT_SHOWN)), f->min, f->max);
	*out = (int)value;
	return 0;
}

static int
parse_step(const struct field *f, struct str text, int *out, struct err *e)
{
	int64_t step;

	if (!is_number(text) || !str_to_int(text, &step) || step < 1 || step > f->max)
		return err_set(e, ERR_INVALID, "step '" STR_FMT "' is not in 1..%d",
			       STR_ARG(str_slice(text, 0, TEXT_SHOWN)), f->max);
	*out = (int)step;
	return 0;
}

/* fri-sun ends with the Sunday after Friday. */
static int
parse_range(const struct field *f, struct str text, int *low, int *high, struct err *e)
{
	struct str from, to;
	bool is_range = str_cut(text, '-', &from, &to);
	int rc = parse_value(f, from, low, e);

	if (rc != 0 || !is_range) {
		*high = *low;
		return rc;
	}
	rc = parse_value(f, to, high, e);
	if (rc != 0)
		return rc;
	if (f->names == WEEKDAYS && *high == 0 && *low > 0 && !is_number(to))
		*high = SUNDAY_AGAIN;
	if (*low > *high)
		return err_set(e, ERR_INVALID, "'" STR_FMT "' runs backwards",
			       STR_ARG(str_slice(text, 0, TEXT_SHOWN)));
	return 0;
}

/* One entry of the list: * or 5 or 1-5, and * or 1-5 with a step. */
static int
parse_entry(const struct field *f, struct str text, struct field_set *set, struct err *e)
{
	struct str range, step_text;
	bool stepped = str_cut(text, '/', &range, &step_text);
	bool star = str_eq(range, STR("*"));
	int low = f->min, high = f->star_max, step = 1;
	int rc = star ? 0 : parse_range(f, range, &low, &high, e);

	if (rc == 0 && stepped)
		rc = parse_step(f, step_text, &step, e);
	if (rc != 0)
		return rc;
	if (stepped && !star && !str_contains(range, STR("-")))
		return err_set(e, ERR_INVALID, "'" STR_FMT "': a step stands behind * or a range",
			       STR_ARG(str_slice(text, 0, TEXT_SHOWN)));
	for (int value = low; value <= high; value += step)
		set->bits |= UINT64_C(1) << value;
	set->patterned |= star || stepped;
	return 0;
}

static int
parse_field(const struct field *f, struct str text, struct field_set *out, struct err *e)
{
	struct str entry, rest = text;
	bool more;
	int rc = 0;

	*out = (struct field_set){ .any = str_eq(text, STR("*")) };
	do {
		more = str_cut(rest, ',', &entry, &rest);
		if (entry.len == 0)
			rc = err_set(e, ERR_INVALID, "'" STR_FMT "' has an empty entry",
				     STR_ARG(str_slice(text, 0, TEXT_SHOWN)));
		else
			rc = parse_entry(f, entry, out, e);
	} while (rc == 0 && more);
	return rc == 0 ? 0 : err_prefix(e, rc, "%s: ", f->name);
}

/* The next word of *rest, empty at its end. */
static struct str
next_word(struct str *rest)
{
	struct str text = str_trim(*rest);
	size_t len = 0;

	while (len < text.len && text.ptr[len] != ' ' && text.ptr[len] != '\t')
		len++;
	*rest = str_slice(text, len, text.len);
	return str_slice(text, 0, len);
}

static int
expand_shorthand(struct str *expression, struct err *e)
{
	for (size_t i = 0; i < ARRAY_LEN(SHORTHANDS); i++) {
		if (str_eq(*expression, str_of(SHORTHANDS[i].name))) {
			*expression = str_of(SHORTHANDS[i].expression);
			return 0;
		}
	}
	return err_set(e, ERR_INVALID,
		       "'" STR_FMT "' is not one of @hourly, @daily, @midnight, @weekly, @monthly, "
		       "@yearly, @annually",
		       STR_ARG(str_slice(*expression, 0, TEXT_SHOWN)));
}

int
cron_parse(struct str expression, struct cron *out, struct err *e)
{
	struct field_set sets[FIELD_COUNT];
	struct str rest = str_trim(expression), extra;

	if (str_starts(rest, STR("@")) && expand_shorthand(&rest, e) != 0)
		return ERR_INVALID;
	for (size_t i = 0; i < FIELD_COUNT; i++) {
		struct str word = next_word(&rest);

		if (word.len == 0)
			return err_set(e, ERR_INVALID, "%s: missing; five fields are needed",
				       FIELDS[i].name);
		if (parse_field(&FIELDS[i], word, &sets[i], e) != 0)
			return ERR_INVALID;
	}
	extra = next_word(&rest);
	if (extra.len > 0)
		return err_set(e, ERR_INVALID, "'" STR_FMT "' stands behind the five fields",
			       STR_ARG(str_slice(extra, 0, TEXT_SHOWN)));
	*out = (struct cron){
		.minutes = sets[MINUTE].bits,
		.hours = sets[HOUR].bits,
		.days = sets[DAY].bits,
		.months = sets[MONTH].bits,
		.weekdays = sets[WEEKDAY].bits | sets[WEEKDAY].bits >> SUNDAY_AGAIN,
		.any_day = sets[DAY].any,
		.any_weekday = sets[WEEKDAY].any,
		.elapsed = sets[HOUR].patterned,
	};
	return 0;
}

static bool
has(uint64_t bits, int n)
{
	return bits >> n & 1;
}

/* The lowest named number from n on, -1 when there is none. n is at most 60. */
static int
first_from(uint64_t bits, int n)
{
	uint64_t rest = bits >> n << n;

	return rest ? __builtin_ctzll(rest) : -1;
}

static bool
day_matches(const struct cron *c, const struct civil *at)
{
	bool day = has(c->days, at->day);
	bool weekday =
		has(c->weekdays, timestamp_weekday(timestamp_days(at->year, at->month, at->day)));

	if (c->any_day || c->any_weekday)
		return (c->any_day || day) && (c->any_weekday || weekday);
	return day || weekday;
}

/* Moves to the first named time of the next day, which may be past the month's end. */
static void
skip_day(const struct cron *c, struct civil *at)
{
	at->day++;
	at->hour = first_from(c->hours, 0);
	at->minute = first_from(c->minutes, 0);
}

static void
skip_month(const struct cron *c, struct civil *at)
{
	at->year += at->month == 12;
	at->month = at->month % 12 + 1;
	at->day = 0;
	skip_day(c, at);
}

/* Moves to the next named time of the day, or of the next one. */
static void
skip_to_time(const struct cron *c, struct civil *at)
{
	int minute = first_from(c->minutes, at->minute);

	if (has(c->hours, at->hour) && minute >= 0) {
		at->minute = minute;
		return;
	}
	at->hour = first_from(c->hours, at->hour + 1);
	at->minute = first_from(c->minutes, 0);
	if (at->hour < 0)
		skip_day(c, at);
}

/* The first named local minute not before from_ms, a whole minute; no zone takes part. 29 February
 * is the rarest date there is: it comes within eight years or never. */
static bool
next_named(const struct cron *c, int64_t from_ms, int64_t *out_ms)
{
	struct civil at = timestamp_to_civil(from_ms);
	int64_t last_year = at.year + 8 < LAST_YEAR ? at.year + 8 : LAST_YEAR;

	skip_to_time(c, &at);
	for (; at.year <= last_year; skip_month(c, &at)) {
		int days = timestamp_days_in_month(at.year, at.month);

		if (!has(c->months, at.month))
			continue;
		while (at.day <= days && !day_matches(c, &at))
			skip_day(c, &at);
		if (at.day <= days) {
			*out_ms = timestamp_from_civil(&at);
			return true;
		}
	}
	return false;
}

static int64_t
minute_floor(int64_t ms)
{
	int64_t into = ms % MINUTE_MS;

	return ms - into - (into < 0 ? MINUTE_MS : 0);
}

static int64_t
minute_ceil(int64_t ms)
{
	return minute_floor(ms + MINUTE_MS - 1);
}

/* Walks the stretches of one offset: inside one, local and elapsed time run alike. */
static bool
next_elapsed(const struct cron *c, const struct zone *z, int64_t after_ms, int64_t *out_ms)
{
	for (int64_t at_ms = after_ms + 1;;) {
		struct zone_span span = zone_span(z, at_ms);
		int64_t local_ms;

		if (!next_named(c, minute_ceil(at_ms + span.offset_ms), &local_ms))
			return false;
		*out_ms = local_ms - span.offset_ms;
		if (*out_ms < span.end_ms)
			return true;
		at_ms = span.end_ms;
	}
}

/* The latest whole minute that the wall has shown up to and including ms. Everything named up to it
 * has fired: at its first showing, or at the jump that left it out. */
static int64_t
latest_shown(const struct zone *z, int64_t ms)
{
	int64_t since_ms = ms + (ZONE_OFFSET_MIN_S - ZONE_OFFSET_MAX_S) * INT64_C(1000);
	int64_t latest_ms = minute_floor(ms + ZONE_OFFSET_MIN_S * INT64_C(1000));

	for (struct zone_span span = zone_span(z, ms);; span = zone_span(z, ms)) {
		int64_t local_ms = minute_floor(ms + span.offset_ms);

		if (local_ms > latest_ms && local_ms - span.offset_ms >= span.start_ms)
			latest_ms = local_ms;
		if (span.start_ms <= since_ms)
			return latest_ms;
		ms = span.start_ms - 1;
	}
}

/* The first whole minute, as an instant, at which the wall shows local_ms or later. */
static int64_t
first_showing(const struct zone *z, int64_t local_ms)
{
	for (int64_t at_ms = local_ms - ZONE_OFFSET_MAX_S * INT64_C(1000);;) {
		struct zone_span span = zone_span(z, at_ms);
		int64_t named_ms = local_ms - span.offset_ms;

		if (named_ms < span.start_ms)
			named_ms = minute_ceil(span.start_ms + span.offset_ms) - span.offset_ms;
		if (named_ms < span.end_ms)
			return named_ms;
		at_ms = span.end_ms;
	}
}

bool
cron_next(const struct cron *c, const struct zone *z, int64_t after_ms, int64_t *out_ms)
{
	int64_t next_ms;

	if (c->elapsed) {
		if (!next_elapsed(c, z, after_ms, &next_ms))
			return false;
	} else {
		if (!next_named(c, latest_shown(z, after_ms) + MINUTE_MS, &next_ms))
			return false;
		next_ms = first_showing(z, next_ms);
	}
	if (next_ms > LAST_MS)
		return false;
	*out_ms = next_ms;
	return true;
}

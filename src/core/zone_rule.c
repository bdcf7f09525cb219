#include "core/zone_rule.h"

#include "base/timestamp.h"

static const int64_t DAY_S = 86400;
static const int32_t HOUR_S = 3600;

/* The text still to be read. */
struct reader {
	struct str rest;
};

static bool
take(struct reader *in, char c)
{
	if (in->rest.len == 0 || in->rest.ptr[0] != c)
		return false;
	in->rest = str_slice(in->rest, 1, in->rest.len);
	return true;
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool
is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool
take_number(struct reader *in, int min, int max, int *out)
{
	int value = 0;
	size_t len = 0;

	for (; len < in->rest.len && len < 3 && is_digit(in->rest.ptr[len]); len++)
		value = value * 10 + (in->rest.ptr[len] - '0');
	if (len == 0 || value < min || value > max)
		return false;
	in->rest = str_slice(in->rest, len, in->rest.len);
	*out = value;
	return true;
}

/* CET, or <+03> when the name is not all letters. */
static bool
take_name(struct reader *in)
{
	bool quoted = take(in, '<');
	size_t len = 0;

	for (; len < in->rest.len; len++) {
		char c = in->rest.ptr[len];
		if (!is_letter(c) && !(quoted && (is_digit(c) || c == '+' || c == '-')))
			break;
	}
	if (len < 3)
		return false;
	in->rest = str_slice(in->rest, len, in->rest.len);
	return !quoted || take(in, '>');
}

/* [+-]hours[:minutes[:seconds]] */
static bool
take_time(struct reader *in, int max_hours, int32_t *out_s)
{
	int hours, minutes = 0, seconds = 0;
	bool negative = take(in, '-');

	if (!negative)
		take(in, '+');
	if (!take_number(in, 0, max_hours, &hours))
		return false;
	if (take(in, ':')) {
		if (!take_number(in, 0, 59, &minutes))
			return false;
		if (take(in, ':') && !take_number(in, 0, 59, &seconds))
			return false;
	}
	*out_s = hours * HOUR_S + minutes * 60 + seconds;
	if (negative)
		*out_s = -*out_s;
	return true;
}

/* POSIX counts west of Greenwich, everybody else east. */
static bool
take_offset(struct reader *in, int32_t *out_s)
{
	int32_t west_s;

	if (!take_time(in, 24, &west_s))
		return false;
	*out_s = -west_s;
	return true;
}

static bool
take_day(struct reader *in, struct zone_day *out)
{
	*out = (struct zone_day){ .kind = ZONE_DAY_FROM_NEW_YEAR, .time_s = 2 * HOUR_S };
	if (take(in, 'M')) {
		out->kind = ZONE_DAY_OF_WEEK;
		if (!take_number(in, 1, 12, &out->month) || !take(in, '.') ||
		    !take_number(in, 1, 5, &out->week) || !take(in, '.') ||
		    !take_number(in, 0, 6, &out->weekday))
			return false;
	} else if (take(in, 'J')) {
		out->kind = ZONE_DAY_NEVER_LEAP;
		if (!take_number(in, 1, 365, &out->day))
			return false;
	} else if (!take_number(in, 0, 365, &out->day)) {
		return false;
	}
	return !take(in, '/') || take_time(in, 167, &out->time_s);
}

static bool
take_rule(struct reader *in, struct zone_rule *out)
{
	if (!take_name(in) || !take_offset(in, &out->standard_s))
		return false;
	if (in->rest.len == 0)
		return true;
	out->has_daylight = true;
	if (!take_name(in))
		return false;
	out->daylight_s = out->standard_s + HOUR_S;
	if (in->rest.len > 0 && in->rest.ptr[0] != ',' && !take_offset(in, &out->daylight_s))
		return false;
	return take(in, ',') && take_day(in, &out->daylight_begin) && take(in, ',') &&
	       take_day(in, &out->daylight_end) && in->rest.len == 0;
}

int
zone_rule_parse(struct str text, struct zone_rule *out, struct err *e)
{
	struct reader in = { text };
	struct zone_rule rule = { 0 };

	if (!take_rule(&in, &rule))
		return err_set(e, ERR_INVALID,
			       "time zone rule '" STR_FMT "': cannot be read at '" STR_FMT "'",
			       STR_ARG(str_slice(text, 0, 60)), STR_ARG(str_slice(in.rest, 0, 20)));
	*out = rule;
	return 0;
}

static int64_t
day_of_week(const struct zone_day *d, int64_t year)
{
	int64_t first = timestamp_days(year, d->month, 1);
	int day = (d->weekday - timestamp_weekday(first) + 7) % 7 + 7 * (d->week - 1);

	if (day >= timestamp_days_in_month(year, d->month)) /* there is no fifth: the last one */
		day -= 7;
	return first + day;
}

static int64_t
local_s(const struct zone_day *d, int64_t year)
{
	int64_t new_year = timestamp_days(year, 1, 1), days = new_year;

	switch (d->kind) {
	case ZONE_DAY_OF_WEEK: days = day_of_week(d, year); break;
	case ZONE_DAY_NEVER_LEAP:
		days = new_year + d->day - 1;
		if (d->day >= 60 && timestamp_days_in_month(year, 2) == 29)
			days++;
		break;
	case ZONE_DAY_FROM_NEW_YEAR: days = new_year + d->day; break;
	}
	return days * DAY_S + d->time_s;
}

struct zone_year
zone_rule_year(const struct zone_rule *r, int64_t year)
{
	return (struct zone_year){
		.daylight_begin_s = local_s(&r->daylight_begin, year) - r->standard_s,
		.daylight_end_s = local_s(&r->daylight_end, year) - r->daylight_s,
	};
}

#include "base/timestamp.h"

#include <stdio.h>

static const int64_t DAY_MS = 86400000;

static int64_t
floor_div(int64_t a, int64_t b)
{
	return a / b - (a % b != 0 && (a % b < 0) != (b < 0));
}

/* The year is counted from March, so that the leap day is its last day. */
int64_t
timestamp_days(int64_t year, int month, int day)
{
	int64_t y = month <= 2 ? year - 1 : year;
	int64_t era = floor_div(y, 400);
	int64_t year_of_era = y - era * 400;
	int64_t day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
	int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;

	return era * 146097 + day_of_era - 719468;
}

static bool
is_leap(int64_t year)
{
	return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

int
timestamp_days_in_month(int64_t year, int month)
{
	static const int DAYS[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };

	return month == 2 && is_leap(year) ? 29 : DAYS[month - 1];
}

int
timestamp_weekday(int64_t days)
{
	int64_t w = (days + 4) % 7;

	return (int)(w < 0 ? w + 7 : w);
}

int64_t
timestamp_from_civil(const struct civil *c)
{
	int64_t in_day = ((c->hour * 60 + c->minute) * INT64_C(60) + c->second) * 1000 + c->ms;
	int64_t days = timestamp_days(c->year, c->month, c->day);

	/* Unsigned, because the first day's midnight lies before INT64_MIN. */
	return (int64_t)((uint64_t)days * (uint64_t)DAY_MS + (uint64_t)in_day);
}

struct civil
timestamp_to_civil(int64_t ms)
{
	int64_t days = floor_div(ms, DAY_MS), in_day = (ms % DAY_MS + DAY_MS) % DAY_MS;
	int64_t z = days + 719468;
	int64_t era = floor_div(z, 146097);
	int64_t doe = z - era * 146097;
	int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
	int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
	int64_t mp = (5 * doy + 2) / 153;
	int month = (int)(mp < 10 ? mp + 3 : mp - 9);

	return (struct civil){
		.year = yoe + era * 400 + (month <= 2),
		.month = month,
		.day = (int)(doy - (153 * mp + 2) / 5 + 1),
		.hour = (int)(in_day / 3600000),
		.minute = (int)(in_day / 60000 % 60),
		.second = (int)(in_day / 1000 % 60),
		.ms = (int)(in_day % 1000),
	};
}

/* Exactly n digits at *at. */
static bool
take_digits(struct str s, size_t *at, int n, int *out)
{
	int value = 0;

	for (int i = 0; i < n; i++, (*at)++) {
		if (*at >= s.len || s.ptr[*at] < '0' || s.ptr[*at] > '9')
			return false;
		value = value * 10 + (s.ptr[*at] - '0');
	}
	*out = value;
	return true;
}

static bool
take_char(struct str s, size_t *at, const char *any_of)
{
	if (*at >= s.len || s.ptr[*at] == '\0' || !strchr(any_of, s.ptr[*at]))
		return false;
	(*at)++;
	return true;
}

static bool
take_fraction(struct str s, size_t *at, int *ms)
{
	int scale = 100;
	size_t start;

	*ms = 0;
	if (!take_char(s, at, "."))
		return true;
	for (start = *at; *at < s.len && s.ptr[*at] >= '0' && s.ptr[*at] <= '9'; (*at)++) {
		*ms += (s.ptr[*at] - '0') * scale;
		scale /= 10;
	}
	return *at > start;
}

static bool
take_offset(struct str s, size_t *at, int *offset_s)
{
	bool west;
	int hour, minute;

	*offset_s = 0;
	if (take_char(s, at, "Zz"))
		return true;
	west = *at < s.len && s.ptr[*at] == '-';
	if (!take_char(s, at, "+-") || !take_digits(s, at, 2, &hour) || !take_char(s, at, ":") ||
	    !take_digits(s, at, 2, &minute) || hour > 23 || minute > 59)
		return false;
	*offset_s = (hour * 60 + minute) * (west ? -60 : 60);
	return true;
}

bool
timestamp_parse(struct str s, int64_t *out_ms)
{
	struct civil c = { 0 };
	size_t at = 0;
	int year, offset_s;

	if (!take_digits(s, &at, 4, &year) || !take_char(s, &at, "-") ||
	    !take_digits(s, &at, 2, &c.month) || !take_char(s, &at, "-") ||
	    !take_digits(s, &at, 2, &c.day) || !take_char(s, &at, "Tt ") ||
	    !take_digits(s, &at, 2, &c.hour) || !take_char(s, &at, ":") ||
	    !take_digits(s, &at, 2, &c.minute) || !take_char(s, &at, ":") ||
	    !take_digits(s, &at, 2, &c.second) || !take_fraction(s, &at, &c.ms) ||
	    !take_offset(s, &at, &offset_s) || at != s.len)
		return false;
	c.year = year;
	if (c.month < 1 || c.month > 12 || c.day < 1 ||
	    c.day > timestamp_days_in_month(c.year, c.month) || c.hour > 23 || c.minute > 59 ||
	    c.second > 60)
		return false;
	*out_ms = timestamp_from_civil(&c) - offset_s * INT64_C(1000);
	return true;
}

static char *
put_digits(char *to, int count, int value)
{
	for (int i = count - 1; i >= 0; i--, value /= 10)
		to[i] = (char)('0' + value % 10);
	return to + count;
}

/* By hand: two of these stand in every event that is shown, and snprintf took longer than the rest. */
static struct str
format(int64_t ms, const char *zone, char out[TIMESTAMP_TEXT_MAX])
{
	struct civil c = timestamp_to_civil(ms);
	char *to = out;

	if (c.year < 0 || c.year > 9999)
		to += snprintf(to, TIMESTAMP_TEXT_MAX, "%04lld", (long long)c.year);
	else
		to = put_digits(to, 4, (int)c.year);
	*to++ = '-';
	to = put_digits(to, 2, c.month);
	*to++ = '-';
	to = put_digits(to, 2, c.day);
	*to++ = 'T';
	to = put_digits(to, 2, c.hour);
	*to++ = ':';
	to = put_digits(to, 2, c.minute);
	*to++ = ':';
	to = put_digits(to, 2, c.second);
	if (c.ms) {
		*to++ = '.';
		to = put_digits(to, 3, c.ms);
	}
	while (*zone)
		*to++ = *zone++;
	*to = '\0';
	return (struct str){ out, (size_t)(to - out) };
}

struct str
timestamp_format(int64_t ms, char out[TIMESTAMP_TEXT_MAX])
{
	return format(ms, "Z", out);
}

struct str
timestamp_format_offset(int64_t ms, int offset_s, char out[TIMESTAMP_TEXT_MAX])
{
	int minutes = (offset_s < 0 ? -offset_s : offset_s) / 60;
	char zone[16];
	int64_t local_ms;

	if (__builtin_add_overflow(ms, offset_s * INT64_C(1000), &local_ms))
		local_ms = ms; /* the first or last day there is */
	snprintf(zone, sizeof zone, "%c%02d:%02d", offset_s < 0 ? '-' : '+', minutes / 60 % 100,
		 minutes % 60);
	return format(local_ms, zone, out);
}

#include "core/retry_after.h"
#include "base/timestamp.h"

/* Beyond this a wait is as good as for ever; keeps the arithmetic far from overflow. */
static const int64_t UNITS_MAX = INT64_C(1000000000);

static bool
take_digits(struct str text, size_t at, size_t count, int *out)
{
	int value = 0;

	for (size_t i = at; i < at + count; i++) {
		if (text.ptr[i] < '0' || text.ptr[i] > '9')
			return false;
		value = value * 10 + (text.ptr[i] - '0');
	}
	*out = value;
	return true;
}

/* Index of a three-letter name in a string of such names; -1 when it is none of them. */
static int
name_index(struct str text, size_t at, const char *names)
{
	for (int i = 0; names[3 * i] != '\0'; i++)
		if (memcmp(text.ptr + at, names + (ptrdiff_t)3 * i, 3) == 0)
			return i;
	return -1;
}

bool
retry_after_parse_date(struct str text, int64_t *out_ms)
{
	/* Offsets:   Sun, 06 Nov 1994 08:49:37 GMT
	 *            0    5  8   12   17 20 23 26 */
	static const char SHAPE[] = "aaa, 00 aaa 0000 00:00:00 GMT";
	struct civil c = { 0 };
	int weekday, month, year;

	if (text.len != sizeof SHAPE - 1)
		return false;
	for (size_t i = 0; i < text.len; i++)
		if (SHAPE[i] != 'a' && SHAPE[i] != '0' && SHAPE[i] != text.ptr[i])
			return false;
	weekday = name_index(text, 0, "SunMonTueWedThuFriSat");
	month = name_index(text, 8, "JanFebMarAprMayJunJulAugSepOctNovDec");
	if (weekday < 0 || month < 0 || !take_digits(text, 5, 2, &c.day) ||
	    !take_digits(text, 12, 4, &year) || !take_digits(text, 17, 2, &c.hour) ||
	    !take_digits(text, 20, 2, &c.minute) || !take_digits(text, 23, 2, &c.second))
		return false;
	c.year = year;
	c.month = month + 1;
	if (c.day < 1 || c.day > timestamp_days_in_month(c.year, c.month) || c.hour > 23 ||
	    c.minute > 59 || c.second > 60)
		return false;
	if (timestamp_weekday(timestamp_days(c.year, c.month, c.day)) != weekday)
		return false;
	bool leap = c.second == 60;

	c.second -= leap;
	*out_ms = timestamp_from_civil(&c) + (leap ? 1000 : 0);
	return true;
}

/* A decimal number of units of unit_ms, rounded up to whole ms. */
static bool
parse_units(struct str text, int64_t unit_ms, int64_t *out_ms)
{
	struct str whole, fraction;
	bool has_point = str_cut(str_trim(text), '.', &whole, &fraction);
	int64_t value, ms = 0, scale = unit_ms;
	bool rest = false;

	if (whole.len == 0 || (has_point && fraction.len == 0))
		return false;
	for (size_t i = 0; i < whole.len; i++)
		if (whole.ptr[i] < '0' || whole.ptr[i] > '9')
			return false;
	for (size_t i = 0; i < fraction.len; i++) {
		if (fraction.ptr[i] < '0' || fraction.ptr[i] > '9')
			return false;
		int digit = fraction.ptr[i] - '0';

		scale /= 10;
		ms += digit * scale;
		rest |= scale == 0 && digit > 0;
	}
	if (!str_to_int(whole, &value) || value > UNITS_MAX)
		value = UNITS_MAX;
	*out_ms = value * unit_ms + ms + (rest ? 1 : 0);
	return true;
}

bool
retry_after_parse(struct str text, int64_t now_ms, int64_t *out_ms)
{
	int64_t at_ms;

	if (parse_units(text, 1000, out_ms))
		return true;
	if (!retry_after_parse_date(str_trim(text), &at_ms))
		return false;
	*out_ms = at_ms > now_ms ? at_ms - now_ms : 0;
	return true;
}

bool
retry_after_parse_ms(struct str text, int64_t *out_ms)
{
	return parse_units(text, 1, out_ms);
}

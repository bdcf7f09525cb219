/* timestamp - civil dates and RFC 3339 text to and from ms since the epoch; proleptic Gregorian,
 * no time zones beyond a fixed offset (those are core/zone's). */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/str.h"

enum { TIMESTAMP_TEXT_MAX = sizeof "-292275055-05-16T16:47:04.192+00:00" };

struct civil {
	int64_t year;
	int month, day;           /* 1..12, 1..31 */
	int hour, minute, second; /* second 0..59 */
	int ms;
};

/* Days since 1970-01-01 of a date; month and day must be in range. */
int64_t timestamp_days(int64_t year, int month, int day);
int timestamp_days_in_month(int64_t year, int month);
/* 0 = Sunday. */
int timestamp_weekday(int64_t days);
/* The fields as if they were UTC. */
int64_t timestamp_from_civil(const struct civil *c);
struct civil timestamp_to_civil(int64_t ms);

/* "2026-03-29T01:00:00Z", "+02:00" offsets, any number of fraction digits (beyond ms cut off), lower
 * case t and z and a blank for the T accepted; years 0000..9999. A leap second (:60) reads as the next second. */
bool timestamp_parse(struct str text, int64_t *out_ms);
/* UTC with Z; the fraction only when it is not zero, then three digits. */
struct str timestamp_format(int64_t ms, char out[TIMESTAMP_TEXT_MAX]);
/* The same instant written with the given offset in seconds ("+02:00"), for people. */
struct str timestamp_format_offset(int64_t ms, int offset_s, char out[TIMESTAMP_TEXT_MAX]);

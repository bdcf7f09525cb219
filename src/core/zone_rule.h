/* zone_rule - the yearly rule that holds after a zone's last recorded change: when does its clock
 * change in a given year? Written as a POSIX TZ string, "CET-1CEST,M3.5.0,M10.5.0/3", with the
 * times of RFC 9636 (-167 to 167 hours). Pure; instants here are whole seconds since the epoch. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/err.h"
#include "base/str.h"

enum zone_day_kind {
	ZONE_DAY_OF_WEEK,      /* M3.5.0: month, week (5 = the last), weekday */
	ZONE_DAY_NEVER_LEAP,   /* J60: 1..365, 29 February is not counted: J60 is always 1 March */
	ZONE_DAY_FROM_NEW_YEAR /* 59: 0..365, 29 February is counted */
};

struct zone_day {
	enum zone_day_kind kind;
	int month, week, weekday; /* ZONE_DAY_OF_WEEK; weekday 0 = Sunday */
	int day;                  /* the other two */
	int32_t time_s;           /* local time of that day; may reach into other days */
};

struct zone_rule {
	int32_t standard_s, daylight_s; /* east of Greenwich */
	bool has_daylight;              /* false: standard_s all year, the rest is unused */
	struct zone_day daylight_begin, daylight_end;
};

struct zone_year {
	int64_t daylight_begin_s, daylight_end_s; /* in either order: the south begins last */
};

/* On error *out is untouched. */
NODISCARD int zone_rule_parse(struct str text, struct zone_rule *out, struct err *e);
/* The two changes of that year; only for a rule with daylight time. */
struct zone_year zone_rule_year(const struct zone_rule *r, int64_t year);

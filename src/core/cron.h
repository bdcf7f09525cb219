/* cron - when does a five-field cron expression fire next in a zone?
 *
 *   minute 0-59 · hour 0-23 · day of month 1-31 · month 1-12 or jan-dec · day of week 0-7 or
 *   sun-sat, 0 and 7 are Sunday
 *
 * Each field is a list of *, a number or name, a range, and a step behind * or a range; names in
 * any case. @hourly, @daily, @midnight, @weekly, @monthly, @yearly and @annually are accepted.
 *
 * Days: with both day fields restricted either one suffices; only a plain * is no restriction.
 * Clock changes: an hour field of plain numbers and ranges names times on the wall. One that is
 * left out fires at the first whole minute after the jump, one that repeats fires the first time
 * only, and several that meet in one minute fire once. An hour field with * or a step means
 * elapsed time: every real minute that the wall shows with those numbers, in both passes of a
 * repeated hour, and none for what is left out.
 *
 * Pure. Instants are ms since the epoch, UTC. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/err.h"
#include "base/str.h"
#include "core/zone.h"

struct cron { /* bit n of a field set: n is named */
	uint64_t minutes, hours, days, months, weekdays;
	bool any_day, any_weekday; /* the field is a plain * */
	bool elapsed;              /* the hour field has * or a step */
};

/* Errors name the field and the text at fault. On error *out is untouched. */
NODISCARD int cron_parse(struct str expression, struct cron *out, struct err *e);
/* The first instant after after_ms; false when none comes (31 February) before the year 10000. */
bool cron_next(const struct cron *c, const struct zone *z, int64_t after_ms, int64_t *out_ms);

/* zone - what does the clock on the wall show at an instant, and when does it show a given time?
 *
 * A zone is read from TZif bytes (RFC 9636; the caller loads the file) and never changes. Instants
 * are ms since the epoch, UTC. A local time is what the wall shows, as ms counted as if it were UTC
 * (timestamp_from_civil); local times repeat or are missing where the clock is changed, instants
 * never. Both must stay within 2^62 ms of the epoch. Pure: no clock, no I/O, no TZ, no globals. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "core/zone_rule.h"

/* The offsets RFC 9636 allows; others are refused. */
enum { ZONE_OFFSET_MIN_S = -89999, ZONE_OFFSET_MAX_S = 93599 };

struct zone_change {
	int64_t at_s; /* from here on ... */
	int32_t offset_s;
};

/* The zero value is UTC. */
struct zone {
	int32_t first_offset_s;            /* before the first change */
	const struct zone_change *changes; /* ascending */
	size_t change_count;
	bool has_rule;         /* else the last offset holds for ever */
	struct zone_rule rule; /* from the last change on */
};
extern const struct zone ZONE_UTC;

/* A stretch of time with one offset: [start_ms, end_ms), the ends of time as INT64_MIN and _MAX. */
struct zone_span {
	int64_t start_ms, end_ms;
	int64_t offset_ms; /* local time = instant + offset_ms */
};

enum zone_fit {
	ZONE_ONCE,
	ZONE_TWICE, /* the clock was put back over it */
	ZONE_GAP    /* the clock was put forward over it */
};
struct zone_instants {
	enum zone_fit fit;
	int64_t first_ms, last_ms; /* differ only for ZONE_TWICE; ZONE_GAP: the jump */
};

/* Reads a TZif file, version 1 to 4; the 64-bit data and the footer where it has them. Leap seconds
 * are taken out: instants here have none. The zone lives in a. On error *out is untouched. */
NODISCARD int zone_parse(struct str tzif, struct arena *a, struct zone *out, struct err *e);

/* The stretch that contains the instant. Neighbours may have the same offset. */
struct zone_span zone_span(const struct zone *z, int64_t ms);
int64_t zone_local_ms(const struct zone *z, int64_t ms);
/* The first instant that shows local_ms, or, when none does, the jump that left it out. */
struct zone_instants zone_instants(const struct zone *z, int64_t local_ms);

/* The latest instant, not after now_ms, that begins the given hour (0..23) of a local day. An hour
 * left out by a change begins at the jump, also when a whole day is left out; a repeated hour
 * begins once, the first time. */
int64_t zone_last_hour(const struct zone *z, int hour, int64_t now_ms);

/* Any bytes as a TZif file: refused, or a zone whose answers agree with each other. */
#include "core/zone.h"

static void
check_instant(const struct zone *z, int64_t ms)
{
	struct zone_span span = zone_span(z, ms);
	struct zone_instants found = zone_instants(z, ms + span.offset_ms);
	int64_t boundary_ms = zone_last_hour(z, 4, ms);

	if (span.start_ms > ms || span.end_ms <= ms)
		__builtin_trap();
	/* the time shown now was shown now at the latest, and for the first time not later */
	if (found.first_ms > ms || found.last_ms < found.first_ms ||
	    (found.fit == ZONE_ONCE && found.first_ms != ms) ||
	    (found.fit == ZONE_TWICE && found.last_ms < ms))
		__builtin_trap();
	if (boundary_ms > ms || boundary_ms < ms - INT64_C(400) * 3600000)
		__builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a;
	struct zone zone;
	struct err e;

	arena_init(&a);
	if (zone_parse((struct str){ (const char *)data, size }, &a, &zone, &e) == 0) {
		for (int64_t year = 1880; year < 2140; year += 13)
			check_instant(&zone, (year - 1970) * INT64_C(31556952000));
		for (size_t i = 0; i < zone.change_count && i < 20; i++)
			if (zone.changes[i].at_s > -4000000000000 &&
			    zone.changes[i].at_s < 4000000000000)
				check_instant(&zone, zone.changes[i].at_s * 1000);
		check_instant(&zone, INT64_C(1) << 61);
		check_instant(&zone, -(INT64_C(1) << 61));
	}
	arena_release(&a);
	return 0;
}

/* Any text as a cron expression: refused, or it fires strictly later each time, on whole minutes
 * of the wall, and never twice for one. */
#include "core/cron.h"

static const struct zone_change CHANGES[] = { { -2208988800, 3208 },
					      { 1774746000, 7200 },
					      { 1792890000, 3600 } };
/* Berlin, roughly: an odd offset, two changes, then the rule. */
static const struct zone BERLIN = {
	.first_offset_s = 0,
	.changes = CHANGES,
	.change_count = ARRAY_LEN(CHANGES),
	.has_rule = true,
	.rule = {
		.standard_s = 3600,
		.daylight_s = 7200,
		.has_daylight = true,
		.daylight_begin = { ZONE_DAY_OF_WEEK, 3, 5, 0, 0, 7200 },
		.daylight_end = { ZONE_DAY_OF_WEEK, 10, 5, 0, 0, 10800 },
	},
};

static void
check_firing(const struct cron *c, const struct zone *z, int64_t at_ms)
{
	for (int i = 0; i < 20; i++) {
		int64_t next_ms, between_ms;

		if (!cron_next(c, z, at_ms, &next_ms))
			return;
		if (next_ms <= at_ms || zone_local_ms(z, next_ms) % 60000 != 0)
			__builtin_trap();
		/* asked from anywhere before it, the answer is the same */
		if (!cron_next(c, z, at_ms + (next_ms - at_ms) / 2, &between_ms) ||
		    between_ms != next_ms)
			__builtin_trap();
		at_ms = next_ms;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cron cron;
	struct err e;

	if (cron_parse((struct str){ (const char *)data, size }, &cron, &e) != 0)
		return 0;
	check_firing(&cron, &ZONE_UTC, INT64_C(1767225600000));
	check_firing(&cron, &BERLIN, INT64_C(1774738800000));
	check_firing(&cron, &BERLIN, INT64_C(1792882800000));
	check_firing(&cron, &BERLIN, INT64_C(-2208990000000));
	check_firing(&cron, &BERLIN, INT64_C(4102444800000));
	return 0;
}

#include "app/zones.h"

#include "base/timestamp.h"
#include "harness.h"

static void
H3_a_zone_is_read_once(void **state)
{
	struct zones *z = zones_new();
	struct engine_zones port = zones_port(z);
	const struct zone *first = NULL, *again = NULL;
	int64_t summer_ms;

	(void)state;
	assert_true(timestamp_parse(STR("2026-07-01T00:00:00Z"), &summer_ms));
	assert_int_equal(port.find(port.ctx, STR("Europe/Berlin"), &first, NULL), 0);
	assert_int_equal(zone_span(first, summer_ms).offset_ms, 2 * 3600 * 1000);
	assert_int_equal(port.find(port.ctx, STR("Europe/Berlin"), &again, NULL), 0);
	assert_ptr_equal(first, again);
	assert_int_equal(port.find(port.ctx, STR("Asia/Tokyo"), &again, NULL), 0);
	assert_ptr_not_equal(first, again);
	zones_free(&z);
	assert_null(z);
	zones_free(&z);
}

static const struct row {
	const char *name, *zone, *why;
} ROWS[] = {
	{ "H3 there is no such zone", "Europe/Perdure", "is not a known time zone" },
	{ "H3 a name leads nowhere else", "../../etc/passwd", "is not a time zone name" },
	{ "H3 a name is not empty", "", "is not a time zone name" },
	{ "H3 a folder is no zone", "Europe", "Europe" },
};

static void
is_refused(void **state)
{
	const struct row *row = *state;
	struct zones *z = zones_new();
	struct engine_zones port = zones_port(z);
	const struct zone *zone = NULL;
	struct err e = { 0 };

	assert_true(port.find(port.ctx, str_of(row->zone), &zone, &e) < 0);
	assert_null(zone);
	if (!str_contains(str_of(e.text), str_of(row->why)))
		fail_msg("%s", e.text);
	zones_free(&z);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, H3_a_zone_is_read_once);
	SUITE_ROWS(&s, ROWS, is_refused);
	return suite_run(&s, "zones");
}

#include "app/policies.h"

#include "app/zones.h"
#include "config_rows.h"
#include "core/zone.h"

static const char FILE_TEXT[] =
	"time_zone: Europe/Berlin\n"
	"session_reset: {mode: idle, idle_minutes: 7}\n"
	"platforms:\n"
	"  telegram: {session_reset: {mode: daily, at_hour: 5}, home_channel: \"-100\"}\n"
	"  mine: {pii_safe: true}\n"
	"agents:\n"
	"  east: {time_zone: Asia/Tokyo}\n"
	"privacy: {redact_pii: true}\n";

struct world {
	struct config *config;
	struct zones *zones;
	struct policies *p;
	struct engine_policies port;
};

static struct world
world_of(const char *text)
{
	struct world w = { .config = config_rows_load(text) };

	w.zones = zones_new();
	w.p = policies_new(w.config, zones_port(w.zones));
	w.port = policies_port(w.p);
	return w;
}

static void
world_end(struct world *w)
{
	policies_free(&w->p);
	zones_free(&w->zones);
	config_free(&w->config);
}

static void
R1_the_most_specific_reset_decides(void **state)
{
	struct world w = world_of(FILE_TEXT);
	struct reset_settings s;

	(void)state;
	s = w.port.reset(w.port.ctx, &(struct engine_lane){ STR("telegram"), SOURCE_DM, STR("x") });
	assert_int_equal(s.mode, RESET_MODE_DAILY);
	assert_int_equal(s.at_hour, 5);
	s = w.port.reset(w.port.ctx, &(struct engine_lane){ STR("slack"), SOURCE_DM, STR("x") });
	assert_int_equal(s.mode, RESET_MODE_IDLE);
	assert_int_equal(s.idle_minutes, 7);
	s = w.port.reset(w.port.ctx, &(struct engine_lane){
					     STR("slack"), SOURCE_DM, STR("x"),
					     &(struct reset_settings){ .mode = RESET_MODE_BOTH } });
	assert_int_equal(s.mode, RESET_MODE_BOTH); /* what its workspace says, before the server */
	s = w.port.reset(w.port.ctx, &(struct engine_lane){
					     STR("telegram"), SOURCE_DM, STR("x"),
					     &(struct reset_settings){ .mode = RESET_MODE_BOTH } });
	assert_int_equal(s.mode, RESET_MODE_DAILY);
	world_end(&w);
}

static void
Q3_a_platform_has_its_own_busy_mode(void **state)
{
	struct world w = world_of("platforms: {a: {busy: steer}, b: {}}\nqueue: {busy: collect}\n");

	(void)state;
	assert_int_equal(w.port.busy(w.port.ctx, STR("a")), BUSY_STEER);
	assert_int_equal(w.port.busy(w.port.ctx, STR("b")), BUSY_COLLECT);
	assert_int_equal(w.port.busy(w.port.ctx, STR("c")), BUSY_COLLECT);
	assert_false(config_platform_find(w.config, STR("a"))->resets);
	world_end(&w);
}

static void
R1_days_begin_in_the_agents_zone(void **state)
{
	static const int64_t HOUR_MS = 3600 * 1000;
	struct world w = world_of(FILE_TEXT);
	const struct zone *main, *east;

	(void)state;
	main = w.port.zone(w.port.ctx, STR("main"));
	east = w.port.zone(w.port.ctx, STR("east"));
	assert_int_equal(zone_local_ms(main, 0), HOUR_MS);
	assert_int_equal(zone_local_ms(east, 0), 9 * HOUR_MS);
	assert_ptr_equal(w.port.zone(w.port.ctx, STR("other")), main);
	world_end(&w);
	w = world_of("model: demo\n");
	assert_int_equal(zone_local_ms(w.port.zone(w.port.ctx, STR("main")), 0), 0);
	world_end(&w);
}

static void
K8_platforms_and_homes_are_those_of_the_file(void **state)
{
	struct world w = world_of(FILE_TEXT);
	struct engine_surroundings s = w.port.around(w.port.ctx, STR("telegram"));

	(void)state;
	assert_int_equal(s.platform_count, 2);
	assert_int_equal(s.home_count, 1);
	check_str("home", s.homes[0].chat_id, STR("-100"));
	check_str("of", s.homes[0].platform, STR("telegram"));
	world_end(&w);
}

static void
K9_ids_are_hashed_where_that_is_allowed(void **state)
{
	struct world w = world_of(FILE_TEXT);

	(void)state;
	assert_true(w.port.around(w.port.ctx, STR("telegram")).redact);
	assert_true(w.port.around(w.port.ctx, STR("mine")).redact);
	assert_false(w.port.around(w.port.ctx, STR("discord")).redact);
	world_end(&w);
	w = world_of("model: demo\n");
	assert_false(w.port.around(w.port.ctx, STR("telegram")).redact);
	world_end(&w);
}

static void
L2_a_reload_counts(void **state)
{
	struct world w = world_of(FILE_TEXT);
	struct config *now = config_rows_load("session_reset: {mode: none}\n");

	(void)state;
	policies_reload(w.p, now);
	assert_int_equal(w.port.around(w.port.ctx, STR("telegram")).platform_count, 0);
	assert_int_equal(w.port.reset(w.port.ctx, &(struct engine_lane){ 0 }).mode,
			 RESET_MODE_NONE);
	world_end(&w);
	config_free(&now);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, R1_the_most_specific_reset_decides);
	SUITE_TEST(&s, Q3_a_platform_has_its_own_busy_mode);
	SUITE_TEST(&s, R1_days_begin_in_the_agents_zone);
	SUITE_TEST(&s, K8_platforms_and_homes_are_those_of_the_file);
	SUITE_TEST(&s, K9_ids_are_hashed_where_that_is_allowed);
	SUITE_TEST(&s, L2_a_reload_counts);
	return suite_run(&s, "policies");
}

#include "engine/retention.h"

#include "engine_rig.h"

static const int64_t DAY_MS = 86400000;

static void
set_days(struct engine_rig *r, int64_t days)
{
	struct engine_settings settings = r->en->config.settings;

	settings.deleted_ms = days * DAY_MS;
	engine_reload(r->en, &settings);
	virtual_host_advance(&r->host, 1000);
}

static void
open_and_delete(struct engine_rig *r, const char *session)
{
	rig_open(r, NULL, session);
	rig_expect(rig_end(r, engine_session_delete, (struct rig_call){ .id = str_of(session) }), 0,
		   NULL);
}

static void
P6_kept_for_its_days_and_then_gone(void **state)
{
	struct engine_rig r;

	engine_rig_init(&r, *state != NULL);
	set_days(&r, 7);
	rig_open(&r, NULL, "cli:kept");
	rig_open(&r, NULL, "cli:a");
	virtual_host_advance(&r.host, 30 * DAY_MS); /* its age is no reason */
	rig_expect(rig_end(&r, engine_session_delete, (struct rig_call){ .id = STR("cli:a") }), 0,
		   NULL);
	virtual_host_advance(&r.host, 7 * DAY_MS - 60000);
	assert_non_null(engine_rig_session(&r, "cli:a"));
	virtual_host_advance(&r.host, 12 * 60000);
	assert_null(engine_rig_session(&r, "cli:a"));
	assert_non_null(engine_rig_session(&r, "cli:kept"));
	engine_rig_release(&r);
}

static void
P6_without_days_at_once(void **state)
{
	struct engine_rig r;

	engine_rig_init(&r, *state != NULL);
	set_days(&r, 0);
	open_and_delete(&r, "cli:a");
	virtual_host_advance(&r.host, 1000);
	assert_null(engine_rig_session(&r, "cli:a"));
	engine_rig_release(&r);
}

static void
P6_records_of_the_session_go_and_no_others(void **state)
{
	struct engine_rig r;
	const struct engine_caller *kim;

	engine_rig_init(&r, *state != NULL);
	set_days(&r, 7);
	kim = rig_person(&r, "Kim");
	rig_open(&r, kim, "cli:a");
	rig_open(&r, kim, "cli:ab");
	assert_int_equal(engine_rig_count(&r, RECORD_PARTICIPANT), 2);
	rig_expect(rig_end(&r, engine_session_delete, (struct rig_call){ .id = STR("cli:a") }), 0,
		   NULL);
	set_days(&r, 0);
	assert_null(engine_rig_session(&r, "cli:a"));
	assert_int_equal(engine_rig_count(&r, RECORD_PARTICIPANT), 1);
	engine_rig_release(&r);
}

static void
P6_what_was_due_goes_at_the_next_start(void **state)
{
	struct engine_rig r;

	engine_rig_init(&r, *state != NULL);
	set_days(&r, 7);
	open_and_delete(&r, "cli:a");
	engine_rig_restart(&r); /* its settings have no days */
	virtual_host_advance(&r.host, 1000);
	assert_null(engine_rig_session(&r, "cli:a"));
	engine_rig_release(&r);
}

static void
P6_more_than_a_page(void **state)
{
	struct engine_rig r;
	char name[32];

	engine_rig_init(&r, *state != NULL);
	set_days(&r, 7);
	for (int i = 0; i < 120; i++) {
		snprintf(name, sizeof name, "cli:%d", i);
		open_and_delete(&r, name);
	}
	set_days(&r, 0);
	virtual_host_advance(&r.host, 5000);
	for (int i = 0; i < 120; i++) {
		snprintf(name, sizeof name, "cli:%d", i);
		assert_null(engine_rig_session(&r, name));
	}
	engine_rig_release(&r);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, P6_kept_for_its_days_and_then_gone);
	SUITE_TEST(&s, P6_without_days_at_once);
	SUITE_TEST(&s, P6_records_of_the_session_go_and_no_others);
	SUITE_TEST(&s, P6_what_was_due_goes_at_the_next_start);
	SUITE_TEST(&s, P6_more_than_a_page);
	return suite_run(&s, "engine/retention");
}

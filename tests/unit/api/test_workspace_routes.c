/* Each request becomes its command, and is answered with the record. */
#include "fake_engine.h"

static struct api_rig RIG;

static const struct row {
	const char *name;
	struct rig_ask ask;
	const char *command, *id;
} ROWS[] = {
	{ "T3 create",
	  { "POST", "/v1/workspaces", "owner", NULL, "{\"name\":\"x\"}" },
	  "workspace_create",
	  "" },
	{ "T3 update",
	  { "POST", "/v1/workspaces/acme", "owner", NULL, "{\"name\":\"y\"}" },
	  "workspace_update",
	  "acme" },
};

static void
row_holds(void **state)
{
	const struct row *row = *state;
	struct rig_reply reply;

	fake_engine_reset();
	FAKE.answer.id = STR("x1");
	reply = api_rig_ask(&RIG, &row->ask);
	rig_expect(row->name, &reply, 200, "{\"id\":\"x1\",\"name\":\"made\"}");
	assert_string_equal(FAKE.command, row->command);
	assert_string_equal(FAKE.id, row->id);
	assert_string_equal(FAKE.body, row->ask.body ? row->ask.body : "");
}

static void
refusal_is_passed_on(void **state)
{
	struct rig_reply reply;

	(void)state;
	fake_engine_reset();
	FAKE.answer.rc = err_set(&FAKE.err, ERR_CONFLICT, "version: moved on");
	reply = api_rig_ask(&RIG, &ROWS[0].ask);
	rig_expect("refusal", &reply, 409, "version: moved on");
}

static void
reading(void **state)
{
	struct rig_reply reply =
		api_rig_ask(&RIG, &(struct rig_ask){ "GET", "/v1/workspaces/x1", "owner" });

	(void)state;
	rig_expect("one", &reply, 200, "{\"id\":\"x1\",\"name\":\"made\"}");
	reply = api_rig_ask(&RIG, &(struct rig_ask){ "GET", "/v1/workspaces/x2", "owner" });
	rig_expect("none", &reply, 404, "\"error_code\":\"workspace_not_found\"");
	reply = api_rig_ask(&RIG, &(struct rig_ask){ "GET", "/v1/workspaces", "owner" });
	rig_expect("all", &reply, 200,
		   "{\"data\":[{\"id\":\"x1\",\"name\":\"made\"}],\"next_page\":null}");
}

int
main(void)
{
	struct suite s = { 0 };
	int failed;

	api_rig_init(&RIG);
	api_rig_start(&RIG);
	fake_engine_put(&RIG, RECORD_WORKSPACE, "x1", "", "{\"id\":\"x1\",\"name\":\"made\"}");
	SUITE_ROWS(&s, ROWS, row_holds);
	SUITE_TEST(&s, refusal_is_passed_on);
	SUITE_TEST(&s, reading);
	failed = suite_run(&s, "api/workspace_routes");
	api_rig_stop(&RIG);
	return failed;
}

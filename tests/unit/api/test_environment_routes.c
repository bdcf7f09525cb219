#include "record_routes.h"

static const struct record_route ROWS[] = {
	{ "A1 create",
	  { "POST", "/v1/environments", "owner", NULL, "{\"name\":\"x\"}" },
	  "environment_create",
	  "" },
	{ "A1 update",
	  { "POST", "/v1/environments/e%3A1", "owner", NULL, "{\"name\":\"y\"}" },
	  "environment_update",
	  "e:1" },
	{ "A1 archive",
	  { "POST", "/v1/environments/e1/archive", "owner", NULL, NULL },
	  "environment_archive",
	  "e1" },
};

static void
A1_delete(void **state)
{
	struct rig_reply reply;

	(void)state;
	fake_engine_reset();
	FAKE.answer.id = STR("e1");
	reply = api_rig_ask(&RECORD_RIG,
			    &(struct rig_ask){ "DELETE", "/v1/environments/e1", "owner" });
	rig_expect("delete", &reply, 200, "{\"id\":\"e1\",\"type\":\"environment_deleted\"}");
	assert_string_equal(FAKE.command, "environment_delete");
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, A1_delete);
	return record_routes_run(
		&s, &(struct record_routes){ "api/environment_routes", "/v1/environments",
					     "\"error_code\":\"environment_not_found\"",
					     RECORD_ENVIRONMENT, ROWS, ARRAY_LEN(ROWS) });
}

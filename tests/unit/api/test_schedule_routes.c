/* Each request becomes its command, and is answered with the record as the wire shows it. */
#include "fake_engine.h"

static struct api_rig RIG;

#define SHOWN                                                                        \
	"{\"id\":\"x1\",\"name\":\"made\",\"next_run_at\":\"1970-01-01T00:00:01Z\"," \
	"\"last_run_at\":null,\"consecutive_failures\":2,\"open_run_id\":null}"

static const struct row {
	const char *name;
	struct rig_ask ask;
	const char *command, *id, *body;
} ROWS[] = {
	{ "H3 create",
	  { "POST", "/v1/schedules", "owner", NULL, "{\"name\":\"x\"}" },
	  "schedule_create",
	  "",
	  "{\"name\":\"x\"}" },
	{ "H3 update",
	  { "POST", "/v1/schedules/e%3A1", "owner", NULL, "{\"name\":\"y\"}" },
	  "schedule_update",
	  "e:1",
	  "{\"name\":\"y\"}" },
	{ "H3 pause",
	  { "POST", "/v1/schedules/e1/pause", "owner", NULL, NULL },
	  "schedule_update",
	  "e1",
	  "{\"enabled\":false}" },
	{ "H3 resume",
	  { "POST", "/v1/schedules/e1/resume", "owner", NULL, NULL },
	  "schedule_update",
	  "e1",
	  "{\"enabled\":true}" },
};

static void
row_holds(void **state)
{
	const struct row *row = *state;
	struct rig_reply reply;

	fake_engine_reset();
	FAKE.answer.id = STR("x1");
	reply = api_rig_ask(&RIG, &row->ask);
	rig_expect(row->name, &reply, 200, SHOWN);
	assert_string_equal(FAKE.command, row->command);
	assert_string_equal(FAKE.id, row->id);
	assert_string_equal(FAKE.body, row->body);
}

static void
H3_run_is_answered_with_the_run(void **state)
{
	struct rig_reply reply;

	(void)state;
	fake_engine_reset();
	FAKE.answer.id = STR("r1");
	reply = api_rig_ask(&RIG, &(struct rig_ask){ "POST", "/v1/schedules/x1/run", "owner" });
	rig_expect("run", &reply, 200, "{\"id\":\"r1\",\"status\":\"pending\"}");
	assert_string_equal(FAKE.command, "schedule_run");
	assert_string_equal(FAKE.id, "x1");
}

static void
H3_reading(void **state)
{
	struct rig_reply reply =
		api_rig_ask(&RIG, &(struct rig_ask){ "GET", "/v1/schedules/x1", "owner" });

	(void)state;
	rig_expect("one", &reply, 200, SHOWN);
	reply = api_rig_ask(&RIG, &(struct rig_ask){ "GET", "/v1/schedules/x2", "owner" });
	rig_expect("none", &reply, 404, "\"error_code\":\"schedule_not_found\"");
	reply = api_rig_ask(&RIG, &(struct rig_ask){ "GET", "/v1/schedules", "owner" });
	rig_expect("all", &reply, 200, "{\"data\":[" SHOWN "],\"next_page\":null}");
	reply = api_rig_ask(&RIG, &(struct rig_ask){ "GET", "/v1/schedules/x1/runs", "owner" });
	rig_expect("runs", &reply, 200,
		   "{\"data\":[{\"id\":\"r1\",\"status\":\"pending\"}],\"next_page\":null}");
	reply = api_rig_ask(&RIG, &(struct rig_ask){ "GET", "/v1/schedules/x2/runs", "owner" });
	rig_expect("whose?", &reply, 404, "there is no such schedule");
}

static void
H3_delete(void **state)
{
	struct rig_reply reply;

	(void)state;
	fake_engine_reset();
	FAKE.answer.id = STR("e1");
	reply = api_rig_ask(&RIG, &(struct rig_ask){ "DELETE", "/v1/schedules/e1", "owner" });
	rig_expect("delete", &reply, 200, "{\"id\":\"e1\",\"type\":\"schedule_deleted\"}");
	assert_string_equal(FAKE.command, "schedule_delete");
}

int
main(void)
{
	struct suite s = { 0 };
	int failed;

	api_rig_init(&RIG);
	api_rig_start(&RIG);
	fake_engine_put(&RIG, RECORD_SCHEDULE, "x1", "",
			"{\"schedule\":{\"id\":\"x1\",\"name\":\"made\"},"
			"\"state\":{\"next_ms\":1000,\"failures\":2}}");
	fake_engine_put(&RIG, RECORD_SCHEDULE_RUN, "r1", "x1",
			"{\"id\":\"r1\",\"status\":\"pending\"}");
	fake_engine_put(&RIG, RECORD_SCHEDULE_RUN, "r2", "another", "{\"id\":\"r2\"}");
	SUITE_ROWS(&s, ROWS, row_holds);
	SUITE_TEST(&s, H3_run_is_answered_with_the_run);
	SUITE_TEST(&s, H3_reading);
	SUITE_TEST(&s, H3_delete);
	failed = suite_run(&s, "api/schedule_routes");
	api_rig_stop(&RIG);
	return failed;
}

/* What a worker asks and is told: parameters out of the query, the secret once, 412 with the lease. */
#include "base/base64url.h"
#include "fake_engine.h"

#define QUEUE "/v1/environments/env_1/work"
#define BODY                                                                                      \
	"{\"id\":\"work_1\",\"type\":\"work\",\"state\":\"active\",\"environment_id\":\"env_1\"," \
	"\"data\":{\"type\":\"session\",\"id\":\"s\"},\"metadata\":{\"k\":\"v\"},"                \
	"\"created_at\":\"1970-01-01T00:00:01Z\",\"acknowledged_at\":\"1970-01-01T00:00:02Z\","   \
	"\"started_at\":null,\"latest_heartbeat_at\":\"1970-01-01T00:00:03Z\","                   \
	"\"stop_requested_at\":null,\"stopped_at\":null,\"lease\":{\"claim\":1,\"ttl_ms\":60000," \
	"\"worker\":\"w\",\"token\":\"abcd\"}}"
#define SHOWN                                                                                     \
	"{\"id\":\"work_1\",\"type\":\"work\",\"state\":\"active\",\"environment_id\":\"env_1\"," \
	"\"data\":{\"type\":\"session\",\"id\":\"s\"},\"metadata\":{\"k\":\"v\"},"                \
	"\"created_at\":\"1970-01-01T00:00:01Z\",\"acknowledged_at\":\"1970-01-01T00:00:02Z\","   \
	"\"started_at\":null,\"latest_heartbeat_at\":\"1970-01-01T00:00:03Z\","                   \
	"\"stop_requested_at\":null,\"stopped_at\":null,\"secret\":"

static struct api_rig RIG;

static struct rig_reply
ask(const char *method, const char *target, const char *body)
{
	return api_rig_ask(&RIG, &(struct rig_ask){ method, target, "owner", NULL, body });
}

/* ---- what reaches the engine ---- */

static const struct row {
	const char *name, *method, *target, *body;
	const char *command, *note;
	int status;
	const char *part;
} ROWS[] = {
	/* clang-format off */
	{ "T11 a poll asks at once", "GET", QUEUE "/poll", NULL, "work_poll", " block 0 reclaim 5000 there", 200, "null" },
	{ "T11 a poll that waits", "GET", QUEUE "/poll?block_ms=999&reclaim_older_than_ms=7", NULL, "work_poll", " block 999 reclaim 7 there", 200, "null" },
	{ "T11 a poll waits a minute at most", "GET", QUEUE "/poll?block_ms=60001", NULL, NULL, NULL, 400, "block_ms" },
	{ "T11 a poll of no environment", "GET", "/v1/environments/env_2/work/poll", NULL, NULL, NULL, 404, "there is no environment env_2" },
	{ "T11 acknowledged", "POST", QUEUE "/work_1/ack", NULL, "work_acknowledge", "", 200, SHOWN "null}" },
	{ "T11 a heartbeat", "POST", QUEUE "/work_1/heartbeat", NULL, "work_heartbeat", "0 ttl 0", 200,
	  "{\"type\":\"work_heartbeat\",\"last_heartbeat\":\"1970-01-01T00:00:03Z\",\"lease_extended\":true,\"state\":\"active\",\"ttl_seconds\":60}" },
	{ "T11 the first heartbeat", "POST", QUEUE "/work_1/heartbeat?expected_last_heartbeat=NO_HEARTBEAT", NULL, "work_heartbeat", "after 0 ttl 0", 200, "work_heartbeat" },
	{ "T11 a later one", "POST", QUEUE "/work_1/heartbeat?expected_last_heartbeat=1970-01-01T00:00:03Z&desired_ttl_seconds=9", "{}", "work_heartbeat", "after 3000 ttl 9000", 200, "work_heartbeat" },
	{ "T11 a heartbeat after none that was", "POST", QUEUE "/work_1/heartbeat?expected_last_heartbeat=soon", NULL, NULL, NULL, 400, "expected_last_heartbeat: must be" },
	{ "T11 a lease of two hours", "POST", QUEUE "/work_1/heartbeat?desired_ttl_seconds=7200", NULL, NULL, NULL, 400, "desired_ttl_seconds" },
	{ "T11 a stop", "POST", QUEUE "/work_1/stop", NULL, "work_stop", "", 200, SHOWN "null}" },
	{ "T11 a stop by force", "POST", QUEUE "/work_1/stop", "{\"force\":true}", "work_stop", "force", 200, SHOWN },
	{ "T11 a stop without", "POST", QUEUE "/work_1/stop", "{\"force\":null}", "work_stop", "", 200, SHOWN },
	{ "T11 a stop with what nobody knows", "POST", QUEUE "/work_1/stop", "{\"foce\":true}", NULL, NULL, 400, "foce: unknown field" },
	{ "T11 new metadata", "POST", QUEUE "/work_1", "{\"metadata\":{}}", "work_update", "", 200, SHOWN },
	{ "T11 one item", "GET", QUEUE "/work_1", NULL, NULL, NULL, 200, SHOWN "null}" },
	{ "T11 no item", "GET", QUEUE "/work_2", NULL, NULL, NULL, 404, "there is no such work item" },
	{ "T11 all of them", "GET", QUEUE "?limit=5", NULL, NULL, NULL, 200, "{\"data\":[" SHOWN "null}],\"next_page\":null}" },
	{ "T11 those of no environment", "GET", "/v1/environments/env_2/work", NULL, NULL, NULL, 404, "there is no environment env_2" },
	{ "T11 how many wait", "GET", QUEUE "/stats", NULL, NULL, NULL, 200,
	  "{\"type\":\"work_queue_stats\",\"depth\":2,\"pending\":1,\"oldest_queued_at\":\"1970-01-01T00:00:01Z\",\"workers_polling\":3}" },
	{ "T11 how many wait nowhere", "GET", "/v1/environments/env_2/work/stats", NULL, NULL, NULL, 404, "env_2" },
	/* clang-format on */
};

static void
row_holds(void **state)
{
	const struct row *row = *state;
	struct rig_reply reply;

	fake_engine_reset();
	reply = ask(row->method, row->target, row->body);
	rig_expect(row->name, &reply, row->status, row->part);
	assert_int_equal(FAKE.commands, row->command != NULL);
	if (row->command) {
		assert_string_equal(FAKE.command, row->command);
		assert_string_equal(FAKE.note, row->note);
	}
}

/* ---- the secret ---- */

static void
T11_a_poll_gets_the_secret_and_nobody_else(void **state)
{
	unsigned char json[512];
	struct rig_reply reply;
	struct str secret, rest;
	size_t at, len;

	(void)state;
	fake_engine_reset();
	FAKE.answer.id = STR("work_1");
	FAKE.answer.secret = STR("pdr_0123456789");
	reply = ask("GET", QUEUE "/poll", NULL);
	rig_expect("poll", &reply, 200, SHOWN "\"");
	assert_true(str_find(reply.body, STR("\"secret\":\""), 0, &at));
	str_cut(str_slice(reply.body, at + 10, reply.body.len), '"', &secret, &rest);
	assert_true(base64url_decode(secret, json, &len));
	check_str("secret", (struct str){ (char *)json, len },
		  STR("{\"sessions_token\":\"pdr_0123456789\"}"));
	reply = ask("GET", QUEUE "/work_1", NULL);
	rig_expect("later", &reply, 200, "\"secret\":null");
}

static void
T11_a_worker_may_say_who_it_is(void **state)
{
	char header[400] = "Anthropic-Worker-ID: box-7\r\n";
	struct rig_reply reply;

	(void)state;
	fake_engine_reset();
	reply = api_rig_ask(&RIG, &(struct rig_ask){ "GET", QUEUE "/poll", "owner", header });
	rig_expect("a name", &reply, 200, "null");
	assert_string_equal(FAKE.note, "box-7 block 0 reclaim 5000 there");
	snprintf(header, sizeof header, "Anthropic-Worker-ID: %0300d\r\n", 7);
	reply = api_rig_ask(&RIG, &(struct rig_ask){ "GET", QUEUE "/poll", "owner", header });
	rig_expect("too long", &reply, 400, "anthropic-worker-id: must have at most 256 bytes");
}

/* ---- refusals ---- */

static void
T11_a_lost_lease_is_412_and_says_who_has_it(void **state)
{
	struct rig_reply reply;

	(void)state;
	fake_engine_reset();
	FAKE.answer.rc = err_set(&FAKE.err, ERR_PRECONDITION, "not yours");
	reply = ask("POST", QUEUE "/work_1/heartbeat", NULL);
	rig_expect("lost", &reply, 412,
		   "\"message\":\"not yours\",\"details\":{\"error_code\":"
		   "\"heartbeat_precondition_failed\",\"current_state\":{\"last_heartbeat\":"
		   "\"1970-01-01T00:00:03Z\",\"lease_extended\":false,\"state\":\"active\","
		   "\"ttl_seconds\":60}}");
	FAKE.answer.rc = err_set(&FAKE.err, ERR_CONFLICT, "is stopped");
	reply = ask("POST", QUEUE "/work_1/stop", "{\"force\":true}");
	rig_expect("stopped", &reply, 409, "is stopped");
	check_str("final", rig_header(&reply, "x-should-retry"), STR("false"));
	reply = ask("POST", QUEUE "/work_1/heartbeat", NULL);
	rig_expect("heartbeat", &reply, 409, "is stopped");
	reply = ask("GET", QUEUE "/poll", NULL);
	rig_expect("poll", &reply, 409, "is stopped");
}

int
main(void)
{
	struct suite s = { 0 };
	int failed;

	api_rig_init(&RIG);
	api_rig_start(&RIG);
	fake_engine_put(&RIG, RECORD_ENVIRONMENT, "env_1", "", "{\"id\":\"env_1\"}");
	fake_engine_put(&RIG, RECORD_WORK, "work_1", "env_1", BODY);
	SUITE_ROWS(&s, ROWS, row_holds);
	SUITE_TEST(&s, T11_a_poll_gets_the_secret_and_nobody_else);
	SUITE_TEST(&s, T11_a_worker_may_say_who_it_is);
	SUITE_TEST(&s, T11_a_lost_lease_is_412_and_says_who_has_it);
	failed = suite_run(&s, "api/work_routes");
	api_rig_stop(&RIG);
	return failed;
}

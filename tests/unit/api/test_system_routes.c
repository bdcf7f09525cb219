/* What an operator's tools ask. */
#include "fake_engine.h"

static struct api_rig RIG;

static void
A14_metrics_count_requests(void **state)
{
	static const char *const WANT[] = {
		"perdure_http_requests_total{method=\"GET\",route=\"/healthz\",status=\"200\"} 2\n",
		"perdure_http_requests_total{method=\"GET\",route=\"/v1/agents/{agent_id}\","
		"status=\"404\"} 1\n",
		"perdure_http_requests_total{method=\"\",route=\"\",status=\"401\"} 1\n",
		"perdure_http_request_duration_seconds_bucket{method=\"GET\",route=\"/healthz\","
		"le=\"+Inf\"} 2\n",
		"perdure_http_request_duration_seconds_count{method=\"GET\",route=\"/healthz\"} "
		"2\n",
		"perdure_events_appended_total 7\n",
		"perdure_open_turns 2\n",
		"perdure_open_streams 0\n",
		"perdure_http_connections 1\n",
		"# TYPE process_resident_memory_bytes gauge\n",
		"# TYPE process_open_fds gauge\n",
	};
	struct rig_reply reply;

	(void)state;
	api_rig_ask(&RIG, &(struct rig_ask){ "GET", "/healthz" });
	api_rig_ask(&RIG, &(struct rig_ask){ "GET", "/healthz" });
	api_rig_ask(&RIG, &(struct rig_ask){ "GET", "/v1/agents/x", "owner" });
	api_rig_ask(&RIG, &(struct rig_ask){ "GET", "/x" });
	reply = api_rig_ask(&RIG, &(struct rig_ask){ "GET", "/metrics", "owner" });
	for (size_t i = 0; i < ARRAY_LEN(WANT); i++)
		rig_expect(WANT[i], &reply, 200, WANT[i]);
	check_str("type", rig_header(&reply, "content-type"),
		  STR("text/plain; version=0.0.4; charset=utf-8"));
}

static const struct row {
	const char *name, *token;
	int status;
} ROWS[] = {
	{ "A14 metrics are the owner's", "owner", 200 },
	{ "A14 metrics: nobody", NULL, 401 },
	{ "A14 metrics: a user", "user", 404 },
	{ "A14 metrics: a channel", "channel", 404 },
	{ "A14 metrics: a worker", "worker", 404 },
	{ "A14 metrics: an environment", "environment", 403 },
};

static void
metrics_are_guarded(void **state)
{
	const struct row *row = *state;
	struct rig_reply reply =
		api_rig_ask(&RIG, &(struct rig_ask){ "GET", "/metrics", row->token });

	rig_expect(row->name, &reply, row->status, NULL);
}

static void
H5_an_owner_sees_which_instance_serves(void **state)
{
	struct rig_reply reply =
		api_rig_ask(&RIG, &(struct rig_ask){ "GET", "/v1/server", "owner" });

	(void)state;
	rig_expect("all of it", &reply, 200,
		   "{\"type\":\"server\",\"version\":\"1.2.3\",\"instance_id\":\"srv_1\","
		   "\"started_at\":\"1970-01-01T00:00:01Z\",\"running_turns\":3,"
		   "\"carried_over_turns\":4}");
	reply = api_rig_ask(&RIG, &(struct rig_ask){ "GET", "/v1/server", "user" });
	rig_expect("a user", &reply, 404, "operator");
}

static void
H5_a_restart_is_asked_of_the_engine(void **state)
{
	struct rig_reply reply;

	(void)state;
	reply = api_rig_ask(&RIG, &(struct rig_ask){ "POST", "/v1/server/restart", "user" });
	rig_expect("a user", &reply, 404, "operator");
	FAKE.answer.data = STR("{\"type\":\"server_restart\"}");
	reply = api_rig_ask(&RIG, &(struct rig_ask){ "POST", "/v1/server/restart", "owner" });
	rig_expect("answered with its data", &reply, 200, "{\"type\":\"server_restart\"}");
	assert_string_equal(FAKE.command, "restart");
	FAKE.answer.rc = ERR_CONFLICT;
	reply = api_rig_ask(&RIG, &(struct rig_ask){ "POST", "/v1/server/restart", "owner" });
	rig_expect("refused", &reply, 409, NULL);
	fake_engine_reset();
}

static void
A14_description_is_served(void **state)
{
	struct rig_reply reply = api_rig_ask(&RIG, &(struct rig_ask){ "GET", "/v1/openapi.json" });

	(void)state;
	rig_expect("first", &reply, 200, "{\"openapi\":\"3.1.0\"");
	reply = api_rig_ask(&RIG, &(struct rig_ask){ "GET", "/v1/openapi.json" });
	rig_expect("again", &reply, 200, "\"version\":\"1.2.3\"");
}

int
main(void)
{
	struct suite s = { 0 };
	int failed;

	api_rig_init(&RIG);
	api_rig_start(&RIG);
	SUITE_TEST(&s, A14_metrics_count_requests);
	SUITE_ROWS(&s, ROWS, metrics_are_guarded);
	SUITE_TEST(&s, H5_an_owner_sees_which_instance_serves);
	SUITE_TEST(&s, H5_a_restart_is_asked_of_the_engine);
	SUITE_TEST(&s, A14_description_is_served);
	failed = suite_run(&s, "api/system_routes");
	api_rig_stop(&RIG);
	return failed;
}

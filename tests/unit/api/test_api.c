#include "api/api.h"

#include <unistd.h>

#include "base/log.h"
#include "fake_engine.h"

static struct api_rig RIG;

static void
start(void)
{
	static const struct str HOSTS[] = { STR("perdure.example") };
	static const struct str ORIGINS[] = { STR("https://console.example") };

	api_rig_init(&RIG);
	RIG.config.hosts = (struct str_list){ HOSTS, 1 };
	RIG.config.origins = (struct str_list){ ORIGINS, 1 };
	api_rig_start(&RIG);
}

static const char BIG[] = "{\"name\":\"x\",\"pad\":\"";

static const struct row {
	const char *name;
	struct rig_ask ask;
	int status;
	const char *part; /* of the answer's body */
} ROWS[] = {
	/* who comes in */
	{ "A1 open without a token", { "GET", "/healthz" }, 200, "\"status\":\"ok\"" },
	{ "A1 ready", { "GET", "/readyz" }, 200, "\"version\":\"1.2.3\"" },
	{ "A1 foreign host", { "GET", "/healthz", .host = "evil.example" }, 421, "Host: " },
	{ "A1 listed host", { "GET", "/healthz", .host = "perdure.example:80" }, 200, NULL },
	{ "A1 foreign origin",
	  { "GET", "/v1/agents", "owner", "Origin: https://evil.example\r\n" },
	  403,
	  "permission_error" },
	{ "A1 foreign origin of an open route",
	  { "GET", "/healthz", NULL, "Origin: null\r\n" },
	  403,
	  NULL },
	{ "A1 listed origin",
	  { "GET", "/v1/agents", "owner", "Origin: https://console.example\r\n" },
	  200,
	  NULL },
	{ "A1 own origin",
	  { "GET", "/v1/agents", "owner", "Origin: http://localhost\r\n" },
	  200,
	  NULL },
	{ "P3 no token", { "GET", "/v1/agents" }, 401, "authentication_error" },
	{ "P3 unknown token",
	  { "GET", "/v1/agents", "nobody" },
	  401,
	  "unknown, expired or revoked" },
	{ "P3 bearer", { "GET", "/v1/agents", "owner" }, 200, "\"data\":[" },
	{ "P3 key header", { "GET", "/v1/agents", NULL, "X-Api-Key: owner\r\n" }, 200, NULL },
	{ "P3 a token in a URL is no token", { "GET", "/v1/agents?token=owner" }, 401, "URL" },
	{ "P3 a token in a URL spoils a good one",
	  { "GET", "/v1/agents?api_key=owner", "owner" },
	  401,
	  "URL" },
	{ "P3 two tokens",
	  { "GET", "/v1/agents", "owner", "Authorization: Bearer user\r\n" },
	  400,
	  "sent twice" },
	{ "P3 an unknown path tells nothing without a token", { "GET", "/v1/x" }, 401, NULL },
	/* where to */
	{ "A1 unknown path", { "GET", "/v1/x", "owner" }, 404, "not_found_error" },
	{ "A1 trailing slash", { "GET", "/v1/agents/", "owner" }, 404, NULL },
	{ "A1 dots", { "GET", "/v1/agents/../users", "owner" }, 404, NULL },
	{ "A1 escaped dots", { "GET", "/v1/agents/%2e%2e", "owner" }, 404, NULL },
	{ "A1 broken escape", { "GET", "/v1/agents/%zz", "owner" }, 400, "path: " },
	{ "A1 NUL in a path", { "GET", "/v1/agents/%00", "owner" }, 400, "NUL" },
	{ "A1 wrong method", { "PUT", "/v1/agents", "owner" }, 405, "POST, GET, HEAD" },
	{ "A1 wrong method of an open route", { "DELETE", "/healthz" }, 401, NULL },
	{ "A1 HEAD", { "HEAD", "/healthz" }, 200, NULL },
	/* the query */
	{ "A1 unknown parameter", { "GET", "/v1/agents?lmit=1", "owner" }, 400, "lmit: not known" },
	{ "A1 parameter where none is taken", { "GET", "/healthz?x=1" }, 400, "known are: none" },
	{ "A1 what the SDK adds is ignored",
	  { "GET", "/v1/agents?beta=true", "owner" },
	  200,
	  NULL },
	{ "A1 broken query", { "GET", "/v1/agents?limit=%f", "owner" }, 400, "query parameter" },
	{ "A1 a list with brackets",
	  { "GET", "/v1/sessions?statuses%5B%5D=idle", "owner" },
	  200,
	  NULL },
	{ "A1 a list without brackets",
	  { "GET", "/v1/sessions?statuses=idle&statuses=running", "owner" },
	  200,
	  NULL },
	{ "A9 any metadata key", { "GET", "/v1/sessions?metadata.colour=x", "owner" }, 200, NULL },
	{ "A9 but no other prefix", { "GET", "/v1/sessions?meta.colour=x", "owner" }, 400, NULL },
	/* the body */
	{ "A1 a body", { "POST", "/v1/users", "owner", .body = "{\"name\":\"x\"}" }, 404, NULL },
	{ "A1 no body", { "POST", "/v1/users", "owner" }, 400, "a JSON object is needed" },
	{ "A1 empty body", { "POST", "/v1/users", "owner", .body = "" }, 400, NULL },
	{ "A1 no JSON", { "POST", "/v1/users", "owner", .body = "{" }, 400, "body: " },
	{ "A1 a list",
	  { "POST", "/v1/users", "owner", .body = "[]" },
	  400,
	  "must be a JSON object" },
	{ "A1 a key twice",
	  { "POST", "/v1/users", "owner", .body = "{\"a\":1,\"a\":2}" },
	  400,
	  "offset" },
	{ "A1 ill-formed UTF-8",
	  { "POST", "/v1/users", "owner", .body = "{\"a\":\"\xff\"}" },
	  400,
	  NULL },
	{ "A1 another content type",
	  { "POST", "/v1/users", "owner", "Content-Type: text/xml\r\nContent-Length: 2\r\n" },
	  415,
	  "application/json" },
	{ "A1 a body that nobody takes",
	  { "GET", "/v1/agents", "owner", .body = "{}" },
	  400,
	  "takes none" },
	{ "A1 no body where it may be missing",
	  { "POST", "/v1/agents/a/archive", "owner" },
	  404,
	  NULL },
	{ "A1 an empty object where it may be missing",
	  { "POST", "/v1/agents/a/archive", "owner", .body = "{}" },
	  404,
	  NULL },
	{ "A1 fields where none is known",
	  { "POST", "/v1/agents/a/archive", "owner", .body = "{\"x\":1}" },
	  400,
	  "body: takes no fields" },
	/* the key */
	{ "A10 empty key",
	  { "POST", "/v1/users", "owner", "Idempotency-Key: \r\n", "{}" },
	  400,
	  "Idempotency-Key" },
	{ "A10 key with a high byte",
	  { "POST", "/v1/users", "owner", "Idempotency-Key: \xc3\xa9\r\n", "{}" },
	  400,
	  "Idempotency-Key" },
	{ "A10 a key on a read is nobody's business",
	  { "GET", "/v1/agents", "owner", "Idempotency-Key: \xc3\xa9\r\n" },
	  200,
	  NULL },
};

static void
row_holds(void **state)
{
	const struct row *row = *state;
	struct rig_reply reply;

	fake_engine_reset();
	FAKE.answer.rc = err_set(&FAKE.err, ERR_NOT_FOUND, "nothing");
	reply = api_rig_ask(&RIG, &row->ask);
	rig_expect(row->name, &reply, row->status, row->part);
	/* Whatever happens: an id that both SDKs find, the same in both and in an error. */
	assert_true(str_starts(rig_header(&reply, "request-id"), STR("req_")));
	check_str("ids", rig_header(&reply, "x-request-id"), rig_header(&reply, "request-id"));
	check_str("type", rig_header(&reply, "content-type"), STR("application/json"));
	if (reply.status >= 400) {
		assert_true(
			str_starts(reply.body, STR("{\"type\":\"error\",\"error\":{\"type\":\"")));
		assert_true(str_contains(reply.body, rig_header(&reply, "request-id")));
	}
}

static void
A1_wrong_method_names_the_right_ones(void **state)
{
	struct rig_reply reply =
		api_rig_ask(&RIG, &(struct rig_ask){ "PUT", "/v1/agents/x", "owner" });

	(void)state;
	check_str("allow", rig_header(&reply, "allow"), STR("GET, HEAD, POST"));
}

static void
A1_body_has_a_limit(void **state)
{
	static char body[70 * 1024];
	struct rig_reply reply;

	(void)state;
	fake_engine_reset();
	memset(body, 'x', sizeof body - 1);
	memcpy(body, BIG, sizeof BIG - 1);
	memcpy(body + 64 * 1024 - 2, "\"}", 3); /* exactly 64 KiB */
	reply = api_rig_ask(&RIG, &(struct rig_ask){ "POST", "/v1/users", "owner", NULL, body });
	assert_int_not_equal(reply.status, 413);
	memset(body, ' ', 64 * 1024 + 1);
	body[64 * 1024 + 1] = '\0';
	reply = api_rig_ask(&RIG, &(struct rig_ask){ "POST", "/v1/users", "owner", NULL, body });
	rig_expect("one byte more", &reply, 413, "the body is too large");
	assert_true(str_contains(reply.body, rig_header(&reply, "request-id")));
}

static void
A1_malformed_request_has_the_same_body(void **state)
{
	struct str answer = probe_ask(&RIG.client, STR("GET /x HTTP/1.1\r\nHost : x\r\n\r\n"));

	(void)state;
	assert_int_equal(probe_status(answer, 0), 400);
	assert_true(str_contains(answer, STR("{\"type\":\"error\",\"error\":{\"type\":"
					     "\"invalid_request_error\",\"message\":\"")));
	assert_true(str_contains(answer, STR("\"request_id\":\"req_")));
	assert_true(str_contains(answer, STR("request-id: req_")));
}

/* Scope: who, how, where; the request: its body. */
static void
A10_repeat_reaches_the_engine(void **state)
{
	struct rig_ask ask = { "POST", "/v1/agents/main", "owner", "Idempotency-Key: k 1\r\n",
			       "{\"name\":\"x\"}" };
	struct sha256 digest = sha256_of(STR("{\"name\":\"x\"}"));

	(void)state;
	fake_engine_reset();
	FAKE.answer.rc = ERR_NOT_FOUND;
	api_rig_ask(&RIG, &ask);
	assert_string_equal(FAKE.command, "agent_update");
	assert_string_equal(FAKE.id, "main");
	assert_string_equal(FAKE.body, ask.body);
	assert_string_equal(FAKE.key, "k 1");
	assert_string_equal(FAKE.scope, "tok_1 POST /v1/agents/main");
	assert_memory_equal(&FAKE.request, &digest, sizeof digest);

	ask.token = "user"; /* a user's tokens are one principal */
	api_rig_ask(&RIG, &ask);
	assert_string_equal(FAKE.scope, "usr_1 POST /v1/agents/main");

	ask.headers = NULL;
	fake_engine_reset();
	FAKE.answer.rc = ERR_NOT_FOUND;
	api_rig_ask(&RIG, &ask);
	assert_string_equal(FAKE.key, "");
}

static void
A10_long_path_has_a_scope(void **state)
{
	static char target[3000];
	struct rig_ask ask = { "POST", target, "owner", "Idempotency-Key: k\r\n", "{}" };

	(void)state;
	fake_engine_reset();
	FAKE.answer.rc = ERR_NOT_FOUND;
	memset(target, 'a', sizeof target - 1);
	memcpy(target, "/v1/agents/", 11);
	api_rig_ask(&RIG, &ask);
	assert_int_equal(strlen(FAKE.scope), 64);
}

static void
A1_refusals_reach_no_engine(void **state)
{
	(void)state;
	fake_engine_reset();
	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++)
		if (ROWS[i].status != 200 && ROWS[i].status != 404)
			api_rig_ask(&RIG, &ROWS[i].ask);
	assert_int_equal(FAKE.commands, 0);
}

static void
set_ready(struct api *api, void *arg)
{
	api_set_ready(api, *(bool *)arg);
}

static void
A14_before_it_is_ready(void **state)
{
	bool ready = false;
	struct rig_reply reply;

	(void)state;
	api_rig_call(&RIG, set_ready, &ready);
	reply = api_rig_ask(&RIG, &(struct rig_ask){ "GET", "/v1/agents", "owner" });
	rig_expect("a route", &reply, 503, "starting or stopping");
	check_str("retry", rig_header(&reply, "retry-after"), STR("1"));
	reply = api_rig_ask(&RIG, &(struct rig_ask){ "GET", "/v1/agents", "nobody" });
	rig_expect("a token is not looked at", &reply, 503, NULL);
	reply = api_rig_ask(&RIG, &(struct rig_ask){ "GET", "/readyz" });
	rig_expect("readyz", &reply, 503, "api_error");
	reply = api_rig_ask(&RIG, &(struct rig_ask){ "GET", "/healthz" });
	rig_expect("healthz", &reply, 200, NULL);
	/* EventSource gives up for good at a 503 */
	reply = api_rig_ask(&RIG, &(struct rig_ask){ "GET", "/v1/events/stream", "owner" });
	rig_expect("a stream", &reply, 200, "retry: 500\n\n");
	check_str("type", rig_header(&reply, "content-type"), STR("text/event-stream"));
	ready = true;
	api_rig_call(&RIG, set_ready, &ready);
	reply = api_rig_ask(&RIG, &(struct rig_ask){ "GET", "/v1/agents", "owner" });
	rig_expect("and again", &reply, 200, NULL);
}

static void
set_lists(struct api *api, void *arg)
{
	api_set_lists(api, *(struct str_list *)arg, (struct str_list){ 0 });
}

static void
A1_lists_can_be_changed(void **state)
{
	static const struct str NAMES[] = { STR("other.example") };
	struct str_list hosts = { NAMES, 1 };
	struct rig_ask ask = { "GET", "/healthz", .host = "other.example" };
	struct rig_reply reply = api_rig_ask(&RIG, &ask);

	(void)state;
	rig_expect("before", &reply, 421, NULL);
	api_rig_call(&RIG, set_lists, &hosts);
	reply = api_rig_ask(&RIG, &ask);
	rig_expect("after", &reply, 200, NULL);
}

/* A client that leaves while its body is on the way, and one that leaves before its answer. */
static void
A1_clients_may_leave_at_any_time(void **state)
{
	static const struct str PARTS[] = {
		STR("POST /v1/users HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: owner\r\n"
		    "Content-Length: 12\r\n\r\n{\"na"),
		STR("POST /v1/users HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: owner\r\n"
		    "Content-Length: 12\r\n\r\n{\"name\":\"x\"}"),
	};

	(void)state;
	fake_engine_reset();
	FAKE.answer.rc = ERR_NOT_FOUND;
	for (int i = 0; i < 20; i++) {
		int fd = probe_connect(&RIG.client);
		probe_send(fd, PARTS[i % 2]);
		close(fd);
	}
	assert_int_equal(api_rig_ask(&RIG, &(struct rig_ask){ "GET", "/healthz" }).status, 200);
}

static void
P3_log_line_has_no_token(void **state)
{
	char path[] = "/tmp/perdure-api-log-XXXXXX", text[8192];
	int fd = mkstemp(path);
	ssize_t len;

	(void)state;
	log_init(fd, LOG_DEBUG);
	api_rig_ask(&RIG, &(struct rig_ask){ "GET", "/v1/agents/secret-id", "environment" });
	api_rig_ask(&RIG, &(struct rig_ask){ "GET", "/v1/agents?token=environment" });
	log_init(STDERR_FILENO, LOG_INFO);
	len = pread(fd, text, sizeof text - 1, 0);
	assert_true(len > 0);
	text[len] = '\0';
	close(fd);
	unlink(path);
	assert_non_null(strstr(text, "\"route\":\"/v1/agents/{agent_id}\",\"status\":404,\"ms\":"));
	assert_non_null(strstr(text, "\"request_id\":\"req_"));
	assert_null(strstr(text, "environment"));
	assert_null(strstr(text, "secret-id"));
}

int
main(void)
{
	struct suite s = { 0 };
	int failed;

	start();
	SUITE_ROWS(&s, ROWS, row_holds);
	SUITE_TEST(&s, A1_wrong_method_names_the_right_ones);
	SUITE_TEST(&s, A1_body_has_a_limit);
	SUITE_TEST(&s, A1_malformed_request_has_the_same_body);
	SUITE_TEST(&s, A10_repeat_reaches_the_engine);
	SUITE_TEST(&s, A10_long_path_has_a_scope);
	SUITE_TEST(&s, A1_refusals_reach_no_engine);
	SUITE_TEST(&s, A14_before_it_is_ready);
	SUITE_TEST(&s, A1_clients_may_leave_at_any_time);
	SUITE_TEST(&s, P3_log_line_has_no_token);
	SUITE_TEST(&s, A1_lists_can_be_changed);
	failed = suite_run(&s, "api/api");
	api_rig_stop(&RIG);
	return failed;
}

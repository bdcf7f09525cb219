#include "api/exchange.h"

#include "fake_engine.h"

static struct api_rig RIG;

/* Each code once: what a client sees of it. */
static const struct fail_row {
	const char *name;
	int rc;
	int status;
	const char *type, *code; /* NULL: no details */
} FAILS[] = {
	{ "A1 invalid", ERR_INVALID, 400, "invalid_request_error", NULL },
	{ "A1 denied", ERR_DENIED, 403, "permission_error", NULL },
	{ "A1 not found", ERR_NOT_FOUND, 404, "not_found_error", "agent_not_found" },
	{ "A1 conflict", ERR_CONFLICT, 409, "conflict_error", NULL },
	{ "A10 mismatch", ERR_MISMATCH, 422, "invalid_request_error",
	  "repeated_with_another_body" },
	{ "A1 limit", ERR_LIMIT, 429, "rate_limit_error", "limit_reached" },
	{ "A1 too large", ERR_TOO_LARGE, 413, "invalid_request_error", "too_large" },
	{ "A1 timeout", ERR_TIMEOUT, 504, "timeout_error", NULL },
	{ "A1 corrupt", ERR_CORRUPT, 500, "api_error", "stored_data_corrupt" },
	{ "A1 io", ERR_IO, 503, "api_error", "store_failed" },
	{ "A1 no space", ERR_NO_SPACE, 507, "api_error", "no_space" },
	{ "A1 unavailable", ERR_UNAVAILABLE, 503, "api_error", "unavailable" },
};

static void
fail_holds(void **state)
{
	const struct fail_row *row = *state;
	struct rig_ask ask = { "POST", "/v1/agents/main", "owner", NULL, "{}" };
	struct rig_reply reply;
	char want[512];

	fake_engine_reset();
	FAKE.answer.rc = err_set(&FAKE.err, row->rc, "why \"so\"");
	reply = api_rig_ask(&RIG, &ask);
	snprintf(want, sizeof want,
		 "{\"type\":\"error\",\"error\":{\"type\":\"%s\",\"message\":\"why "
		 "\\\"so\\\"\"%s%s%s},"
		 "\"request_id\":\"" STR_FMT "\"}",
		 row->type, row->code ? ",\"details\":{\"error_code\":\"" : "",
		 row->code ? row->code : "", row->code ? "\"}" : "",
		 STR_ARG(rig_header(&reply, "request-id")));
	assert_int_equal(reply.status, row->status);
	check_str("body", reply.body, str_of(want));
	/* The SDKs repeat a 409 unless they are told not to. */
	check_str("retry", rig_header(&reply, "x-should-retry"),
		  row->status == 409 ? STR("false") : (struct str){ 0 });
	check_str("retry-after", rig_header(&reply, "retry-after"),
		  row->status == 503 ? STR("1") : (struct str){ 0 });
}

static const struct query_row {
	const char *name, *query, *part; /* NULL: fine */
} QUERIES[] = {
	{ "A1 limit at its least", "limit=1", NULL },
	{ "A1 limit at its most", "limit=100", NULL },
	{ "A1 limit too small", "limit=0", "limit: must be a whole number from 1 to 100" },
	{ "A1 limit too large", "limit=101", "limit: " },
	{ "A1 limit with a fraction", "limit=1.5", "limit: " },
	{ "A1 limit empty", "limit=", "limit: " },
	{ "A1 limit with a blank", "limit=+1", "limit: " },
	{ "A1 limit beyond all numbers", "limit=99999999999999999999", "limit: " },
	{ "A1 limit twice", "limit=1&limit=2", "limit: given more than once" },
	{ "A1 instant", "created_at[gte]=2026-03-29T01:00:00Z", NULL },
	{ "A1 instant escaped", "created_at%5Blte%5D=2026-03-29T01%3A00%3A00%2B02%3A00", NULL },
	{ "A1 no instant", "created_at[gte]=yesterday", "created_at[gte]: must be a time" },
	{ "A1 true", "include_archived=true", NULL },
	{ "A1 false", "include_archived=false", NULL },
	{ "A1 neither", "include_archived=yes", "include_archived: must be true or false" },
};

static void
query_holds(void **state)
{
	const struct query_row *row = *state;
	char target[256];
	struct rig_reply reply;

	snprintf(target, sizeof target, "/v1/agents?%s", row->query);
	reply = api_rig_ask(&RIG, &(struct rig_ask){ "GET", target, "owner" });
	rig_expect(row->name, &reply, row->part ? 400 : 200, row->part);
}

static void
A1_unauthenticated_are_challenged(void **state)
{
	struct rig_reply reply = api_rig_ask(&RIG, &(struct rig_ask){ "GET", "/v1/agents" });

	(void)state;
	check_str("challenge", rig_header(&reply, "www-authenticate"), STR("Bearer"));
}

static void
A10_replay_is_marked(void **state)
{
	struct rig_ask ask = { "DELETE", "/v1/environments/e", "owner" };
	struct rig_reply reply;

	(void)state;
	fake_engine_reset();
	FAKE.answer.id = STR("e");
	reply = api_rig_ask(&RIG, &ask);
	rig_expect("first", &reply, 200, "{\"id\":\"e\",\"type\":\"environment_deleted\"}");
	assert_null(rig_header(&reply, "idempotency-replayed").ptr);
	FAKE.answer.replayed = true;
	reply = api_rig_ask(&RIG, &ask);
	check_str("mark", rig_header(&reply, "idempotency-replayed"), STR("true"));
}

static void
A1_request_ids_differ(void **state)
{
	char first[128];
	struct rig_reply reply = api_rig_ask(&RIG, &(struct rig_ask){ "GET", "/healthz" });

	(void)state;
	snprintf(first, sizeof first, STR_FMT, STR_ARG(rig_header(&reply, "request-id")));
	reply = api_rig_ask(&RIG, &(struct rig_ask){ "GET", "/healthz" });
	assert_false(str_eq(rig_header(&reply, "request-id"), str_of(first)));
}

int
main(void)
{
	struct suite s = { 0 };
	int failed;

	api_rig_init(&RIG);
	api_rig_start(&RIG);
	SUITE_ROWS(&s, FAILS, fail_holds);
	SUITE_ROWS(&s, QUERIES, query_holds);
	SUITE_TEST(&s, A1_unauthenticated_are_challenged);
	SUITE_TEST(&s, A10_replay_is_marked);
	SUITE_TEST(&s, A1_request_ids_differ);
	failed = suite_run(&s, "api/exchange");
	api_rig_stop(&RIG);
	return failed;
}

/* The secret is shown once; the digest never. */
#include "fake_engine.h"

static struct api_rig RIG;

static void
P3_secret_is_shown_once(void **state)
{
	struct rig_ask ask = { "POST", "/v1/tokens", "owner", NULL, "{\"kind\":\"user\"}" };
	struct rig_reply reply;

	(void)state;
	fake_engine_reset();
	FAKE.answer.id = STR("tok_9");
	FAKE.answer.secret = STR("pdr_0123");
	reply = api_rig_ask(&RIG, &ask);
	rig_expect(
		"first", &reply, 200,
		"{\"id\":\"tok_9\",\"type\":\"token\",\"kind\":\"user\",\"token\":\"pdr_0123\"}");
	FAKE.answer.replayed = true;
	FAKE.answer.secret = (struct str){ 0 };
	reply = api_rig_ask(&RIG, &ask);
	rig_expect("again", &reply, 200, "{\"id\":\"tok_9\",\"type\":\"token\",\"kind\":\"user\"");
	assert_false(str_contains(reply.body, STR("pdr_")));
	check_str("mark", rig_header(&reply, "idempotency-replayed"), STR("true"));
}

static void
P3_list_shows_no_digest(void **state)
{
	struct rig_reply reply =
		api_rig_ask(&RIG, &(struct rig_ask){ "GET", "/v1/tokens", "owner" });

	(void)state;
	rig_expect("list", &reply, 200,
		   "{\"data\":[{\"id\":\"tok_9\",\"type\":\"token\",\"kind\":\"user\",\"prefix\":"
		   "\"pre\"}],"
		   "\"next_page\":null}");
}

static void
P3_revoke(void **state)
{
	struct rig_reply reply;

	(void)state;
	fake_engine_reset();
	FAKE.answer.id = STR("tok_9");
	reply = api_rig_ask(&RIG, &(struct rig_ask){ "DELETE", "/v1/tokens/tok_9", "owner" });
	rig_expect("revoke", &reply, 200, "{\"id\":\"tok_9\",\"type\":\"token_deleted\"}");
	assert_string_equal(FAKE.command, "token_revoke");
	assert_string_equal(FAKE.id, "tok_9");
}

static void
P3_refusal_is_passed_on(void **state)
{
	struct rig_reply reply;

	(void)state;
	fake_engine_reset();
	FAKE.answer.rc = err_set(&FAKE.err, ERR_INVALID, "kind: what?");
	reply = api_rig_ask(&RIG, &(struct rig_ask){ "POST", "/v1/tokens", "owner", NULL, "{}" });
	rig_expect("refusal", &reply, 400, "kind: what?");
}

int
main(void)
{
	struct suite s = { 0 };
	int failed;

	api_rig_init(&RIG);
	api_rig_start(&RIG);
	fake_engine_put(&RIG, RECORD_TOKEN, "tok_9", "",
			"{\"id\":\"tok_9\",\"type\":\"token\",\"kind\":\"user\",\"prefix\":\"pre\","
			"\"digest\":\"d16e57\"}");
	SUITE_TEST(&s, P3_secret_is_shown_once);
	SUITE_TEST(&s, P3_list_shows_no_digest);
	SUITE_TEST(&s, P3_revoke);
	SUITE_TEST(&s, P3_refusal_is_passed_on);
	failed = suite_run(&s, "api/token_routes");
	api_rig_stop(&RIG);
	return failed;
}

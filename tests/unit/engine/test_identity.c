#include "engine/identity.h"

#include "core/token.h"
#include "engine_rig.h"
#include "store/mem/mem.h"

#define UNKNOWN "pdr_00000000000000000000000000000000000000000000000000000000000000bb"

static struct rig_answer *
make_token(struct engine_rig *r, const char *body)
{
	struct rig_answer *a = rig_make(r, engine_token_create, (struct rig_call){ .body = body });

	rig_expect(a, 0, NULL);
	return a;
}

static int
authenticate(struct engine_rig *r, struct str token)
{
	struct engine_caller caller;
	struct err e = { 0 };
	int rc = engine_authenticate(r->en, token, &caller, &e);

	if (rc != 0)
		assert_string_equal(e.text, "the token is unknown, revoked or expired");
	return rc;
}

static void
P3_noise_is_nobody(void **state)
{
	static const char *const NOISE[] = {
		"",
		"pdr_",
		"x",
		"Bearer " RIG_OWNER_TOKEN,
		RIG_OWNER_TOKEN " ",
		"pdr_00000000000000000000000000000000000000000000000000000000000000AA",
		UNKNOWN,
	};
	struct engine_rig r;

	(void)state;
	engine_rig_init(&r, false);
	for (int round = 0; round < 2; round++) { /* again behind one who is known */
		for (size_t i = 0; i < ARRAY_LEN(NOISE); i++)
			assert_int_equal(authenticate(&r, str_of(NOISE[i])), ERR_AUTH);
		assert_int_equal(authenticate(&r, STR(RIG_OWNER_TOKEN)), 0);
	}
	engine_rig_release(&r);
}

static void
P3_the_owners_token_is_known_from_the_start(void **state)
{
	struct engine_rig r;

	engine_rig_init(&r, *state != NULL);
	assert_int_equal(r.owner.who.kind, TOKEN_OWNER);
	assert_true(principal_is_owner(&r.owner.who));
	assert_true(str_contains(engine_rig_record(&r, RECORD_TOKEN, r.owner.token_id),
				 STR("\"kind\":\"owner\",\"name\":\"owner.token\",\"prefix\":"
				     "\"pdr_00000000\"")));
	engine_rig_restart(&r);
	assert_int_equal(engine_rig_count(&r, RECORD_TOKEN), 1); /* not made a second time */
	rig_expect(rig_end(&r, engine_token_revoke, (struct rig_call){ .id = r.owner.token_id }), 0,
		   NULL);
	assert_int_equal(authenticate(&r, STR(RIG_OWNER_TOKEN)), ERR_AUTH);
	engine_rig_release(&r);
}

static void
on_started(void *ctx, int rc, const struct err *err)
{
	(void)err;
	assert_int_equal(rc, 0);
	*(bool *)ctx = true;
}

/* Who revoked owner.token meant it: the file does not bring it back. */
static void
P3_a_revoked_owners_token_stays_revoked(void **state)
{
	struct engine_rig r;
	bool started = false;

	(void)state;
	engine_rig_init(&r, false);
	rig_expect(rig_end(&r, engine_token_revoke, (struct rig_call){ .id = r.owner.token_id }), 0,
		   NULL);
	engine_free(&r.en);
	store_mem_restart(r.store, (struct store_owner){ 0 }, "another");
	r.en = engine_new(&(struct engine_config){
		.store = r.store, .host = &r.host.host, .owner_token = STR(RIG_OWNER_TOKEN) });
	engine_start(r.en, on_started, &started);
	engine_rig_await(&r, &started);
	assert_int_equal(authenticate(&r, STR(RIG_OWNER_TOKEN)), ERR_AUTH);
	assert_int_equal(engine_rig_count(&r, RECORD_TOKEN), 1);
	engine_rig_release(&r);
}

static void
P3_a_principal_is_what_its_token_says(void **state)
{
	struct engine_rig r;
	struct rig_answer *user;
	struct engine_caller c;

	engine_rig_init(&r, *state != NULL);
	user = rig_make(&r, engine_user_create,
			(struct rig_call){ .body = "{'name':'Ann','role':'guest'}" });
	rig_expect(user, 0, NULL);
	for (int round = 0; round < 2; round++) { /* as made, and as read from the store */
		struct rig_answer *tokens[4] = {
			make_token(&r,
				   arena_printf(&r.arena, "{'kind':'user','user_id':'" STR_FMT "'}",
						STR_ARG(user->id))
					   .ptr),
			make_token(&r, "{'kind':'channel','namespace':'telegram'}"),
			make_token(&r, "{'kind':'worker'}"),
			make_token(&r, "{'kind':'environment','environment_id':'local-default'}"),
		};

		if (round == 1)
			engine_rig_restart(&r);
		c = engine_rig_caller(&r, tokens[0]->secret);
		assert_int_equal(c.who.kind, TOKEN_USER);
		assert_int_equal(c.who.role, ROLE_GUEST);
		check_str("user", c.who.user_id, user->id);
		check_str("token", c.token_id, tokens[0]->id);
		c = engine_rig_caller(&r, tokens[1]->secret);
		assert_int_equal(c.who.kind, TOKEN_CHANNEL);
		check_str("namespace", c.who.namespace, STR("telegram"));
		assert_int_equal(c.who.role, ROLE_NONE);
		c = engine_rig_caller(&r, tokens[2]->secret);
		assert_int_equal(c.who.kind, TOKEN_WORKER);
		check_str("nobody", c.who.user_id, STR(""));
		c = engine_rig_caller(&r, tokens[3]->secret);
		assert_int_equal(c.who.kind, TOKEN_ENVIRONMENT);
		check_str("environment", c.who.environment_id, STR("local-default"));
	}
	engine_rig_release(&r);
}

static void
P3_a_new_role_counts_at_once(void **state)
{
	struct engine_rig r;
	struct rig_answer *user, *token;

	(void)state;
	engine_rig_init(&r, false);
	user = rig_make(&r, engine_user_create, (struct rig_call){ .body = "{'name':'Ann'}" });
	token = make_token(&r, arena_printf(&r.arena, "{'kind':'user','user_id':'" STR_FMT "'}",
					    STR_ARG(user->id))
				       .ptr);
	assert_int_equal(engine_rig_caller(&r, token->secret).who.role, ROLE_USER);
	rig_expect(rig_change(&r, engine_user_update,
			      (struct rig_call){ .id = user->id, .body = "{'role':'owner'}" }),
		   0, NULL);
	assert_int_equal(engine_rig_caller(&r, token->secret).who.role, ROLE_OWNER);
	engine_rig_restart(&r);
	assert_int_equal(engine_rig_caller(&r, token->secret).who.role, ROLE_OWNER);
	engine_rig_release(&r);
}

/* One who stays and asks again: a WebSocket. */
static void
P3_a_caller_who_stays_is_as_of_now(void **state)
{
	struct engine_rig r;
	struct rig_answer *user, *token;
	struct engine_caller caller;

	(void)state;
	engine_rig_init(&r, false);
	user = rig_make(&r, engine_user_create, (struct rig_call){ .body = "{'name':'Ann'}" });
	token = make_token(&r, arena_printf(&r.arena, "{'kind':'user','user_id':'" STR_FMT "'}",
					    STR_ARG(user->id))
				       .ptr);
	caller = engine_rig_caller(&r, token->secret);
	rig_expect(rig_change(&r, engine_user_update,
			      (struct rig_call){ .id = user->id, .body = "{'role':'guest'}" }),
		   0, NULL);
	assert_int_equal(caller.who.role, ROLE_USER);
	assert_true(engine_renew_caller(r.en, &caller));
	assert_int_equal(caller.who.role, ROLE_GUEST);
	check_str("user", caller.who.user_id, user->id);
	check_str("token", caller.token_id, token->id);
	rig_expect(rig_end(&r, engine_token_revoke, (struct rig_call){ .id = token->id }), 0, NULL);
	assert_false(engine_renew_caller(r.en, &caller));
	caller.token_id = STR("tok_x");
	assert_false(engine_renew_caller(r.en, &caller));
	engine_rig_release(&r);
}

static void
P3_a_token_ends_at_its_instant(void **state)
{
	struct engine_rig r;
	struct rig_answer *token;

	(void)state;
	engine_rig_init(&r, false); /* now is 1970-01-12T13:46:40Z */
	token = make_token(&r, "{'kind':'worker','expires_at':'1970-01-12T13:46:50Z'}");
	assert_int_equal(engine_rig_caller(&r, token->secret).expires_at_ms, RIG_NOW_MS + 10000);
	virtual_host_advance(&r.host, 9999);
	assert_int_equal(authenticate(&r, token->secret), 0);
	assert_true(engine_token_is_live(r.en, token->id));
	virtual_host_advance(&r.host, 1);
	assert_int_equal(authenticate(&r, token->secret), ERR_AUTH);
	assert_false(engine_token_is_live(r.en, token->id));
	engine_rig_restart(&r);
	assert_int_equal(authenticate(&r, token->secret), ERR_AUTH);
	engine_rig_release(&r);
}

static void
P3_revoking_is_effective_at_once(void **state)
{
	struct engine_rig r;
	struct rig_answer *token, *a;
	struct str body;

	engine_rig_init(&r, *state != NULL);
	token = make_token(&r, "{'kind':'worker'}");
	assert_true(engine_token_is_live(r.en, token->id));
	for (int i = 0; i < 2; i++) /* who was seen before is revoked like anybody */
		assert_int_equal(authenticate(&r, token->secret), 0);
	rig_expect(rig_end(&r, engine_token_revoke, (struct rig_call){ .id = token->id }), 0, NULL);
	assert_false(engine_token_is_live(r.en, token->id));
	assert_int_equal(authenticate(&r, token->secret), ERR_AUTH);
	body = engine_rig_record(&r, RECORD_TOKEN, token->id);
	assert_true(str_contains(body, STR("\"revoked_at\":\"1970-01-12T13:46:40Z\"")));
	virtual_host_advance(&r.host, 1000);
	a = rig_end(&r, engine_token_revoke, (struct rig_call){ .id = token->id });
	rig_expect(a, 0, NULL); /* twice is as good as once */
	check_str("kept", engine_rig_record(&r, RECORD_TOKEN, token->id), body);
	engine_rig_restart(&r);
	assert_false(engine_token_is_live(r.en, token->id));
	assert_int_equal(authenticate(&r, token->secret), ERR_AUTH);
	assert_false(engine_token_is_live(r.en, STR("tok_x")));
	engine_rig_release(&r);
}

/* Digests that begin alike are told apart to their last byte. */
static void
P3_digests_are_compared_whole(void **state)
{
	struct engine_rig r;
	struct token_def def = { .id = STR("tok_like"), .kind = TOKEN_WORKER };
	struct sha256 like;

	(void)state;
	engine_rig_init(&r, false);
	like = token_digest(STR(RIG_OWNER_TOKEN));
	like.bytes[SHA256_BYTES - 1] ^= 1;
	assert_false(identity_knows_digest(r.en->identity, &like));
	identity_put_token(r.en->identity, &def, &like);
	assert_true(identity_knows_digest(r.en->identity, &like));
	check_str("still the owner", engine_rig_caller(&r, STR(RIG_OWNER_TOKEN)).token_id,
		  r.owner.token_id);
	like.bytes[SHA256_BYTES - 1] ^= 2;
	assert_false(identity_knows_digest(r.en->identity, &like));
	engine_rig_release(&r);
}

static void
P3_many_tokens_are_read_in_pages(void **state)
{
	struct engine_rig r;
	struct str secrets[1500];

	(void)state;
	engine_rig_init(&r, false);
	for (size_t i = 0; i < ARRAY_LEN(secrets); i++)
		secrets[i] = make_token(&r, "{'kind':'worker'}")->secret;
	engine_rig_restart(&r);
	for (size_t i = 0; i < ARRAY_LEN(secrets); i++)
		assert_int_equal(authenticate(&r, secrets[i]), 0);
	engine_rig_release(&r);
}

int
main(void)
{
	static const char SQLITE[] = "sqlite";
	struct suite s = { 0 };

	SUITE_TEST(&s, P3_noise_is_nobody);
	SUITE_TEST(&s, P3_the_owners_token_is_known_from_the_start);
	suite_add(&s, "P3 the owner's token is known from the start, on disk",
		  P3_the_owners_token_is_known_from_the_start, SQLITE);
	SUITE_TEST(&s, P3_a_revoked_owners_token_stays_revoked);
	SUITE_TEST(&s, P3_a_principal_is_what_its_token_says);
	suite_add(&s, "P3 a principal is what its token says, on disk",
		  P3_a_principal_is_what_its_token_says, SQLITE);
	SUITE_TEST(&s, P3_a_new_role_counts_at_once);
	SUITE_TEST(&s, P3_a_caller_who_stays_is_as_of_now);
	SUITE_TEST(&s, P3_a_token_ends_at_its_instant);
	SUITE_TEST(&s, P3_revoking_is_effective_at_once);
	suite_add(&s, "P3 revoking is effective at once, on disk", P3_revoking_is_effective_at_once,
		  SQLITE);
	SUITE_TEST(&s, P3_digests_are_compared_whole);
	SUITE_TEST(&s, P3_many_tokens_are_read_in_pages);
	return suite_run(&s, "identity");
}

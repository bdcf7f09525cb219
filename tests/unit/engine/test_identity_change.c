#include "core/token.h"
#include "engine/identity.h"
#include "engine_rig.h"

static void
P3_users_are_made_and_changed(void **state)
{
	struct engine_rig r;
	struct rig_answer *user, *a;

	engine_rig_init(&r, *state != NULL);
	user = rig_make(&r, engine_user_create, (struct rig_call){ .body = "{'name':'Ann'}" });
	rig_expect(user, 0, NULL);
	assert_true(str_starts(user->id, STR("user_")));
	assert_int_equal(user->version, 1);
	assert_true(str_contains(engine_rig_record(&r, RECORD_USER, user->id),
				 STR("\"type\":\"user\",\"name\":\"Ann\",\"role\":\"user\"")));
	a = rig_change(&r, engine_user_update,
		       (struct rig_call){ .id = user->id, .body = "{'name':'Bo'}" });
	rig_expect(a, 0, NULL);
	assert_int_equal(a->version, 2);
	assert_true(str_contains(engine_rig_record(&r, RECORD_USER, user->id),
				 STR("\"name\":\"Bo\",\"role\":\"user\"")));
	rig_expect(rig_change(&r, engine_user_update,
			      (struct rig_call){ .id = STR("user_x"), .body = "{}" }),
		   ERR_NOT_FOUND, "there is no user user_x");
	rig_expect(rig_make(&r, engine_user_create, (struct rig_call){ .body = "{'role':'user'}" }),
		   ERR_INVALID, "name: is required");
	engine_rig_release(&r);
}

static void
P3_the_secret_is_shown_once_and_kept_nowhere(void **state)
{
	struct engine_rig r;
	struct rig_answer *a, *b;
	char hex[SHA256_HEX + 1];
	struct sha256 digest;
	struct str body;

	engine_rig_init(&r, *state != NULL);
	a = rig_make(&r, engine_token_create,
		     (struct rig_call){ .body = "{'kind':'worker','name':'w'}" });
	rig_expect(a, 0, NULL);
	assert_true(str_starts(a->id, STR("tok_")));
	assert_true(token_is_well_formed(a->secret));
	body = engine_rig_record(&r, RECORD_TOKEN, a->id);
	assert_true(str_contains(body, arena_printf(&r.arena, "\"prefix\":\"" STR_FMT "\"",
						    STR_ARG(token_prefix(a->secret)))));
	assert_false(str_contains(body, str_slice(a->secret, TOKEN_PREFIX_LEN, a->secret.len)));
	digest = token_digest(a->secret);
	sha256_hex(&digest, SHA256_BYTES, hex);
	assert_false(str_contains(body, str_of(hex)));
	check_str("digest", engine_rig_record(&r, RECORD_TOKEN_DIGEST, str_of(hex)), STR("{}"));
	b = rig_make(&r, engine_token_create, (struct rig_call){ .body = "{'kind':'worker'}" });
	assert_false(str_eq(a->secret, b->secret));
	assert_false(str_eq(a->id, b->id));
	engine_rig_release(&r);
}

static void
A10_a_replay_never_shows_the_secret(void **state)
{
	struct engine_rig r;
	struct rig_call call = { .key = "k",
				 .body = "{'kind':'worker','expires_at':'1970-01-12T13:46:50Z'}" };
	struct rig_answer *first, *again;

	(void)state;
	engine_rig_init(&r, false);
	first = rig_make(&r, engine_token_create, call);
	rig_expect(first, 0, NULL);
	assert_int_equal(first->secret.len, TOKEN_TEXT_LEN);
	again = rig_make(&r, engine_token_create, call);
	rig_expect(again, 0, NULL);
	assert_true(again->replayed);
	check_str("id", again->id, first->id);
	check_str("secret", again->secret, STR(""));
	assert_int_equal(engine_rig_count(&r, RECORD_TOKEN), 2);
	virtual_host_advance(&r.host, 20000); /* the body would be refused today */
	again = rig_make(&r, engine_token_create, call);
	rig_expect(again, 0, NULL);
	assert_true(again->replayed);
	engine_rig_release(&r);
}

static void
P3_a_token_speaks_for_what_is_there(void **state)
{
	struct engine_rig r;

	(void)state;
	engine_rig_init(&r, false);
	rig_expect(rig_make(&r, engine_token_create,
			    (struct rig_call){ .body = "{'kind':'user','user_id':'user_x'}" }),
		   ERR_INVALID, "user_id: there is no user user_x");
	rig_expect(rig_make(&r, engine_token_create,
			    (struct rig_call){
				    .body = "{'kind':'environment','environment_id':'env_x'}" }),
		   ERR_INVALID, "environment_id: there is no environment env_x");
	rig_expect(
		rig_make(&r, engine_token_create, (struct rig_call){ .body = "{'kind':'user'}" }),
		ERR_INVALID, "user_id: is required for a token of kind user");
	rig_expect(rig_end(&r, engine_token_revoke, (struct rig_call){ .id = STR("tok_x") }),
		   ERR_NOT_FOUND, "there is no token tok_x");
	assert_int_equal(engine_rig_count(&r, RECORD_TOKEN), 1);
	engine_rig_release(&r);
}

int
main(void)
{
	static const char SQLITE[] = "sqlite";
	struct suite s = { 0 };

	SUITE_TEST(&s, P3_users_are_made_and_changed);
	suite_add(&s, "P3 users are made and changed, on disk", P3_users_are_made_and_changed,
		  SQLITE);
	SUITE_TEST(&s, P3_the_secret_is_shown_once_and_kept_nowhere);
	suite_add(&s, "P3 the secret is shown once and kept nowhere, on disk",
		  P3_the_secret_is_shown_once_and_kept_nowhere, SQLITE);
	SUITE_TEST(&s, A10_a_replay_never_shows_the_secret);
	SUITE_TEST(&s, P3_a_token_speaks_for_what_is_there);
	return suite_run(&s, "identity_change");
}

#include "engine/identity_use.h"

#include "engine_rig.h"

enum { MINUTE_MS = 60000 };

static bool
used_at(struct engine_rig *r, struct str token, const char *instant)
{
	return str_contains(engine_rig_record(r, RECORD_TOKEN, token),
			    arena_printf(&r->arena, "\"last_used_at\":%s", instant));
}

/* Moves the clock and waits until what that caused is written. */
static void
advance(struct engine_rig *r, int64_t ms)
{
	virtual_host_advance(&r->host, ms);
	assert_int_equal(r->en->open_turns, 0);
}

static void
P3_the_last_use_is_written_once_a_minute(void **state)
{
	struct engine_rig r;
	size_t armed;

	engine_rig_init(&r, *state != NULL); /* the owner's token is used at 13:46:40 */
	advance(&r, 5000);
	engine_rig_caller(&r, STR(RIG_OWNER_TOKEN));
	assert_true(used_at(&r, r.owner.token_id, "null"));
	advance(&r, MINUTE_MS - 5001);
	assert_true(used_at(&r, r.owner.token_id, "null"));
	advance(&r, 1);
	assert_true(used_at(&r, r.owner.token_id, "\"1970-01-12T13:46:45Z\""));
	armed = virtual_host_armed(&r.host); /* by others: nothing to do until it is used again */
	engine_rig_caller(&r, STR(RIG_OWNER_TOKEN));
	assert_int_equal(virtual_host_armed(&r.host), armed + 1);
	advance(&r, MINUTE_MS - 1);
	assert_true(used_at(&r, r.owner.token_id, "\"1970-01-12T13:46:45Z\""));
	advance(&r, 1);
	assert_true(used_at(&r, r.owner.token_id, "\"1970-01-12T13:47:40Z\""));
	engine_rig_release(&r);
}

static void
P3_many_last_uses_are_written_a_few_at_a_time(void **state)
{
	struct engine_rig r;
	struct rig_answer *tokens[100];

	(void)state;
	engine_rig_init(&r, false);
	for (size_t i = 0; i < ARRAY_LEN(tokens); i++) {
		tokens[i] = rig_make(&r, engine_token_create,
				     (struct rig_call){ .body = "{'kind':'worker'}" });
		engine_rig_caller(&r, tokens[i]->secret);
	}
	advance(&r, MINUTE_MS);
	for (size_t i = 0; i < ARRAY_LEN(tokens); i++)
		assert_true(used_at(&r, tokens[i]->id, "\"1970-01-12T13:46:40Z\""));
	engine_rig_release(&r);
}

/* Neither undoes the other, whichever is first. */
static void
P3_a_use_does_not_bring_a_revoked_token_back(void **state)
{
	const bool *revoked_first = *state;
	struct engine_rig r;
	struct rig_answer *token, revoked = { 0 };
	struct engine_call call = { .done = rig_answered, .ctx = &revoked };

	engine_rig_init(&r, false);
	token = rig_make(&r, engine_token_create, (struct rig_call){ .body = "{'kind':'worker'}" });
	engine_rig_caller(&r, token->secret);
	revoked.rig = &r;
	call.caller = &r.owner;
	r.host.store = NULL; /* it does not answer before both are on their way */
	if (*revoked_first)
		engine_token_revoke(r.en, &call, token->id);
	virtual_host_advance(&r.host, MINUTE_MS);
	assert_int_equal(r.en->open_turns, 3); /* one of them is the purge of old records */
	if (!*revoked_first)
		engine_token_revoke(r.en, &call, token->id);
	r.host.store = r.store;
	rig_expect(&revoked, 0, NULL);
	advance(&r, 0);
	assert_true(used_at(&r, token->id, "\"1970-01-12T13:46:40Z\""));
	assert_true(str_contains(engine_rig_record(&r, RECORD_TOKEN, token->id),
				 STR("\"revoked_at\":\"1970-01-12T13:47:40Z\"")));
	assert_false(engine_token_is_live(r.en, token->id));
	engine_rig_release(&r);
}

int
main(void)
{
	static const char SQLITE[] = "sqlite";
	static const bool USED_FIRST = false, REVOKED_FIRST = true;
	struct suite s = { 0 };

	SUITE_TEST(&s, P3_the_last_use_is_written_once_a_minute);
	suite_add(&s, "P3 the last use is written once a minute, on disk",
		  P3_the_last_use_is_written_once_a_minute, SQLITE);
	SUITE_TEST(&s, P3_many_last_uses_are_written_a_few_at_a_time);
	suite_add(&s, "P3 a use before the revocation does not undo it",
		  P3_a_use_does_not_bring_a_revoked_token_back, &USED_FIRST);
	suite_add(&s, "P3 a use after the revocation does not undo it",
		  P3_a_use_does_not_bring_a_revoked_token_back, &REVOKED_FIRST);
	return suite_run(&s, "identity_use");
}

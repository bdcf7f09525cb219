#include "engine/record_change.h"

#include "engine/catalog.h"
#include "engine_rig.h"

static const char MAKE[] = "{'name':'a','model':'demo'}";

static void
A10_a_repeat_gets_the_first_answer(void **state)
{
	struct engine_rig r;
	struct rig_answer *first, *again;

	engine_rig_init(&r, *state != NULL);
	first = rig_make(&r, engine_agent_create, (struct rig_call){ .key = "k", .body = MAKE });
	rig_expect(first, 0, NULL);
	assert_false(first->replayed);
	again = rig_make(&r, engine_agent_create, (struct rig_call){ .key = "k", .body = MAKE });
	rig_expect(again, 0, NULL);
	assert_true(again->replayed);
	check_str("id", again->id, first->id);
	assert_int_equal(again->version, 1);
	engine_rig_restart(&r);
	again = rig_make(&r, engine_agent_create, (struct rig_call){ .key = "k", .body = MAKE });
	assert_true(again->replayed);
	check_str("id", again->id, first->id);
	assert_int_equal(engine_rig_count(&r, RECORD_AGENT), 2);
	engine_rig_release(&r);
}

static void
A10_another_body_is_a_mismatch(void **state)
{
	struct engine_rig r;

	(void)state;
	engine_rig_init(&r, false);
	rig_expect(rig_make(&r, engine_agent_create, (struct rig_call){ .key = "k", .body = MAKE }),
		   0, NULL);
	rig_expect(rig_make(&r, engine_agent_create,
			    (struct rig_call){ .key = "k", .body = "{'name':'b','model':'demo'}" }),
		   ERR_MISMATCH, "this Idempotency-Key was used with another body");
	engine_rig_release(&r);
}

/* Both are on their way before either is known. */
static void
A10_a_parallel_repeat_makes_one(void **state)
{
	struct engine_rig r;
	struct rig_answer answers[2] = { 0 };
	struct engine_repeat repeat = { .scope = STR("s"), .key = STR("k") };

	engine_rig_init(&r, *state != NULL);
	for (size_t i = 0; i < 2; i++) {
		struct engine_call call = { .caller = &r.owner,
					    .repeat = &repeat,
					    .done = rig_answered,
					    .ctx = &answers[i] };

		answers[i].rig = &r;
		engine_agent_create(r.en, &call, engine_rig_json(&r, MAKE));
	}
	rig_expect(&answers[0], 0, NULL);
	rig_expect(&answers[1], 0, NULL);
	assert_true(answers[0].replayed != answers[1].replayed);
	check_str("id", answers[0].id, answers[1].id);
	assert_int_equal(engine_rig_count(&r, RECORD_AGENT), 2);
	engine_rig_release(&r);
}

/* What the first one did stands in the way of doing it again: the repeat is told of the first. */
static void
A10_a_repeat_is_a_repeat_although_things_moved_on(void **state)
{
	struct engine_rig r;
	struct rig_answer *a;
	struct rig_call update = { .id = CATALOG_AGENT,
				   .key = "u",
				   .body = "{'name':'x','version':1}" };

	(void)state;
	engine_rig_init(&r, false);
	rig_expect(rig_change(&r, engine_agent_update, update), 0, NULL);
	rig_expect(rig_change(&r, engine_agent_update,
			      (struct rig_call){ .id = CATALOG_AGENT, .body = "{'name':'y'}" }),
		   0, NULL);
	a = rig_change(&r, engine_agent_update, update);
	rig_expect(a, 0, NULL);
	assert_true(a->replayed);
	assert_int_equal(a->version, 2);
	engine_rig_release(&r);
}

static void
A10_only_success_is_remembered(void **state)
{
	struct engine_rig r;
	struct rig_call update = { .id = CATALOG_AGENT,
				   .key = "u",
				   .body = "{'name':'x','version':2}" };

	(void)state;
	engine_rig_init(&r, false);
	rig_expect(rig_change(&r, engine_agent_update, update), ERR_CONFLICT, NULL);
	rig_expect(rig_change(&r, engine_agent_update,
			      (struct rig_call){ .id = CATALOG_AGENT, .body = "{'name':'y'}" }),
		   0, NULL);
	rig_expect(rig_change(&r, engine_agent_update, update), 0, NULL);
	engine_rig_release(&r);
}

static void
A10_an_update_without_change_is_remembered_too(void **state)
{
	struct engine_rig r;
	struct rig_call update = { .id = CATALOG_AGENT, .key = "u", .body = "{'name':'main'}" };
	struct rig_answer *a;

	(void)state;
	engine_rig_init(&r, false);
	a = rig_change(&r, engine_agent_update, update);
	rig_expect(a, 0, NULL);
	assert_int_equal(a->version, 1);
	rig_expect(rig_change(&r, engine_agent_update,
			      (struct rig_call){ .id = CATALOG_AGENT, .body = "{'name':'y'}" }),
		   0, NULL);
	a = rig_change(&r, engine_agent_update, update);
	assert_true(a->replayed);
	assert_int_equal(a->version, 1);
	engine_rig_release(&r);
}

static void
A1_only_owners_manage(void **state)
{
	struct engine_rig r;
	struct rig_answer *user, *a;
	struct engine_caller guest;
	struct rig_call call = { .id = CATALOG_AGENT, .body = "{'name':'x'}" };

	(void)state;
	engine_rig_init(&r, false);
	user = rig_make(&r, engine_user_create, (struct rig_call){ .body = "{'name':'Ann'}" });
	a = rig_make(
		&r, engine_token_create,
		(struct rig_call){ .body = arena_printf(&r.arena,
							"{'kind':'user','user_id':'" STR_FMT "'}",
							STR_ARG(user->id))
						   .ptr });
	guest = engine_rig_caller(&r, a->secret);
	call.caller = &guest;
	rig_expect(rig_change(&r, engine_agent_update, call), ERR_NOT_FOUND, NULL);
	rig_expect(rig_end(&r, engine_agent_archive, call), ERR_NOT_FOUND, NULL);
	rig_expect(rig_make(&r, engine_agent_create, call), ERR_NOT_FOUND, NULL);
	rig_expect(rig_make(&r, engine_environment_create, call), ERR_NOT_FOUND, NULL);
	rig_expect(rig_end(&r, engine_environment_delete, call), ERR_NOT_FOUND, NULL);
	rig_expect(rig_make(&r, engine_user_create, call), ERR_NOT_FOUND, NULL);
	rig_expect(rig_make(&r, engine_token_create, call), ERR_NOT_FOUND, NULL);
	rig_expect(rig_end(&r, engine_token_revoke, call), ERR_NOT_FOUND, NULL);
	assert_true(str_contains(engine_rig_record(&r, RECORD_AGENT, CATALOG_AGENT),
				 STR("\"name\":\"main\"")));
	engine_rig_release(&r);
}

static void
A1_a_server_that_ends_takes_no_more(void **state)
{
	struct engine_rig r;

	(void)state;
	engine_rig_init(&r, false);
	r.en->draining = true;
	rig_expect(rig_make(&r, engine_agent_create, (struct rig_call){ .body = MAKE }),
		   ERR_UNAVAILABLE, "shutting down");
	engine_rig_release(&r);
}

int
main(void)
{
	static const char SQLITE[] = "sqlite";
	struct suite s = { 0 };

	SUITE_TEST(&s, A10_a_repeat_gets_the_first_answer);
	suite_add(&s, "A10 a repeat gets the first answer, on disk",
		  A10_a_repeat_gets_the_first_answer, SQLITE);
	SUITE_TEST(&s, A10_another_body_is_a_mismatch);
	SUITE_TEST(&s, A10_a_parallel_repeat_makes_one);
	suite_add(&s, "A10 a parallel repeat makes one, on disk", A10_a_parallel_repeat_makes_one,
		  SQLITE);
	SUITE_TEST(&s, A10_a_repeat_is_a_repeat_although_things_moved_on);
	SUITE_TEST(&s, A10_only_success_is_remembered);
	SUITE_TEST(&s, A10_an_update_without_change_is_remembered_too);
	SUITE_TEST(&s, A1_only_owners_manage);
	SUITE_TEST(&s, A1_a_server_that_ends_takes_no_more);
	return suite_run(&s, "record_change");
}

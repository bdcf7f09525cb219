#include "engine/catalog.h"
#include "engine_rig.h"

static bool
has(struct str text, const char *part)
{
	return str_contains(text, str_of(part));
}

static void
M1_every_version_is_kept(void **state)
{
	struct engine_rig r;
	struct rig_answer *made, *a;

	engine_rig_init(&r, *state != NULL);
	made = rig_make(&r, engine_agent_create,
			(struct rig_call){ .body = "{'name':'a','model':'demo'}" });
	rig_expect(made, 0, NULL);
	assert_true(str_starts(made->id, STR("agent_")));
	assert_int_equal(made->version, 1);
	for (int i = 2; i <= 5; i++) {
		char body[64];

		snprintf(body, sizeof body, "{'name':'a%d'}", i);
		a = rig_change(&r, engine_agent_update,
			       (struct rig_call){ .id = made->id, .body = body });
		rig_expect(a, 0, NULL);
		assert_int_equal(a->version, i);
		check_str("id", a->id, made->id);
		a = rig_change(&r, engine_agent_update,
			       (struct rig_call){ .id = made->id, .body = body });
		assert_int_equal(a->version, i); /* no change, same version */
	}
	assert_true(has(engine_rig_record(&r, RECORD_AGENT, made->id),
			"\"version\":5,\"name\":\"a5\""));
	for (int i = 1; i <= 5; i++) {
		char id[100], want[64];

		snprintf(id, sizeof id, STR_FMT "/%010d", STR_ARG(made->id), i);
		snprintf(want, sizeof want, "\"version\":%d,", i);
		assert_true(has(engine_rig_record(&r, RECORD_AGENT_VERSION, str_of(id)), want));
	}
	assert_int_equal(engine_rig_count(&r, RECORD_AGENT_VERSION), 6); /* and main's */
	engine_rig_release(&r);
}

static void
M1_the_expected_version_is_checked(void **state)
{
	struct engine_rig r;
	struct rig_call call = { .id = CATALOG_AGENT, .body = "{'name':'x','version':2}" };

	(void)state;
	engine_rig_init(&r, false);
	rig_expect(rig_change(&r, engine_agent_update, call), ERR_CONFLICT,
		   "version: the agent is at version 1, not 2");
	call.body = "{'name':'x','version':1}";
	rig_expect(rig_change(&r, engine_agent_update, call), 0, NULL);
	rig_expect(rig_change(&r, engine_agent_update, call), ERR_CONFLICT, "is at version 2");
	engine_rig_release(&r);
}

/* Two at once, neither knows of the other: both take effect, one after the other. */
static void
M1_updates_at_the_same_time_lose_nothing(void **state)
{
	struct engine_rig r;
	struct rig_answer answers[6] = { 0 };
	int64_t seen = 0;

	engine_rig_init(&r, *state != NULL);
	for (size_t i = 0; i < ARRAY_LEN(answers); i++) {
		struct str body = arena_printf(&r.arena, "{'metadata':{'k%zu':'v'}}", i);
		struct engine_call call = { .caller = &r.owner,
					    .done = rig_answered,
					    .ctx = &answers[i] };

		answers[i].rig = &r;
		engine_agent_update(r.en, &call, CATALOG_AGENT, engine_rig_json(&r, body.ptr));
	}
	for (size_t i = 0; i < ARRAY_LEN(answers); i++) {
		rig_expect(&answers[i], 0, NULL);
		seen |= INT64_C(1) << answers[i].version;
	}
	assert_int_equal(seen, 0xfc); /* versions 2 to 7, each once */
	for (size_t i = 0; i < ARRAY_LEN(answers); i++)
		assert_true(has(engine_rig_record(&r, RECORD_AGENT, CATALOG_AGENT),
				arena_printf(&r.arena, "\"k%zu\":\"v\"", i).ptr));
	engine_rig_release(&r);
}

static void
A1_archived_once_and_for_all(void **state)
{
	struct engine_rig r;
	struct rig_call call = { .id = CATALOG_AGENT };
	struct str first;

	(void)state;
	engine_rig_init(&r, false);
	rig_expect(rig_end(&r, engine_agent_archive, call), 0, NULL);
	first = engine_rig_record(&r, RECORD_AGENT, CATALOG_AGENT);
	assert_true(has(first, "\"version\":1,") && has(first, "\"archived_at\":\"1970"));
	virtual_host_advance(&r.host, 5000);
	rig_expect(rig_end(&r, engine_agent_archive, call), 0, NULL);
	check_str("archived twice", engine_rig_record(&r, RECORD_AGENT, CATALOG_AGENT), first);
	call.body = "{'name':'x'}";
	rig_expect(rig_change(&r, engine_agent_update, call), ERR_CONFLICT,
		   "the agent is archived");
	/* the version that sessions run is what it was */
	assert_true(has(engine_rig_record(&r, RECORD_AGENT_VERSION, STR("main/0000000001")),
			"\"archived_at\":null"));
	engine_rig_release(&r);
}

static void
A1_an_agent_that_is_not_there(void **state)
{
	struct engine_rig r;
	struct rig_call call = { .id = STR("agent_x"), .body = "{}" };

	(void)state;
	engine_rig_init(&r, false);
	rig_expect(rig_change(&r, engine_agent_update, call), ERR_NOT_FOUND,
		   "there is no agent agent_x");
	rig_expect(rig_end(&r, engine_agent_archive, call), ERR_NOT_FOUND, "there is no agent");
	call.id = STR("");
	rig_expect(rig_end(&r, engine_agent_archive, call), ERR_INVALID, NULL);
	engine_rig_release(&r);
}

static void
M1_bad_bodies_leave_no_trace(void **state)
{
	struct engine_rig r;

	(void)state;
	engine_rig_init(&r, false);
	rig_expect(rig_make(&r, engine_agent_create, (struct rig_call){ .body = "{'model':'a'}" }),
		   ERR_INVALID, "name: is required");
	rig_expect(rig_make(&r, engine_agent_create, (struct rig_call){ .body = "[]" }),
		   ERR_INVALID, "must be an object");
	rig_expect(rig_change(&r, engine_agent_update,
			      (struct rig_call){ .id = CATALOG_AGENT, .body = "{'tools':[1]}" }),
		   ERR_INVALID, "tools[0]: must be an object with a type");
	assert_int_equal(engine_rig_count(&r, RECORD_AGENT), 1);
	assert_int_equal(engine_rig_count(&r, RECORD_AGENT_VERSION), 1);
	engine_rig_release(&r);
}

static void
M1_a_coordinator_calls_agents_that_are_there(void **state)
{
	struct engine_rig r;
	struct rig_answer *a;

	(void)state;
	engine_rig_init(&r, false);
	a = rig_make(&r, engine_agent_create,
		     (struct rig_call){ .body = "{'name':'boss','model':'demo','multiagent':{"
						"'type':'coordinator','agents':['main',{'type':"
						"'self'}]}}" });
	rig_expect(a, 0, NULL);
	assert_true(has(engine_rig_record(&r, RECORD_AGENT, a->id),
			"\"agents\":[{\"type\":\"agent\",\"id\":\"main\",\"version\":1},"));
	rig_expect(
		rig_make(&r, engine_agent_create,
			 (struct rig_call){ .body = "{'name':'x','model':'demo','multiagent':{"
						    "'type':'coordinator','agents':['nobody']}}" }),
		ERR_INVALID, "multiagent.agents[0]: there is no agent 'nobody'");
	rig_expect(rig_change(&r, engine_agent_update,
			      (struct rig_call){
				      .id = CATALOG_AGENT,
				      .body = arena_printf(&r.arena,
							   "{'multiagent':{'type':'coordinator',"
							   "'agents':['" STR_FMT "']}}",
							   STR_ARG(a->id))
						      .ptr }),
		   ERR_INVALID, "the agent is a coordinator itself");
	rig_expect(rig_end(&r, engine_agent_archive, (struct rig_call){ .id = CATALOG_AGENT }), 0,
		   NULL);
	rig_expect(
		rig_make(&r, engine_agent_create,
			 (struct rig_call){ .body = "{'name':'x','model':'demo','multiagent':{"
						    "'type':'coordinator','agents':['main']}}" }),
		ERR_INVALID, "the agent is archived");
	engine_rig_release(&r);
}

static void
P7_a_protected_agent_lets_nobody_in_without_a_role(void **state)
{
	struct engine_rig r;
	struct rig_answer *user, *token;
	struct engine_caller guest;
	struct rig_call open = { .caller = &guest,
				 .body = "{'agent':'main','environment_id':'local-default'}" };

	(void)state;
	engine_rig_init(&r, false);
	user = rig_make(&r, engine_user_create,
			(struct rig_call){ .body = "{'name':'Ann','role':'guest'}" });
	token = rig_make(
		&r, engine_token_create,
		(struct rig_call){ .body = arena_printf(&r.arena,
							"{'kind':'user','user_id':'" STR_FMT "'}",
							STR_ARG(user->id))
						   .ptr });
	guest = engine_rig_caller(&r, token->secret);
	rig_expect(rig_make(&r, engine_session_open, open), 0, NULL);
	rig_expect(rig_change(&r, engine_agent_update,
			      (struct rig_call){ .id = CATALOG_AGENT,
						 .body = "{'access':'private'}" }),
		   0, NULL);
	rig_expect(rig_make(&r, engine_session_open, open), ERR_NOT_FOUND, NULL);
	open.body = "{'agent':{'type':'agent','id':'main','version':1},"
		    "'environment_id':'local-default'}"; /* nor by an older version */
	rig_expect(rig_make(&r, engine_session_open, open), ERR_NOT_FOUND, NULL);
	rig_expect(rig_change(&r, engine_agent_update,
			      (struct rig_call){ .id = CATALOG_AGENT,
						 .body = "{'access':'protected'}" }),
		   0, NULL);
	rig_expect(rig_make(&r, engine_session_open, open), ERR_NOT_FOUND,
		   "agent: there is no agent main");
	rig_expect(
		rig_change(&r, engine_agent_update,
			   (struct rig_call){ .id = CATALOG_AGENT, .body = "{'access':'public'}" }),
		0, NULL);
	rig_expect(rig_make(&r, engine_session_open, open), 0, NULL);
	engine_rig_release(&r);
}

int
main(void)
{
	static const char SQLITE[] = "sqlite";
	struct suite s = { 0 };

	SUITE_TEST(&s, M1_every_version_is_kept);
	suite_add(&s, "M1 every version is kept, on disk", M1_every_version_is_kept, SQLITE);
	SUITE_TEST(&s, M1_the_expected_version_is_checked);
	SUITE_TEST(&s, M1_updates_at_the_same_time_lose_nothing);
	suite_add(&s, "M1 updates at the same time lose nothing, on disk",
		  M1_updates_at_the_same_time_lose_nothing, SQLITE);
	SUITE_TEST(&s, A1_archived_once_and_for_all);
	SUITE_TEST(&s, A1_an_agent_that_is_not_there);
	SUITE_TEST(&s, M1_bad_bodies_leave_no_trace);
	SUITE_TEST(&s, M1_a_coordinator_calls_agents_that_are_there);
	SUITE_TEST(&s, P7_a_protected_agent_lets_nobody_in_without_a_role);
	return suite_run(&s, "agent_change");
}

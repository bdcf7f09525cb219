#include "engine/catalog.h"

#include "engine_rig.h"

struct found {
	bool done, unconfined;
	int rc;
	char text[ERR_TEXT_MAX];
	struct catalog_agent agent;
	struct engine_rig *rig;
};

static void
on_agent(void *ctx, int rc, const struct err *err, const struct catalog_agent *agent)
{
	struct found *f = ctx;

	assert_false(f->done);
	f->done = true;
	f->rc = rc;
	if (rc != 0) {
		memcpy(f->text, err->text, sizeof f->text);
		return;
	}
	f->agent = *agent;
	f->agent.id = arena_str(&f->rig->arena, agent->id);
	f->agent.body = arena_str(&f->rig->arena, agent->body);
}

static void
on_check(void *ctx, int rc, const struct err *err, bool unconfined)
{
	struct found *f = ctx;

	f->done = true;
	f->rc = rc;
	f->unconfined = unconfined;
	if (rc != 0)
		memcpy(f->text, err->text, sizeof f->text);
}

static struct found
find(struct engine_rig *r, struct str id, int64_t version)
{
	struct found f = { .rig = r };

	catalog_agent(r->en->catalog, id, version, on_agent, &f);
	assert_false(f.done);
	engine_rig_await(r, &f.done);
	return f;
}

static struct found
check(struct engine_rig *r, struct str id)
{
	struct found f = { .rig = r };

	catalog_environment_check(r->en->catalog, id, on_check, &f);
	assert_false(f.done);
	engine_rig_await(r, &f.done);
	return f;
}

static void
update(struct engine_rig *r, const char *body)
{
	rig_expect(rig_change(r, engine_agent_update,
			      (struct rig_call){ .id = CATALOG_AGENT, .body = body }),
		   0, NULL);
}

static void
M1_a_fresh_directory_holds_main(void **state)
{
	struct engine_rig r;
	struct str first;

	engine_rig_init(&r, *state != NULL);
	first = engine_rig_record(&r, RECORD_AGENT, STR("main"));
	assert_true(str_contains(first, STR("\"id\":\"main\",\"type\":\"agent\",\"version\":1,"
					    "\"name\":\"main\"")));
	assert_true(str_contains(first, STR("\"model\":null,"))); /* the server's default */
	check_str("version 1", engine_rig_record(&r, RECORD_AGENT_VERSION, STR("main/0000000001")),
		  first);
	update(&r, "{'name':'other'}");
	engine_rig_restart(&r); /* what is there is left alone */
	assert_true(str_contains(engine_rig_record(&r, RECORD_AGENT, STR("main")),
				 STR("\"name\":\"other\"")));
	assert_int_equal(engine_rig_count(&r, RECORD_AGENT), 1);
	engine_rig_release(&r);
}

static void
M2_a_fresh_directory_holds_local_default(void **state)
{
	struct engine_rig r;

	(void)state;
	engine_rig_init(&r, false);
	assert_true(str_contains(engine_rig_record(&r, RECORD_ENVIRONMENT, STR("local-default")),
				 STR("\"config\":{\"type\":\"local\",\"working_directory\":null,"
				     "\"sandbox\":{\"mode\":\"workspace\"")));
	assert_int_equal(check(&r, STR("local-default")).rc, 0);
	assert_false(check(&r, STR("local-default")).unconfined);
	rig_expect(rig_change(&r, engine_environment_update,
			      (struct rig_call){ .id = CATALOG_ENVIRONMENT,
						 .body = "{'config':{'type':'local','working_"
							 "directory':null,'sandbox':{'mode':'off'"
							 "}}}" }),
		   0, NULL);
	assert_true(check(&r, STR("local-default")).unconfined);
	engine_rig_release(&r);
}

static void
a_fresh_directory_holds_workspace_main(void **state)
{
	struct engine_rig r;

	(void)state;
	engine_rig_init(&r, false);
	assert_true(
		str_contains(engine_rig_record(&r, RECORD_WORKSPACE, STR("main")),
			     STR("{\"id\":\"main\",\"type\":\"workspace\",\"name\":\"main\",")));
	engine_rig_release(&r);
}

static void
M1_a_version_is_what_it_was(void **state)
{
	struct engine_rig r;
	struct found f;

	engine_rig_init(&r, *state != NULL);
	update(&r, "{'system':'two'}");
	update(&r, "{'system':'three'}");
	for (int round = 0; round < 2; round++) { /* read, then kept */
		f = find(&r, CATALOG_AGENT, 1);
		assert_int_equal(f.agent.version, 1);
		assert_true(str_contains(f.agent.body, STR("\"system\":null")));
		f = find(&r, CATALOG_AGENT, 2);
		assert_true(str_contains(f.agent.body, STR("\"version\":2,")));
		assert_true(str_contains(f.agent.body, STR("\"system\":\"two\"")));
		f = find(&r, CATALOG_AGENT, 0);
		assert_int_equal(f.agent.version, 3);
		assert_true(str_contains(f.agent.body, STR("\"system\":\"three\"")));
		check_str("id", f.agent.id, CATALOG_AGENT);
	}
	f = find(&r, CATALOG_AGENT, 4);
	assert_int_equal(f.rc, ERR_NOT_FOUND);
	assert_string_equal(f.text, "the agent main has no version 4");
	f = find(&r, STR("nobody"), 0);
	assert_int_equal(f.rc, ERR_NOT_FOUND);
	assert_string_equal(f.text, "there is no agent nobody");
	assert_int_equal(find(&r, STR("nobody"), 1).rc, ERR_NOT_FOUND);
	engine_rig_release(&r);
}

/* Also of a version that is kept in memory. */
static void
A1_whether_it_is_archived_is_that_of_now(void **state)
{
	struct engine_rig r;
	struct found f;

	(void)state;
	engine_rig_init(&r, false);
	f = find(&r, CATALOG_AGENT, 1);
	assert_false(f.agent.archived);
	update(&r, "{'access':'private'}");
	rig_expect(rig_end(&r, engine_agent_archive, (struct rig_call){ .id = CATALOG_AGENT }), 0,
		   NULL);
	f = find(&r, CATALOG_AGENT, 1);
	assert_true(f.agent.archived);
	assert_true(find(&r, CATALOG_AGENT, 0).agent.archived);
	engine_rig_restart(&r);
	f = find(&r, CATALOG_AGENT, 1);
	assert_true(f.agent.archived);
	engine_rig_release(&r);
}

/* More versions than are kept: all of them are still found, and memory stays bounded. */
static void
M1_more_versions_than_are_kept(void **state)
{
	struct engine_rig r;

	(void)state;
	engine_rig_init(&r, false);
	for (int i = 2; i <= 100; i++)
		update(&r, arena_printf(&r.arena, "{'system':'s%d'}", i).ptr);
	for (int round = 0; round < 2; round++)
		for (int i = 2; i <= 100; i++) {
			struct found f = find(&r, CATALOG_AGENT, i);

			assert_int_equal(f.agent.version, i);
			assert_true(str_contains(f.agent.body,
						 arena_printf(&r.arena, "\"system\":\"s%d\"", i)));
		}
	engine_rig_release(&r);
}

/* It is kept when it is asked for, and gone when the answer is due. */
static void
M1_a_version_that_is_let_go_meanwhile(void **state)
{
	struct engine_rig r;
	struct found first = { .rig = &r }, others[99] = { 0 };

	(void)state;
	engine_rig_init(&r, false);
	for (int i = 2; i <= 100; i++)
		update(&r, arena_printf(&r.arena, "{'system':'s%d'}", i).ptr);
	find(&r, CATALOG_AGENT, 1);
	for (int i = 0; i < 99; i++) {
		others[i].rig = &r;
		catalog_agent(r.en->catalog, CATALOG_AGENT, i + 2, on_agent, &others[i]);
	}
	catalog_agent(r.en->catalog, CATALOG_AGENT, 1, on_agent, &first);
	while (store_dispatch(r.store) > 0) /* the others, before what is deferred */
		assert_false(first.done);
	engine_rig_await(&r, &first.done);
	assert_int_equal(first.rc, 0);
	assert_true(str_contains(first.agent.body, STR("\"version\":1,")));
	engine_rig_release(&r);
}

static void
A1_an_environment_is_checked(void **state)
{
	struct engine_rig r;
	struct rig_answer *a;
	struct found f;

	(void)state;
	engine_rig_init(&r, false);
	f = check(&r, STR("env_x"));
	assert_int_equal(f.rc, ERR_NOT_FOUND);
	assert_string_equal(f.text, "there is no environment env_x");
	a = rig_make(&r, engine_environment_create, (struct rig_call){ .body = "{'name':'e'}" });
	assert_int_equal(check(&r, a->id).rc, 0);
	rig_expect(rig_end(&r, engine_environment_archive, (struct rig_call){ .id = a->id }), 0,
		   NULL);
	f = check(&r, a->id);
	assert_int_equal(f.rc, ERR_CONFLICT);
	assert_non_null(strstr(f.text, "is archived"));
	engine_rig_release(&r);
}

static void
A1_overrides_of_a_session(void **state)
{
	struct engine_rig r;
	struct str body, out = STR("x");
	struct err e;

	(void)state;
	engine_rig_init(&r, false);
	body = engine_rig_record(&r, RECORD_AGENT, CATALOG_AGENT);
	assert_int_equal(catalog_override(&r.arena, body, (struct json){ 0 }, &out, &e), 0);
	check_str("nothing to override", out, STR(""));
	assert_int_equal(catalog_override(&r.arena, body,
					  engine_rig_json(&r, "{'type':'agent','id':'main'}"), &out,
					  &e),
			 0);
	check_str("nothing to override", out, STR(""));
	assert_int_equal(
		catalog_override(&r.arena, body, engine_rig_json(&r, "{'system':'s'}"), &out, &e),
		0);
	assert_true(str_contains(out, STR("\"version\":1,\"name\":\"main\"")));
	assert_true(str_contains(out, STR("\"system\":\"s\"")));
	assert_int_equal(catalog_override(&r.arena, body,
					  engine_rig_json(&r, "{'tools':[{'type':'x'}]}"), &out,
					  &e),
			 ERR_INVALID);
	assert_non_null(strstr(e.text, "tools[0].type: must be one of"));
	engine_rig_release(&r);
}

int
main(void)
{
	static const char SQLITE[] = "sqlite";
	struct suite s = { 0 };

	SUITE_TEST(&s, M1_a_fresh_directory_holds_main);
	suite_add(&s, "M1 a fresh directory holds main, on disk", M1_a_fresh_directory_holds_main,
		  SQLITE);
	SUITE_TEST(&s, M2_a_fresh_directory_holds_local_default);
	SUITE_TEST(&s, a_fresh_directory_holds_workspace_main);
	SUITE_TEST(&s, M1_a_version_is_what_it_was);
	suite_add(&s, "M1 a version is what it was, on disk", M1_a_version_is_what_it_was, SQLITE);
	SUITE_TEST(&s, A1_whether_it_is_archived_is_that_of_now);
	SUITE_TEST(&s, M1_more_versions_than_are_kept);
	SUITE_TEST(&s, M1_a_version_that_is_let_go_meanwhile);
	SUITE_TEST(&s, A1_an_environment_is_checked);
	SUITE_TEST(&s, A1_overrides_of_a_session);
	return suite_run(&s, "catalog");
}

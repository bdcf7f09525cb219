#include "engine/workspace.h"

#include "engine_rig.h"

static struct rig_answer *
make(struct engine_rig *r, const char *body)
{
	return rig_make(r, engine_workspace_create, (struct rig_call){ .body = body });
}

static struct rig_answer *
change(struct engine_rig *r, const char *id, const char *body)
{
	return rig_change(r, engine_workspace_update,
			  (struct rig_call){ .id = str_of(id), .body = body });
}

static void
T3_a_workspace_is_made_and_changed(void **state)
{
	struct engine_rig r;

	engine_rig_init(&r, *state != NULL);
	assert_true(str_contains(engine_rig_record(&r, RECORD_WORKSPACE, STR("main")),
				 STR("\"name\":\"main\"")));
	rig_expect(make(&r, "{'id':'acme'}"), ERR_INVALID, "name: is required");
	rig_expect(change(&r, "acme", "{'name':'Acme'}"), ERR_NOT_FOUND, "there is no workspace");
	rig_expect(make(&r, "{'id':'acme','name':'Acme'}"), 0, NULL);
	rig_expect(make(&r, "{'id':'acme','name':'Acme'}"), ERR_CONFLICT, "already");
	assert_true(str_starts(make(&r, "{'name':'Acme'}")->id, STR("wksp_")));
	assert_null(workspaces_find(r.en->workspaces, STR("acme")));
	rig_expect(change(&r, "acme", "{'config':{'model':'demo'}}"), 0, NULL);
	check_str("model", workspaces_find(r.en->workspaces, STR("acme"))->model, STR("demo"));
	assert_int_equal(change(&r, "acme", "{'config':{'model':'demo'}}")->version, 2);
	rig_expect(change(&r, "main", "{'config':{'session_reset':{'mode':'daily'}}}"), 0, NULL);
	assert_true(workspaces_find(r.en->workspaces, STR("main"))->resets);
	rig_expect(change(&r, "acme", "{'config':null}"), 0, NULL);
	assert_null(workspaces_find(r.en->workspaces, STR("acme")));
	engine_rig_release(&r);
}

static void
T3_what_it_settles_survives_a_restart(void **state)
{
	struct engine_rig r;

	engine_rig_init(&r, *state != NULL);
	rig_expect(make(&r, "{'id':'acme','name':'Acme','config':{'model':'demo'}}"), 0, NULL);
	engine_rig_restart(&r);
	check_str("model", workspaces_find(r.en->workspaces, STR("acme"))->model, STR("demo"));
	assert_null(workspaces_find(r.en->workspaces, STR("main")));
	engine_rig_release(&r);
}

int
main(void)
{
	static const char SQLITE[] = "sqlite";
	struct suite s = { 0 };

	SUITE_TEST(&s, T3_a_workspace_is_made_and_changed);
	suite_add(&s, "T3 a workspace is made and changed, on disk",
		  T3_a_workspace_is_made_and_changed, SQLITE);
	SUITE_TEST(&s, T3_what_it_settles_survives_a_restart);
	suite_add(&s, "T3 what it settles survives a restart, on disk",
		  T3_what_it_settles_survives_a_restart, SQLITE);
	return suite_run(&s, "engine/workspace");
}

#include "engine/admission.h"

#include "engine_rig.h"

static void
admission_set(struct engine_rig *r, const char *body)
{
	rig_expect(rig_change(r, engine_agent_update,
			      (struct rig_call){ .id = STR("main"), .body = body }),
		   0, NULL);
}

static const struct who {
	const char *name;
	struct engine_caller caller;
	bool sees_public, sees_protected;
} CALLERS[] = {
	{ "P7 an owner sees all", { .who = { .kind = TOKEN_OWNER } }, true, true },
	{ "P7 an owner by role too",
	  { .who = { .kind = TOKEN_USER, .user_id = STR("u"), .role = ROLE_OWNER } },
	  true,
	  true },
	{ "P7 a user sees public ones",
	  { .who = { .kind = TOKEN_USER, .user_id = STR("u"), .role = ROLE_USER } },
	  true,
	  false },
	{ "P7 so does a channel",
	  { .who = { .kind = TOKEN_CHANNEL, .namespace = STR("tg") } },
	  true,
	  false },
	{ "P7 a worker sees none", { .who = { .kind = TOKEN_WORKER } }, false, false },
	{ "P7 nor does an environment",
	  { .who = { .kind = TOKEN_ENVIRONMENT, .environment_id = STR("e") } },
	  false,
	  false },
};

static void
test_caller(void **state)
{
	const struct who *row = *state;
	struct engine_rig r;
	struct err e;

	engine_rig_init(&r, false);
	assert_int_equal(admission_admits(r.en, &row->caller, STR("main")), row->sees_public);
	assert_int_equal(admission_hidden(r.en, &row->caller, &r.arena).len, 0);
	admission_set(&r, "{'access':'protected'}");
	assert_int_equal(admission_admits(r.en, &row->caller, STR("main")), row->sees_protected);
	assert_int_equal(admission_hidden(r.en, &row->caller, &r.arena).len, !row->sees_protected);
	if (row->sees_protected) {
		assert_int_equal(
			admission_check(r.en, &row->caller, ACCESS_AGENT_OVERRIDE, STR("main"), &e),
			0);
	} else {
		assert_int_equal(
			admission_check(r.en, &row->caller, ACCESS_AGENT_USE, STR("main"), &e),
			ERR_NOT_FOUND);
		assert_string_equal(e.text, "there is no agent main");
	}
	engine_rig_release(&r);
}

/* Of all of them what was granted last counts, also after a restart. */
static void
P7_what_an_agent_grants_is_kept(void **state)
{
	struct engine_rig r;
	const struct agent_rights *rights;

	engine_rig_init(&r, *state != NULL);
	assert_true(agent_rights_are_usual(admission_rights(r.en->admission, STR("main"))));
	assert_true(agent_rights_are_usual(admission_rights(r.en->admission, STR("nobody"))));
	admission_set(&r,
		      "{'access':'private','models':['demo'],'environments':['local-default']}");
	for (int round = 0; round < 2; round++) {
		rights = admission_rights(r.en->admission, STR("main"));
		assert_int_equal(rights->level, ACCESS_PRIVATE);
		assert_true(agent_rights_has_model(rights, STR("demo")));
		assert_int_equal(rights->environments.len, 1);
		engine_rig_restart(&r);
	}
	admission_set(&r, "{'access':null,'models':null,'environments':null}");
	assert_true(agent_rights_are_usual(admission_rights(r.en->admission, STR("main"))));
	engine_rig_release(&r);
}

int
main(void)
{
	static const char SQLITE[] = "sqlite";
	struct suite s = { 0 };

	SUITE_ROWS(&s, CALLERS, test_caller);
	SUITE_TEST(&s, P7_what_an_agent_grants_is_kept);
	suite_add(&s, "P7 what an agent grants is kept, on disk", P7_what_an_agent_grants_is_kept,
		  SQLITE);
	return suite_run(&s, "admission");
}

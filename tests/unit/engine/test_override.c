#include "engine/override.h"

#include "core/agent_rights.h"
#include "engine_rig.h"

static const struct engine_caller OWNER = { .who = { .kind = TOKEN_OWNER } };
static const struct engine_caller USER = {
	.who = { .kind = TOKEN_USER, .user_id = STR("u"), .role = ROLE_USER }
};

static void
override_set(struct engine_rig *r, const char *body)
{
	rig_expect(rig_change(r, engine_agent_update,
			      (struct rig_call){ .id = STR("main"), .body = body }),
		   0, NULL);
}

static void
M2_a_model_is_one_that_the_agent_lists(void **state)
{
	struct engine_rig r;
	struct err e;

	(void)state;
	engine_rig_init(&r, false);
	struct override owner = { r.en, &OWNER, STR("main") }, user = { r.en, &USER, STR("main") };

	assert_true(override_is_owners(&owner));
	assert_false(override_is_owners(&user));
	assert_int_equal(override_check_model(&owner, STR("a/b"), &e), 0);
	assert_int_equal(override_check_model(&user, STR(""), &e), 0);
	assert_int_equal(override_check_model(&user, STR("a/b"), &e), ERR_DENIED);
	assert_string_equal(e.text, "model: only an owner chooses one for the agent main");
	override_set(&r, "{'models':['a/b','c/d']}");
	assert_int_equal(override_check_model(&user, STR("a/b"), &e), 0);
	assert_int_equal(override_check_model(&user, STR("e/f"), &e), ERR_DENIED);
	assert_string_equal(e.text, "model: the agent main offers a/b, c/d; only an owner chooses "
				    "another");
	engine_rig_release(&r);
}

static void
M2_an_environment_is_one_that_the_agent_lists(void **state)
{
	struct engine_rig r;
	struct str chosen;
	struct err e;

	(void)state;
	engine_rig_init(&r, false);
	struct override owner = { r.en, &OWNER, STR("main") }, user = { r.en, &USER, STR("main") };

	assert_int_equal(override_environment(&user, STR(""), &r.arena, &chosen, &e), 0);
	check_str("the usual", chosen, AGENT_RIGHTS_ENVIRONMENT);
	assert_int_equal(override_environment(&owner, STR("env_1"), &r.arena, &chosen, &e), 0);
	check_str("an owner's", chosen, STR("env_1"));
	assert_int_equal(override_environment(&user, STR("env_1"), &r.arena, &chosen, &e),
			 ERR_NOT_FOUND);
	assert_string_equal(e.text, "there is no environment env_1");
	assert_int_equal(override_check_sandbox(&user, STR("env_1"), false, &e), 0);
	assert_int_equal(override_check_sandbox(&owner, STR("env_1"), true, &e), 0);
	assert_int_equal(override_check_sandbox(&user, STR("env_1"), true, &e), ERR_DENIED);
	engine_rig_release(&r);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, M2_a_model_is_one_that_the_agent_lists);
	SUITE_TEST(&s, M2_an_environment_is_one_that_the_agent_lists);
	return suite_run(&s, "override");
}

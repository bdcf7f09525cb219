#include "engine/identity_owner.h"

#include "engine_rig.h"

#define SECOND "pdr_2222222222222222222222222222222222222222222222222222222222222222"

struct used {
	bool done;
	int rc;
};

static void
on_used(void *ctx, int rc, const struct err *err)
{
	struct used *u = ctx;

	(void)err;
	u->done = true;
	u->rc = rc;
}

static int
owner_use(struct engine_rig *r, struct str secret)
{
	struct used u = { 0 };

	engine_use_owner_token(r->en, secret, on_used, &u);
	assert_false(u.done);
	engine_rig_await(r, &u.done);
	return u.rc;
}

static bool
opens(struct engine_rig *r, struct str secret)
{
	struct engine_caller caller;
	struct err e;

	return engine_authenticate(r->en, secret, &caller, &e) == 0;
}

static void
P3_the_secret_of_the_file_is_the_only_one(void **state)
{
	struct engine_rig r;
	struct rig_answer *made;
	struct str other;

	engine_rig_init(&r, *state != NULL);
	made = rig_make(&r, engine_token_create, (struct rig_call){ .body = "{'kind':'owner'}" });
	other = made->secret;
	assert_true(opens(&r, STR(RIG_OWNER_TOKEN)));
	assert_int_equal(owner_use(&r, STR(RIG_OWNER_TOKEN)), 0); /* nothing changes */
	assert_true(opens(&r, STR(RIG_OWNER_TOKEN)));
	assert_int_equal(owner_use(&r, STR(SECOND)), 0);
	assert_false(opens(&r, STR(RIG_OWNER_TOKEN)));
	assert_true(opens(&r, STR(SECOND)));
	assert_true(opens(&r, other));
	assert_int_equal(owner_use(&r, STR(RIG_OWNER_TOKEN)), 0); /* it does not come back */
	assert_false(opens(&r, STR(RIG_OWNER_TOKEN)));
	assert_false(opens(&r, STR(SECOND)));
	assert_true(opens(&r, other));
	engine_rig_release(&r);
}

static void
P3_what_is_no_secret_changes_nothing(void **state)
{
	struct engine_rig r;

	(void)state;
	engine_rig_init(&r, false);
	assert_int_equal(owner_use(&r, STR("nonsense")), ERR_INVALID);
	assert_true(opens(&r, STR(RIG_OWNER_TOKEN)));
	engine_rig_release(&r);
}

int
main(void)
{
	static const char SQLITE[] = "sqlite";
	struct suite s = { 0 };

	SUITE_TEST(&s, P3_the_secret_of_the_file_is_the_only_one);
	suite_add(&s, "P3 the secret of the file is the only one, on disk",
		  P3_the_secret_of_the_file_is_the_only_one, SQLITE);
	SUITE_TEST(&s, P3_what_is_no_secret_changes_nothing);
	return suite_run(&s, "identity_owner");
}

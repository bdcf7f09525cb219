#include "core/user_def.h"

#include "definition_rows.h"

static int
make(struct json current, int64_t now_ms, struct json body, struct arena *a,
     struct definition_text *out, struct err *e)
{
	struct definition_facts f = { .id = STR("user_1"), .now_ms = now_ms, .current = current };

	return user_def_make(&f, body, a, out, e);
}

static const struct definition_row ROWS[] = {
	/* clang-format off */
	{ "P3 a user", "{'name':'Ann'}", NULL, "{'id':'user_1','type':'user','name':'Ann','role':'user','created_at':'1970-01-01T00:00:01Z','updated_at':'1970-01-01T00:00:01Z'}" },
	{ "P3 a guest", "{'name':'Ann','role':'guest'}", NULL, "'role':'guest'" },
	{ "P3 an owner", "{'name':'Ann','role':'owner'}", NULL, "'role':'owner'" },
	{ "P3 none is no role", "{'name':'Ann','role':'none'}", NULL, "error: role: must be one of guest, user, owner" },
	{ "P3 a user has a name", "{}", NULL, "error: name: is required" },
	{ "P3 a name is not empty", "{'name':''}", NULL, "error: name: must have 1 to 256" },
	{ "P3 nothing else", "{'name':'Ann','mail':'x'}", NULL, "error: mail: unknown field" },
	{ "P3 another role", "{'name':'Ann'}", "{'role':'owner'}", "'name':'Ann','role':'owner'" },
	{ "P3 null is the usual role", "{'name':'Ann','role':'owner'}", "{'role':null}", "'role':'user'" },
	{ "P3 another name", "{'name':'Ann','role':'guest'}", "{'name':'Bo'}", "'name':'Bo','role':'guest'" },
	{ "P3 the same again", "{'name':'Ann'}", "{'name':'Ann','role':'user'}", "same" },
	/* clang-format on */
};

static void
row_holds(void **state)
{
	definition_row_holds(*state, make);
}

static void
P3_the_role_of_a_stored_user(void **state)
{
	struct arena a;

	(void)state;
	arena_init(&a);
	assert_int_equal(user_def_role(json_of("{\"role\":\"guest\"}", &a)), ROLE_GUEST);
	assert_int_equal(user_def_role(json_of("{\"role\":\"user\"}", &a)), ROLE_USER);
	assert_int_equal(user_def_role(json_of("{\"role\":\"owner\"}", &a)), ROLE_OWNER);
	assert_int_equal(user_def_role(json_of("{\"role\":\"none\"}", &a)), ROLE_NONE);
	assert_int_equal(user_def_role(json_of("[]", &a)), ROLE_NONE);
	arena_release(&a);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, row_holds);
	SUITE_TEST(&s, P3_the_role_of_a_stored_user);
	return suite_run(&s, "user_def");
}

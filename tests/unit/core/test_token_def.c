#include "core/token_def.h"

#include "definition_rows.h"

enum { NOW_MS = 60000 };

/* Quotes are written as '. */
static const struct row {
	const char *name, *body;
	const char *want; /* a part of the object, or "error: part of the refusal" */
} ROWS[] = {
	/* clang-format off */
	{ "P3 the name of the file's token is taken", "{'kind':'owner','name':'owner.token'}", "error: name: is what the token in that file is called" },
	{ "P3 an owner's token", "{'kind':'owner'}",
	  "{'id':'tok_1','type':'token','kind':'owner','name':null,'prefix':'pdr_12345678','user_id':null,'namespace':null,'environment_id':null,"
	  "'created_at':'1970-01-01T00:01:00Z','expires_at':null,'last_used_at':null,'revoked_at':null}" },
	{ "P3 an owner may be a person", "{'kind':'owner','user_id':'user_1'}", "'user_id':'user_1'" },
	{ "P3 a user's token", "{'kind':'user','user_id':'user_1','name':'laptop'}", "'kind':'user','name':'laptop','prefix':'pdr_12345678','user_id':'user_1'" },
	{ "P3 a channel's token", "{'kind':'channel','namespace':'telegram-2_x'}", "'namespace':'telegram-2_x'" },
	{ "P3 a worker's token", "{'kind':'worker'}", "'kind':'worker'" },
	{ "P3 an environment's token", "{'kind':'environment','environment_id':'env_1'}", "'environment_id':'env_1'" },
	{ "P3 it may end", "{'kind':'worker','expires_at':'1970-01-01T01:02:00+01:00'}", "'expires_at':'1970-01-01T00:02:00Z'" },
	{ "P3 null is unset", "{'kind':'worker','user_id':null,'namespace':null,'environment_id':null,'name':null,'expires_at':null}", "'expires_at':null" },
	{ "P3 a kind is required", "{}", "error: kind: is required" },
	{ "P3 another kind", "{'kind':'root'}", "error: kind: must be one of owner, user, channel, worker, environment" },
	{ "P3 a user's token needs its user", "{'kind':'user'}", "error: user_id: is required for a token of kind user" },
	{ "P3 a channel's token needs its namespace", "{'kind':'channel'}", "error: namespace: is required for a token of kind channel" },
	{ "P3 an environment's token needs its environment", "{'kind':'environment'}", "error: environment_id: is required for a token of kind environment" },
	{ "P3 a worker is no user", "{'kind':'worker','user_id':'u'}", "error: user_id: a token of kind worker has none" },
	{ "P3 a user has no namespace", "{'kind':'user','user_id':'u','namespace':'x'}", "error: namespace: a token of kind user has none" },
	{ "P3 an owner has no environment", "{'kind':'owner','environment_id':'u'}", "error: environment_id: a token of kind owner has none" },
	{ "P3 a namespace ends before the colon", "{'kind':'channel','namespace':'a:b'}", "error: namespace: must be 1 to 64 of a-z, 0-9, underscore and hyphen" },
	{ "P3 a namespace is not empty", "{'kind':'channel','namespace':''}", "error: namespace: must be 1 to 64" },
	{ "P3 a namespace of 65", "{'kind':'channel','namespace':'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'}", "error: namespace: must be 1 to 64" },
	{ "P3 a user has an id", "{'kind':'user','user_id':''}", "error: user_id: must have 1 to 200" },
	{ "P3 a name is not empty", "{'kind':'worker','name':''}", "error: name: must have 1 to 256" },
	{ "P3 it ends ahead of now", "{'kind':'worker','expires_at':'1970-01-01T00:01:00Z'}", "error: expires_at: lies in the past" },
	{ "P3 it ends at an instant", "{'kind':'worker','expires_at':'tomorrow'}", "error: expires_at: must be a time like" },
	{ "P3 it ends at no number", "{'kind':'worker','expires_at':7}", "error: expires_at: must be a string" },
	{ "P3 the secret is not a caller's", "{'kind':'worker','token':'pdr_x'}", "error: token: unknown field" },
	/* clang-format on */
};

static void
row_holds(void **state)
{
	const struct row *row = *state;
	struct token_def t = { 0 };
	struct err e = { 0 };
	struct arena a;
	struct str want;
	int rc;

	arena_init(&a);
	want = str_of(quoted(&a, row->want));
	rc = token_def_decode(json_of(quoted(&a, row->body), &a), NOW_MS, &a, &t, &e);
	if (str_starts(want, STR("error: "))) {
		assert_int_equal(rc, ERR_INVALID);
		if (!str_contains(str_of(e.text), str_slice(want, 7, want.len)))
			fail_msg("%s: '%s'", row->name, e.text);
	} else {
		if (rc != 0)
			fail_msg("%s: %s", row->name, e.text);
		t.id = STR("tok_1");
		t.prefix = STR("pdr_12345678");
		if (!str_contains(token_def_write(&t, &a), want))
			fail_msg("%s: %s", row->name, token_def_write(&t, &a).ptr);
	}
	arena_release(&a);
}

static void
P3_a_stored_token_reads_back(void **state)
{
	const struct token_def t = {
		.id = STR("tok_1"),
		.name = STR("n"),
		.prefix = STR("p"),
		.kind = TOKEN_ENVIRONMENT,
		.user_id = STR("u"),
		.namespace = STR("s"),
		.environment_id = STR("e"),
		.created_ms = 1000,
		.expires_ms = 2001,
		.last_used_ms = 3000,
		.revoked_ms = 4000,
	};
	struct token_def back = { 0 };
	struct err e = { 0 };
	struct arena a;
	struct str text;

	(void)state;
	arena_init(&a);
	text = token_def_write(&t, &a);
	assert_int_equal(token_def_read(json_of(text.ptr, &a), &a, &back, &e), 0);
	assert_int_equal(back.kind, t.kind);
	assert_int_equal(back.expires_ms, 2001);
	check_str("written again", token_def_write(&back, &a), text);
	assert_int_equal(token_def_read(json_of("{\"id\":\"x\"}", &a), &a, &back, &e), ERR_CORRUPT);
	assert_int_equal(token_def_read(json_of("{\"kind\":\"owner\"}", &a), &a, &back, &e),
			 ERR_CORRUPT);
	arena_release(&a);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, row_holds);
	SUITE_TEST(&s, P3_a_stored_token_reads_back);
	return suite_run(&s, "token_def");
}

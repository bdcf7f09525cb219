#include "core/definition.h"

#include "definition_rows.h"

static int
write_text(struct definition *d, struct json v, struct json now, struct err *e)
{
	(void)now;
	return definition_write_text(d, v, 2, 3, e);
}

static int
write_any(struct definition *d, struct json v, struct json now, struct err *e)
{
	(void)now;
	if (!json_is_set(v)) {
		jw_null(&d->w);
		return 0;
	}
	return definition_write_copy(d, v, e);
}

static void
keep_version(struct definition *d, struct json now)
{
	if (json_type(now) == JSON_NULL)
		jw_null(&d->w);
	else
		jw_int(&d->w, d->version);
}

static const struct definition_member MEMBERS[] = {
	{ "name", JSON_WANT_STRING, true, definition_write_name, NULL },
	{ "text", JSON_WANT_STRING | JSON_WANT_NULL, false, write_text, NULL },
	{ "any", JSON_WANT_ANY, false, write_any, NULL },
	{ "last", JSON_WANT_ANY, false, write_any, keep_version },
};
static const struct definition_kind THING = {
	.type = "thing",
	.versioned = true,
	.members = MEMBERS,
	.count = ARRAY_LEN(MEMBERS),
};

static int
make(struct json current, int64_t now_ms, struct json body, struct arena *a,
     struct definition_text *out, struct err *e)
{
	struct definition_facts f = { .id = STR("t_1"), .now_ms = now_ms, .current = current };

	return definition_make(&THING, &f, body, a, out, e);
}

static const struct definition_row ROWS[] = {
	/* clang-format off */
	{ "M1 members in the table's order", "{'text':'ab','name':'n'}", NULL,
	  "{'id':'t_1','type':'thing','version':1,'name':'n','text':'ab','any':null,'last':null,'created_at':'1970-01-01T00:00:01Z','updated_at':'1970-01-01T00:00:01Z'}" },
	{ "M1 a text below its length", "{'name':'n','text':'a'}", NULL, "error: text: must have 2 to 3 characters, not 1" },
	{ "M1 a text above its length", "{'name':'n','text':'abcd'}", NULL, "error: text: must have 2 to 3 characters, not 4" },
	{ "M1 a copy has no blanks", "{'name':'n','any':{ 'a' : [ 1 , 'x y' ] , 'b' : { } }}", NULL, "'any':{'a':[1,'x y'],'b':{}}" },
	{ "M1 a copy keeps numbers as they are", "{'name':'n','any':[1.0,1e2,-0]}", NULL, "'any':[1.0,1e2,-0]" },
	{ "M1 a member that is kept its own way", "{'name':'n','last':1}", "{'name':'m'}", "'last':2" },
	{ "M1 kept its own way is no change", "{'name':'n','last':1}", "{}", "same" },
	{ "M1 the other spelling is no change", "{'name':'n','any':{'a':1,'b':2}}", "{'any':{'b':2,'a':1}}", "same" },
	{ "M1 another number is a change", "{'name':'n','any':1}", "{'any':1.0}", "'any':1.0" },
	{ "M1 an expected version of null is none", "{'name':'n'}", "{'version':null,'name':'m'}", "'version':2" },
	{ "M1 a version beyond all", "{'name':'n'}", "{'version':9223372036854775808}", "error: version: must be an integer" },
	/* clang-format on */
};

static void
row_holds(void **state)
{
	definition_row_holds(*state, make);
}

static void
M1_the_version_of_a_stored_object(void **state)
{
	struct arena a;

	(void)state;
	arena_init(&a);
	assert_int_equal(definition_version(json_of("{\"version\":12}", &a)), 12);
	assert_int_equal(definition_version(json_of("{}", &a)), 0);
	assert_false(definition_is_archived(json_of("{\"archived_at\":null}", &a)));
	assert_false(definition_is_archived((struct json){ 0 }));
	assert_true(definition_is_archived(json_of("{\"archived_at\":\"x\"}", &a)));
	arena_release(&a);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, row_holds);
	SUITE_TEST(&s, M1_the_version_of_a_stored_object);
	return suite_run(&s, "definition");
}

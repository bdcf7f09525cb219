#include "base/json.h"
#include "harness.h"

/* The object every row is read as: {"in":{...}}, so that paths have a beginning. */
static const char *const MODES[] = { "daily", "idle", "both" };

struct taken {
	struct json name, count, flag, any, list, mode, both;
};

static int
take(struct json v, struct taken *t, struct err *e)
{
	const struct json_field fields[] = {
		{ "name", JSON_WANT_STRING, true, &t->name },
		{ "count", JSON_WANT_NUMBER | JSON_WANT_NULL, false, &t->count },
		{ "flag", JSON_WANT_BOOL, false, &t->flag },
		{ "any", JSON_WANT_ANY, false, &t->any },
		{ "list", JSON_WANT_ARRAY | JSON_WANT_OBJECT, false, &t->list },
		{ "mode", JSON_WANT_STRING, false, &t->mode },
		{ "both_or_null", JSON_WANT_STRING | JSON_WANT_NULL, true, &t->both },
	};

	return json_fields(v, fields, ARRAY_LEN(fields), e);
}

static int
take_values(const struct taken *t, struct err *e)
{
	int64_t count = -7;
	bool flag = true;
	size_t mode = 99;
	int rc = json_take_int(t->count, 0, 23, &count, e);

	if (rc == 0)
		rc = json_take_bool(t->flag, &flag, e);
	if (rc == 0)
		rc = json_take_word(t->mode, MODES, ARRAY_LEN(MODES), &mode, e);
	if (rc == 0 && !json_is_set(t->count))
		assert_int_equal(count, -7);
	if (rc == 0 && !json_is_set(t->mode))
		assert_int_equal(mode, 99);
	return rc;
}

static const struct row {
	const char *name;
	const char *json;
	const char *want; /* the message; NULL: accepted */
} rows[] = {
	{ "fields all given",
	  "{\"name\":\"x\",\"count\":23,\"flag\":false,\"any\":[],\"list\":{},\"mode\":\"idle\","
	  "\"both_or_null\":\"b\"}",
	  NULL },
	{ "fields optional ones missing", "{\"name\":\"x\",\"both_or_null\":\"b\"}", NULL },
	{ "fields null where null means absent",
	  "{\"name\":\"x\",\"both_or_null\":\"b\",\"count\":null}", NULL },
	{ "fields named with escapes", "{\"n\\u0061me\":\"x\",\"both_or_null\":\"b\"}", NULL },
	{ "fields required one missing", "{\"both_or_null\":\"b\"}", "in.name: is required" },
	{ "fields required one null", "{\"name\":\"x\",\"both_or_null\":null}",
	  "in.both_or_null: is required and must not be null" },
	{ "fields null refused", "{\"name\":null,\"both_or_null\":\"b\"}",
	  "in.name: must be a string, not null" },
	{ "fields null refused for an optional one",
	  "{\"name\":\"x\",\"flag\":null,\"both_or_null\":\"b\"}",
	  "in.flag: must be true or false, not null" },
	{ "fields wrong type", "{\"name\":5}", "in.name: must be a string, not a number" },
	{ "fields wrong type with null allowed", "{\"count\":\"5\"}",
	  "in.count: must be a number or null, not a string" },
	{ "fields wrong type of several", "{\"list\":true}",
	  "in.list: must be an array or an object, not a boolean" },
	{ "fields unknown, near one", "{\"nmae\":\"x\"}",
	  "in.nmae: unknown field; did you mean 'name'?" },
	{ "fields unknown, one letter more", "{\"counts\":1}",
	  "in.counts: unknown field; did you mean 'count'?" },
	{ "fields unknown, near none", "{\"zebra_crossing\":1}",
	  "in.zebra_crossing: unknown field; known are name, count, flag, any, list, mode, "
	  "both_or_null" },
	{ "fields unknown and empty", "{\"\":1}",
	  "in[\"\"]: unknown field; known are name, count, flag, any, list, mode, both_or_null" },
	{ "fields of an array", "[]", "in: must be an object, not an array" },
	{ "fields of null", "null", "in: must be an object, not null" },
	{ "int above its range", "{\"name\":\"x\",\"both_or_null\":\"b\",\"count\":24}",
	  "in.count: must be an integer from 0 to 23, not 24" },
	{ "int below its range", "{\"name\":\"x\",\"both_or_null\":\"b\",\"count\":-1}",
	  "in.count: must be an integer from 0 to 23, not -1" },
	{ "int with a fraction", "{\"name\":\"x\",\"both_or_null\":\"b\",\"count\":1.5}",
	  "in.count: must be an integer from 0 to 23, not 1.5" },
	{ "int written as 1e1", "{\"name\":\"x\",\"both_or_null\":\"b\",\"count\":1e1}", NULL },
	{ "word unknown", "{\"name\":\"x\",\"both_or_null\":\"b\",\"mode\":\"weekly\"}",
	  "in.mode: must be one of daily, idle, both; not \"weekly\"" },
};

static void
takes_objects_apart(void **state)
{
	const struct row *row = *state;
	struct json_doc doc;
	struct err e = { 0 };
	struct json in;
	struct taken t;
	struct arena a;
	int rc;

	arena_init(&a);
	memset(&t, 0xff, sizeof t); /* what is not given must be made absent */
	assert_int_equal(json_parse(&a, arena_printf(&a, "{\"in\":%s}", row->json),
				    &JSON_LIMITS_DEFAULT, &doc, &e),
			 0);
	assert_true(json_find(json_root(&doc), STR("in"), &in));
	rc = take(in, &t, &e);
	if (rc == 0)
		rc = take_values(&t, &e);
	if (!row->want && rc != 0)
		fail_msg("refused: %s", e.text);
	if (row->want) {
		assert_int_equal(rc, ERR_INVALID);
		assert_string_equal(e.text, row->want);
	}
	arena_release(&a);
}

struct fixture {
	struct arena a;
	struct json_doc doc;
	struct err e;
};

static struct json
parse(struct fixture *f, const char *text)
{
	arena_init(&f->a);
	f->e = (struct err){ 0 };
	assert_int_equal(json_parse(&f->a, str_of(text), &JSON_LIMITS_DEFAULT, &f->doc, &f->e), 0);
	return json_root(&f->doc);
}

static void
null_is_absent_or_itself_as_wanted(void **state)
{
	struct fixture f;
	struct json v =
		parse(&f, "{\"count\":null,\"any\":null,\"name\":\"\",\"both_or_null\":\"\"}");
	struct taken t;

	(void)state;
	assert_int_equal(take(v, &t, &f.e), 0);
	assert_false(json_is_set(t.count));
	assert_true(json_is_set(t.any));
	assert_int_equal(json_type(t.any), JSON_NULL);
	assert_false(json_is_set(t.flag));
	arena_release(&f.a);
}

static void
taken_values_arrive(void **state)
{
	struct fixture f;
	struct json v = parse(&f, "[true,false,-5,\"a\\nb\",\"both\",null]"), at[6];
	struct json_iter it = json_iter(v);
	bool flag = false;
	int64_t number = 0;
	size_t word = 0;
	struct str text = { 0 };

	(void)state;
	while (json_next(&it))
		at[it.index] = it.value;
	assert_int_equal(json_take_bool(at[0], &flag, &f.e), 0);
	assert_true(flag);
	assert_int_equal(json_take_bool(at[1], &flag, &f.e), 0);
	assert_false(flag);
	assert_int_equal(json_take_int(at[2], INT64_MIN, INT64_MAX, &number, &f.e), 0);
	assert_int_equal(number, -5);
	assert_int_equal(json_take_str(at[3], &f.a, &text, &f.e), 0);
	check_str("text", text, STR("a\nb"));
	assert_int_equal(json_take_word(at[4], MODES, 3, &word, &f.e), 0);
	assert_int_equal(word, 2);
	/* and refusals leave them alone */
	assert_int_equal(json_take_bool(at[5], &flag, &f.e), ERR_INVALID);
	assert_string_equal(f.e.text, "[5]: must be true or false, not null");
	assert_int_equal(json_take_int(at[3], 0, 9, &number, &f.e), ERR_INVALID);
	assert_string_equal(f.e.text, "[3]: must be an integer, not a string");
	assert_int_equal(json_take_int(at[2], 0, INT64_MAX, &number, &f.e), ERR_INVALID);
	assert_string_equal(f.e.text, "[2]: must be an integer of at least 0, not -5");
	assert_int_equal(json_take_str(at[0], &f.a, &text, &f.e), ERR_INVALID);
	assert_string_equal(f.e.text, "[0]: must be a string, not a boolean");
	assert_int_equal(json_take_word(at[2], MODES, 3, &word, &f.e), ERR_INVALID);
	assert_string_equal(f.e.text, "[2]: must be one of daily, idle, both; not a number");
	assert_int_equal(number, -5);
	assert_int_equal(word, 2);
	arena_release(&f.a);
}

static void
absent_values_keep_the_default(void **state)
{
	struct json absent = { 0 };
	bool flag = true;
	int64_t number = 7;
	size_t word = 3;
	struct str text = STR("default");

	(void)state;
	assert_int_equal(json_take_bool(absent, &flag, NULL), 0);
	assert_int_equal(json_take_int(absent, 0, 1, &number, NULL), 0);
	assert_int_equal(json_take_word(absent, MODES, 3, &word, NULL), 0);
	assert_int_equal(json_take_str(absent, NULL, &text, NULL), 0);
	assert_true(flag && number == 7 && word == 3);
	check_str("text", text, STR("default"));
}

static void
a_failure_carries_the_path(void **state)
{
	struct fixture f;
	struct json v = parse(&f, "{\"a\":[{\"b\":1}]}");

	(void)state;
	assert_int_equal(json_fail(v, &f.e, "is %s", "wrong"), ERR_INVALID);
	assert_string_equal(f.e.text, "is wrong");
	assert_int_equal(json_fail((struct json){ v.doc, 5 }, &f.e, "is %d", 1), ERR_INVALID);
	assert_string_equal(f.e.text, "a[0].b: is 1");
	assert_int_equal(json_fail((struct json){ 0 }, &f.e, "is nowhere"), ERR_INVALID);
	assert_string_equal(f.e.text, "is nowhere");
	assert_int_equal(json_fail(v, NULL, "is %s", "unheard"), ERR_INVALID);
	arena_release(&f.a);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, rows, takes_objects_apart);
	SUITE_TEST(&s, null_is_absent_or_itself_as_wanted);
	SUITE_TEST(&s, taken_values_arrive);
	SUITE_TEST(&s, absent_values_keep_the_default);
	SUITE_TEST(&s, a_failure_carries_the_path);
	return suite_run(&s, "json_fields");
}

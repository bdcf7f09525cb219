#include "core/metadata.h"

#include "json_of.h"

static const struct row {
	const char *name, *now, *patch; /* NULL: absent */
	const char *want;               /* or "error: part of the refusal" */
} ROWS[] = {
	/* clang-format off */
	{ "M1 nothing is an empty object", NULL, NULL, "{}" },
	{ "M1 pairs", NULL, "{\"a\":\"1\",\"b\":\"\"}", "{\"a\":\"1\",\"b\":\"\"}" },
	{ "M1 what is not named stays", "{\"a\":\"1\"}", "{\"b\":\"2\"}", "{\"a\":\"1\",\"b\":\"2\"}" },
	{ "M1 no patch leaves all", "{\"a\":\"1\"}", NULL, "{\"a\":\"1\"}" },
	{ "M1 a value changes in its place", "{\"a\":\"1\",\"b\":\"2\"}", "{\"a\":\"3\"}", "{\"a\":\"3\",\"b\":\"2\"}" },
	{ "M1 null deletes a key", "{\"a\":\"1\",\"b\":\"2\"}", "{\"a\":null}", "{\"b\":\"2\"}" },
	{ "M1 null for what is not there", "{\"a\":\"1\"}", "{\"x\":null}", "{\"a\":\"1\"}" },
	{ "M1 an escaped key is the same key", "{\"a\":\"1\"}", "{\"\\u0061\":\"2\"}", "{\"a\":\"2\"}" },
	{ "M1 a value is a text", NULL, "{\"a\":1}", "error: a: must be a string, not number" },
	{ "M1 a value is no object", NULL, "{\"a\":{}}", "error: a: must be a string, not object" },
	{ "M1 a key is not empty", NULL, "{\"\":\"x\"}", "error: a key has 1 to 64 characters, not 0" },
	{ "M1 pairs stand in an object", NULL, "[]", "error: must be an object, not array" },
	{ "M1 a key of 65", NULL, "{\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\":\"x\"}", "error: a key has 1 to 64 characters, not 65" },
	{ "M1 sixteen, and one goes for one that comes", "{\"1\":\"\",\"2\":\"\",\"3\":\"\",\"4\":\"\",\"5\":\"\",\"6\":\"\",\"7\":\"\",\"8\":\"\",\"9\":\"\",\"10\":\"\",\"11\":\"\",\"12\":\"\",\"13\":\"\",\"14\":\"\",\"15\":\"\",\"16\":\"\"}", "{\"1\":null,\"17\":\"\"}",
	  "{\"2\":\"\",\"3\":\"\",\"4\":\"\",\"5\":\"\",\"6\":\"\",\"7\":\"\",\"8\":\"\",\"9\":\"\",\"10\":\"\",\"11\":\"\",\"12\":\"\",\"13\":\"\",\"14\":\"\",\"15\":\"\",\"16\":\"\",\"17\":\"\"}" },
	{ "M1 seventeen", "{\"1\":\"\",\"2\":\"\",\"3\":\"\",\"4\":\"\",\"5\":\"\",\"6\":\"\",\"7\":\"\",\"8\":\"\",\"9\":\"\",\"10\":\"\",\"11\":\"\",\"12\":\"\",\"13\":\"\",\"14\":\"\",\"15\":\"\",\"16\":\"\"}", "{\"17\":\"\"}", "error: must leave at most 16 pairs, not 17" },
	{ "M1 a patch of too many keys", NULL, "{\"0\":null,\"1\":null,\"2\":null,\"3\":null,\"4\":null,\"5\":null,\"6\":null,\"7\":null,\"8\":null,\"9\":null,\"10\":null,\"11\":null,\"12\":null,\"13\":null,\"14\":null,\"15\":null,\"16\":null,\"17\":null,\"18\":null,\"19\":null,\"20\":null,\"21\":null,\"22\":null,\"23\":null,\"24\":null,\"25\":null,\"26\":null,\"27\":null,\"28\":null,\"29\":null,\"30\":null,\"31\":null,\"32\":null,\"33\":null,\"34\":null,\"35\":null,\"36\":null,\"37\":null,\"38\":null,\"39\":null,\"40\":null,\"41\":null,\"42\":null,\"43\":null,\"44\":null,\"45\":null,\"46\":null,\"47\":null,\"48\":null,\"49\":null,\"50\":null,\"51\":null,\"52\":null,\"53\":null,\"54\":null,\"55\":null,\"56\":null,\"57\":null,\"58\":null,\"59\":null,\"60\":null,\"61\":null,\"62\":null,\"63\":null,\"64\":null}", "error: must have at most 64 keys, those of null included" },
	/* clang-format on */
};

static void
row_holds(void **state)
{
	const struct row *row = *state;
	struct str want = str_of(row->want);
	struct err e = { 0 };
	struct arena a;
	struct buf out;
	struct jw w;
	int rc;

	arena_init(&a);
	buf_init(&out, 10000);
	jw_init(&w, &out);
	rc = metadata_merge(row->now ? json_of(row->now, &a) : (struct json){ 0 },
			    row->patch ? json_of(row->patch, &a) : (struct json){ 0 }, &a, &w, &e);
	if (str_starts(want, STR("error: "))) {
		assert_int_equal(rc, ERR_INVALID);
		if (!str_contains(str_of(e.text), str_slice(want, 7, want.len)))
			fail_msg("%s: '%s'", row->name, e.text);
	} else {
		if (rc != 0)
			fail_msg("%s: %s", row->name, e.text);
		check_str(row->name, buf_str(&out), want);
	}
	buf_release(&out);
	arena_release(&a);
}

static void
M1_a_value_has_512_characters(void **state)
{
	(void)state;
	for (int more = 0; more < 2; more++) {
		struct err e = { 0 };
		struct arena a;
		struct buf out;
		struct jw w;

		arena_init(&a);
		buf_init(&out, 10000);
		jw_init(&w, &out);
		assert_int_equal(metadata_merge((struct json){ 0 },
						json_of(arena_printf(&a, "{\"%064d\":\"%0*d\"}", 0,
								     512 + more, 0)
								.ptr,
							&a),
						&a, &w, &e),
				 more ? ERR_INVALID : 0);
		buf_release(&out);
		arena_release(&a);
	}
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, row_holds);
	SUITE_TEST(&s, M1_a_value_has_512_characters);
	return suite_run(&s, "metadata");
}

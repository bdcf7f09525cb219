#include "base/json_members.h"

#include "base/json.h"
#include "harness.h"

static const struct row {
	const char *name, *text,
		*want; /* the members as key=value, a blank between; or what it says */
} ROWS[] = {
	{ "K5 members one after the other", "{\"a\":1,\"b\":[1,{}],\"c\":\"x\"}",
	  "\"a\"=1 \"b\"=[1,{}] \"c\"=\"x\"" },
	{ "K5 blanks anywhere", " { \"a\" :\t1 ,\n\"b\"\r: {} } ", "\"a\"=1 \"b\"={}" },
	{ "K5 none", "{}", "" },
	{ "K5 none, with blanks", " { } \n", "" },
	{ "K5 brackets in texts do not count", "{\"a]}\":{\"b\":\"}]\\\"}\"},\"c\":null}",
	  "\"a]}\"={\"b\":\"}]\\\"}\"} \"c\"=null" },
	{ "K5 a value is not judged", "{\"a\":[1},\"b\":tru}", "\"a\"=[1} \"b\"=tru" },
	{ "K5 no text", "", "ends too early (offset 0)" },
	{ "K5 no object", "[1]", "an object is expected (offset 0)" },
	{ "K5 a text that ends in a member", "{\"a\":1", "ends too early (offset 6)" },
	{ "K5 a text that ends in a string", "{\"a\":\"b", "ends too early" },
	{ "K5 a text that ends in an escape", "{\"a\":\"b\\", "ends too early" },
	{ "K5 a text that ends in a value", "{\"a\":{\"b\":[]", "ends too early" },
	{ "K5 a comma too many", "{\"a\":1,}", "the name of a member is expected (offset 7)" },
	{ "K5 a comma first", "{,\"a\":1}", "the name of a member is expected (offset 1)" },
	{ "K5 a comma missing", "{\"a\":1 \"b\":2}", "a comma or the end of the object" },
	{ "K5 a colon missing", "{\"a\" 1}", "a colon is expected (offset 5)" },
	{ "K5 a name that is no string", "{a:1}", "the name of a member" },
	{ "K5 something behind it", "{\"a\":1}x", "the end of the text is expected (offset 7)" },
	{ "K5 a member that is too large", "{\"a\":\"0123456789012345678901234567890123456789\"}",
	  "a member has more than 40 bytes (before offset 40)" },
	{ "K5 blanks are bounded too", "{\"a\":1}                                            ",
	  "a member has more than 40 bytes" },
};

static void
check_row(void **state)
{
	const struct row *r = *state;
	struct json_members m;
	struct json_member member;
	bool found = true;
	struct err e;
	struct buf out;
	int rc = 0;

	buf_init(&out, 1000);
	json_members_init(&m, str_of(r->text), 40);
	while (rc == 0 && found) {
		rc = json_members_next(&m, &member, &found, &e);
		if (rc != 0 || !found)
			continue;
		assert_ptr_equal(member.value.ptr, r->text + member.offset);
		buf_printf(&out, "%s" STR_FMT "=" STR_FMT, out.len > 0 ? " " : "",
			   STR_ARG(member.key), STR_ARG(member.value));
	}
	if (rc != 0)
		assert_true(str_contains(str_of(e.text), str_of(r->want)));
	else
		check_str(r->name, buf_str(&out), str_of(r->want));
	buf_release(&out);
}

static void
K5_behind_the_end_there_is_nothing(void **state)
{
	struct json_member member;
	struct json_members m;
	bool found = true;
	struct err e;

	(void)state;
	json_members_init(&m, STR("{}"), 100);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(json_members_next(&m, &member, &found, &e), 0);
		assert_false(found);
	}
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, check_row);
	SUITE_TEST(&s, K5_behind_the_end_there_is_nothing);
	return suite_run(&s, "base/json_members");
}

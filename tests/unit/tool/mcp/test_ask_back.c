#include "tool/mcp/ask_back.h"

#include "harness.h"

static const struct row {
	const char *name, *method, *params, *want; /* ' stands for "; want !: refused */
	bool accepts_defaults;
} ROWS[] = {
	{ "T10 ping", "ping", "{}", "{}", false },
	{ "T10 a form is declined", "elicitation/create",
	  "{'message':'?','requestedSchema':{'type':'object','properties':{}}}",
	  "{'action':'decline'}", false },
	{ "T10 a form with defaults", "elicitation/create",
	  "{'requestedSchema':{'properties':{'a':{'default':1.50},'b':{'type':'string'},'c':{'"
	  "default':'x'}}}}",
	  "{'action':'accept','content':{'a':1.50,'c':'x'}}", true },
	{ "T10 a form whose required field has none", "elicitation/create",
	  "{'requestedSchema':{'properties':{'a':{'type':'string'}},'required':['a']}}",
	  "{'action':'decline'}", true },
	{ "T10 a form whose required field has one", "elicitation/create",
	  "{'mode':'form','requestedSchema':{'properties':{'a':{'default':true}},'required':['a']}"
	  "}",
	  "{'action':'accept','content':{'a':true}}", true },
	{ "T10 an address to visit", "elicitation/create", "{'mode':'url','url':'https://x'}",
	  "{'action':'decline'}", true },
	{ "T10 a form without a schema", "elicitation/create", "{}", "{'action':'decline'}", true },
	{ "T10 a model is not lent", "sampling/createMessage", "{}", "!", true },
	{ "T10 folders are not shown", "roots/list", "{}", "!", true },
};

static struct str
quoted(struct arena *a, const char *text)
{
	struct str s = arena_str(a, str_of(text));

	for (char *p = (char *)(uintptr_t)s.ptr; *p; p++)
		*p = *p == '\'' ? '"' : *p;
	return s;
}

static struct json
parse(struct arena *a, const char *text)
{
	struct json_doc *doc = ARENA_NEW(a, struct json_doc);

	assert_int_equal(json_parse(a, quoted(a, text), &JSON_LIMITS_DEFAULT, doc, NULL), 0);
	return json_root(doc);
}

static void
row_holds(void **state)
{
	const struct row *row = *state;
	struct arena a;
	struct buf out;
	struct err e;
	struct jw w;
	int rc;

	arena_init(&a);
	buf_init(&out, 4096);
	jw_init(&w, &out);
	rc = ask_back_answer(str_of(row->method), parse(&a, row->params), row->accepts_defaults, &w,
			     &e);
	assert_int_equal(rc, row->want[0] == '!' ? ERR_INVALID : 0);
	if (rc == 0)
		check_str("answer", buf_str(&out), quoted(&a, row->want));
	else
		assert_true(str_contains(str_of(e.text), str_of(row->method)));
	buf_release(&out);
	arena_release(&a);
}

static void
T10_all_questions_of_a_call(void **state)
{
	struct arena a;
	struct buf out;
	struct err e;
	struct jw w;

	(void)state;
	arena_init(&a);
	buf_init(&out, 4096);
	jw_init(&w, &out);
	assert_int_equal(ask_back_answer_all(parse(&a, "{'x y':{'method':'elicitation/create'},"
						       "'b':{'method':'ping','params':{}}}"),
					     false, &w, &e),
			 0);
	check_str("answers", buf_str(&out), quoted(&a, "{'x y':{'action':'decline'},'b':{}}"));
	buf_clear(&out);
	jw_init(&w, &out);
	assert_int_equal(
		ask_back_answer_all(parse(&a, "{'a':{'method':'roots/list'}}"), false, &w, &e),
		ERR_INVALID);
	buf_clear(&out);
	jw_init(&w, &out);
	assert_int_equal(ask_back_answer_all(parse(&a, "{'a':5}"), false, &w, &e), ERR_INVALID);
	buf_release(&out);
	arena_release(&a);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, row_holds);
	SUITE_TEST(&s, T10_all_questions_of_a_call);
	return suite_run(&s, "tool/mcp/ask_back");
}

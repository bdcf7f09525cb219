#include "core/directive_args.h"

#include "harness.h"

static const struct row {
	const char *name, *args;
	const char *refusal; /* NULL: accepted */
	enum directive_outcome outcome;
	int64_t follow_up_s; /* -1: none */
	size_t wakes, learnings;
} ROWS[] = {
	{ "T16 sleep", "{'outcome':'sleep'}", NULL, DIRECTIVE_SLEEP, -1, 0, 0 },
	{ "T16 continue in a while", "{'outcome':'continue','follow_up_seconds':60}", NULL,
	  DIRECTIVE_CONTINUE, 60, 0, 0 },
	{ "T16 nulls are nothing",
	  "{'outcome':'sleep','follow_up_seconds':null,'wakes':null,'learnings':null}", NULL,
	  DIRECTIVE_SLEEP, -1, 0, 0 },
	{ "T16 wakes and learnings",
	  "{'outcome':'sleep','wakes':[{'delay_seconds':5,'reason':'a','note':'n'},"
	  "{'delay_seconds':6,'reason':'b','note':null}],'learnings':[{'title':'t'},"
	  "{'title':'u','detail':'d'}]}",
	  NULL, DIRECTIVE_SLEEP, -1, 2, 2 },
	{ "T16 no outcome", "{}", "outcome", 0, 0, 0, 0 },
	{ "T16 an outcome there is none of", "{'outcome':'stop'}", "sleep", 0, 0, 0, 0 },
	{ "T16 no object", "[]", "object", 0, 0, 0, 0 },
	{ "T16 a member there is none of", "{'outcome':'sleep','wake':[]}", "wakes", 0, 0, 0, 0 },
	{ "T16 half a second", "{'outcome':'sleep','follow_up_seconds':0.5}", "follow_up_seconds",
	  0, 0, 0, 0 },
	{ "T16 a wake without delay", "{'outcome':'sleep','wakes':[{'reason':'r'}]}",
	  "wakes[0].delay_seconds", 0, 0, 0, 0 },
	{ "T16 a wake that is a number", "{'outcome':'sleep','wakes':[7]}", "wakes[0]", 0, 0, 0,
	  0 },
	{ "T16 a learning without title", "{'outcome':'sleep','learnings':[{'detail':'d'}]}",
	  "learnings[0].title", 0, 0, 0, 0 },
	{ "T16 a learning that is a text", "{'outcome':'sleep','learnings':['x']}", "learnings[0]",
	  0, 0, 0, 0 },
	{ "T16 four wakes are refused as the policy says",
	  "{'outcome':'sleep','wakes':[{'delay_seconds':5,'reason':'a'},{'delay_seconds':5,"
	  "'reason':'a'},{'delay_seconds':5,'reason':'a'},{'delay_seconds':5,'reason':'a'}]}",
	  "wakes: 4", 0, 0, 0, 0 },
};

static void
row_holds(void **state)
{
	const struct row *r = *state;
	struct directive d;
	struct json_doc doc;
	struct arena a;
	struct err e = { 0 };
	struct str text;
	int rc;

	arena_init(&a);
	text = arena_str(&a, str_of(r->args));
	for (size_t i = 0; i < text.len; i++)
		if (text.ptr[i] == '\'')
			((char *)text.ptr)[i] = '"';
	assert_int_equal(json_parse(&a, text, &JSON_LIMITS_DEFAULT, &doc, &e), 0);
	rc = directive_args_read(json_root(&doc), &a, &d, &e);
	if ((rc != 0) != (r->refusal != NULL))
		fail_msg("%s: %s", r->name, e.text);
	if (r->refusal && !str_contains(str_of(e.text), str_of(r->refusal)))
		fail_msg("%s: %s", r->name, e.text);
	if (rc == 0) {
		assert_int_equal(d.outcome, r->outcome);
		assert_int_equal(d.has_follow_up ? d.follow_up_s : -1, r->follow_up_s);
		assert_int_equal(d.wake_count, r->wakes);
		assert_int_equal(d.learning_count, r->learnings);
	}
	arena_release(&a);
}

static void
T16_every_member_arrives(void **state)
{
	struct directive d;
	struct json_doc doc;
	struct arena a;
	struct err e;

	(void)state;
	arena_init(&a);
	assert_int_equal(json_parse(&a,
				    STR("{\"outcome\":\"continue\",\"wakes\":[{\"delay_seconds\":7,"
					"\"reason\":\"r\",\"note\":\"n\"}],\"learnings\":[{"
					"\"title\":\"t\",\"detail\":\"d\"}]}"),
				    &JSON_LIMITS_DEFAULT, &doc, &e),
			 0);
	assert_int_equal(directive_args_read(json_root(&doc), &a, &d, &e), 0);
	assert_int_equal(d.wakes[0].delay_s, 7);
	check_str("reason", d.wakes[0].reason, STR("r"));
	check_str("note", d.wakes[0].note, STR("n"));
	check_str("title", d.learnings[0].title, STR("t"));
	check_str("detail", d.learnings[0].detail, STR("d"));
	arena_release(&a);
}

static void
T16_the_schema_is_json(void **state)
{
	struct json_doc doc;
	struct arena a;
	struct err e;

	(void)state;
	arena_init(&a);
	assert_int_equal(json_parse(&a, STR(DIRECTIVE_ARGS_SCHEMA), &JSON_LIMITS_DEFAULT, &doc, &e),
			 0);
	arena_release(&a);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, row_holds);
	SUITE_TEST(&s, T16_every_member_arrives);
	SUITE_TEST(&s, T16_the_schema_is_json);
	return suite_run(&s, "core/directive_args");
}

#include "core/model_override.h"

#include "core/event.h"
#include "harness.h"

static struct json
parse(struct arena *a, const char *text)
{
	struct json_doc *doc = ARENA_NEW(a, struct json_doc);
	struct err e;

	if (text[0] == '\0')
		return (struct json){ 0 };
	if (json_parse(a, str_of(text), &JSON_LIMITS_DEFAULT, doc, &e) != 0)
		fail_msg("%s: %s", text, e.text);
	return json_root(doc);
}

static const struct before_row {
	const char *name, *extra, *agent, *want;
} BEFORE[] = {
	{ "R5 the agent's model", "", "{\"id\":\"m\",\"model\":{\"id\":\"x\"}}", "{\"id\":\"x\"}" },
	{ "R5 of two choices the first tells", "{\"model_before\":\"first\"}",
	  "{\"model\":\"second\"}", "\"first\"" },
	{ "R5 the server's default", "{\"budget\":1}", "{\"id\":\"m\"}", "null" },
};

static void
before_is(void **state)
{
	const struct before_row *row = *state;
	struct arena a;

	arena_init(&a);
	check_str("before", model_override_before(parse(&a, row->extra), parse(&a, row->agent)),
		  str_of(row->want));
	arena_release(&a);
}

static const struct clear_row {
	const char *name, *extra;
	const char *body, *agent; /* NULL: nothing to clear */
} CLEAR[] = {
	{ "R5 nothing was chosen", "{\"agent\":{\"model\":\"own\"},\"budget\":1}", NULL, NULL },
	{ "R5 nothing at all", "", NULL, NULL },
	{ "R5 an agent that is none", "{\"model_before\":1,\"agent\":2}", NULL, NULL },
	{ "R5 the model is back in its place and the rest stays",
	  "{\"agent\":{\"id\":\"m\",\"model\":{\"id\":\"y\",\"effort\":{\"type\":\"high\"}},"
	  "\"tools\":[]},\"model_before\":{\"id\":\"x\"},\"budget\":{\"a\":1}}",
	  "{\"agent\":{\"id\":\"m\",\"model\":{\"id\":\"x\"},\"tools\":[]},\"budget\":{\"a\":1}}",
	  "{\"id\":\"m\",\"model\":{\"id\":\"x\"},\"tools\":[]}" },
	{ "R5 the server's default is back", "{\"model_before\":null,\"agent\":{\"model\":\"y\"}}",
	  "{\"agent\":{\"model\":null}}", "{\"model\":null}" },
};

static void
clear_gives(void **state)
{
	const struct clear_row *row = *state;
	struct str body, agent;
	struct arena a;

	arena_init(&a);
	assert_int_equal(model_override_clear(parse(&a, row->extra), &a, &body, &agent),
			 row->body != NULL);
	if (row->body) {
		check_str("body", body, str_of(row->body));
		check_str("agent", agent, str_of(row->agent));
	}
	arena_release(&a);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, BEFORE, before_is);
	SUITE_ROWS(&s, CLEAR, clear_gives);
	return suite_run(&s, "core/model_override");
}

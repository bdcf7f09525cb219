#include "api/openapi_schemas.h"

#include "api/exchange.h"
#include "harness.h"

static struct buf ALL;

/* The schema of that name, as written. */
static struct str
schema(struct arena *a, const char *name)
{
	struct json_doc *doc = ARENA_NEW(a, struct json_doc);
	struct json found;
	struct err e;

	assert_int_equal(json_parse(a, buf_str(&ALL), &JSON_LIMITS_DEFAULT, doc, &e), 0);
	if (!json_find(json_root(doc), str_of(name), &found))
		fail_msg("no schema %s", name);
	return json_raw(found);
}

static const struct row {
	const char *name, *schema, *part;
} ROWS[] = {
	{ "required", "User",
	  "{\"type\":\"object\",\"required\":[\"id\",\"type\",\"name\",\"role\"]," },
	{ "nothing required", "UserUpdate", "{\"type\":\"object\",\"properties\":{\"name\":{" },
	{ "text", "User", "\"name\":{\"type\":\"string\"}" },
	{ "a constant", "User", "\"type\":{\"const\":\"user\"}" },
	{ "one of some words", "User", "\"role\":{\"enum\":[\"owner\",\"user\",\"guest\"]}" },
	{ "a number", "Agent", "\"version\":{\"type\":\"integer\"}" },
	{ "a number or nothing", "MessagePosted",
	  "\"queue_position\":{\"type\":[\"integer\",\"null\"]}" },
	{ "a truth value", "MessagePosted", "\"triggered\":{\"type\":\"boolean\"}" },
	{ "an instant or nothing", "Agent",
	  "\"archived_at\":{\"type\":[\"string\",\"null\"],\"format\":\"date-time\"}" },
	{ "a map of texts", "Agent",
	  "\"metadata\":{\"type\":\"object\",\"additionalProperties\":{\"type\":\"string\"}}" },
	{ "a list of objects", "Agent",
	  "\"tools\":{\"type\":\"array\",\"items\":{\"type\":\"object\"}}" },
	{ "a list of another schema", "UserPage",
	  "\"data\":{\"type\":\"array\",\"items\":{\"$ref\":\"#/components/schemas/User\"}}" },
	{ "another schema", "Error", "\"error\":{\"$ref\":\"#/components/schemas/ErrorDetail\"}" },
	{ "anything", "AgentCreate", "\"model\":{}" },
	{ "another schema or nothing", "WorkOrNull",
	  "{\"oneOf\":[{\"$ref\":\"#/components/schemas/Work\"},{\"type\":\"null\"}]}" },
	{ "no fields", "QueueEntry", "{\"type\":\"object\",\"properties\":{}}" },
};

static void
row_holds(void **state)
{
	const struct row *row = *state;
	struct arena a;
	struct str text;

	arena_init(&a);
	text = schema(&a, row->schema);
	if (!str_contains(text, str_of(row->part)))
		fail_msg("no %s in " STR_FMT, row->part, STR_ARG(text));
	arena_release(&a);
}

static void
A14_names_of_the_table_are_there(void **state)
{
	(void)state;
	for (size_t i = 0; i < API_ROUTE_COUNT; i++) {
		const char *names[] = { API_ROUTES[i].request, API_ROUTES[i].response };
		for (size_t k = 0; k < ARRAY_LEN(names); k++)
			if (names[k] && strcmp(names[k], "Bundle") != 0 &&
			    !openapi_schemas_has(str_of(names[k])))
				fail_msg("%s %s: there is no schema %s", API_ROUTES[i].route.method,
					 API_ROUTES[i].route.pattern, names[k]);
	}
	assert_false(openapi_schemas_has(STR("Bundle")));
}

int
main(void)
{
	struct suite s = { 0 };
	struct jw w;
	int failed;

	buf_init(&ALL, 1024 * 1024);
	jw_init(&w, &ALL);
	jw_object(&w);
	openapi_schemas_write(&w);
	jw_end_object(&w);
	SUITE_ROWS(&s, ROWS, row_holds);
	SUITE_TEST(&s, A14_names_of_the_table_are_there);
	failed = suite_run(&s, "api/openapi_schemas");
	buf_release(&ALL);
	return failed;
}

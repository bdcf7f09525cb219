/* The document holds every route, and every reference in it leads somewhere. */
#include "api/exchange.h"
#include "base/map.h"
#include "harness.h"

static struct arena ARENA;
static struct json_doc DOC;

static struct json
at(struct json from, const char *const *path, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!json_find(from, str_of(path[i]), &from))
			fail_msg("no %s in the document", path[i]);
	return from;
}
#define AT(...)                                                   \
	at(json_root(&DOC), (const char *const[]){ __VA_ARGS__ }, \
	   sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *))

static void
A14_every_route_is_there(void **state)
{
	(void)state;
	for (size_t i = 0; i < API_ROUTE_COUNT; i++) {
		const struct api_route *row = &API_ROUTES[i];
		char method[16] = { 0 };
		struct json operation, field;

		for (size_t k = 0; row->route.method[k]; k++)
			method[k] = (char)(row->route.method[k] | 0x20);
		operation = AT("paths", row->route.pattern, method);
		assert_true(str_contains(json_raw(AT("tags")),
					 arena_printf(&ARENA, "{\"name\":\"%s\"", row->tag)));
		assert_true(json_find(operation, STR("summary"), &field));
		assert_true(json_str_eq(field, str_of(row->summary)));
		assert_int_equal(json_find(operation, STR("security"), &field),
				 row->auth == ROUTE_OPEN);
		assert_int_equal(json_find(operation, STR("requestBody"), &field),
				 row->request != NULL);
		assert_true(json_find(operation, STR("responses"), &field));
		assert_true(json_find(field, row->answer == ROUTE_SOCKET ? STR("101") : STR("200"),
				      &field));
	}
}

static void
check_refs(struct json v)
{
	struct json_iter it = json_iter(v);

	while (json_next(&it)) {
		if (json_is_set(it.key) && json_str_eq(it.key, STR("$ref"))) {
			struct str ref = json_str(it.value, &ARENA), part;
			struct json to = json_root(&DOC);

			assert_true(str_starts(ref, STR("#/")));
			ref = str_slice(ref, 2, ref.len);
			while (ref.len > 0) {
				str_cut(ref, '/', &part, &ref);
				if (!json_find(to, part, &to))
					fail_msg("a reference to nothing: " STR_FMT,
						 STR_ARG(json_raw(it.value)));
			}
		}
		check_refs(it.value);
	}
}

static void
A14_every_reference_leads_somewhere(void **state)
{
	(void)state;
	check_refs(json_root(&DOC));
}

static void
A14_operation_ids_are_unique(void **state)
{
	struct json_iter paths = json_iter(AT("paths"));
	struct map seen;

	(void)state;
	map_init(&seen, 1);
	while (json_next(&paths)) {
		struct json_iter methods = json_iter(paths.value);
		while (json_next(&methods)) {
			struct json id;
			assert_true(json_find(methods.value, STR("operationId"), &id));
			assert_null(map_put(&seen, json_str(id, &ARENA), &DOC));
		}
	}
	assert_int_equal(seen.count, API_ROUTE_COUNT);
	map_release(&seen);
}

static void
A14_parameters_are_described(void **state)
{
	struct json p = AT("paths", "/v1/sessions/{session_id}/events", "get", "parameters");
	struct str text = json_raw(p);

	(void)state;
	assert_true(
		str_contains(text, STR("{\"name\":\"session_id\",\"in\":\"path\",\"required\":true,"
				       "\"schema\":{\"type\":\"string\"}}")));
	assert_true(
		str_contains(text, STR("{\"name\":\"limit\",\"in\":\"query\",\"required\":false,"
				       "\"schema\":{\"type\":\"integer\"}}")));
	assert_true(str_contains(
		text, STR("{\"name\":\"types[]\",\"in\":\"query\",\"required\":false,"
			  "\"schema\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}}}")));
	assert_false(str_contains(json_raw(AT("paths", "/v1/sessions", "get")), STR("metadata.")));
	assert_true(str_contains(json_raw(AT("paths", "/v1/sessions", "post")),
				 STR("Idempotency-Key")));
	assert_true(str_contains(json_raw(AT("paths", "/v1/events/stream", "get")),
				 STR("Last-Event-ID")));
	assert_true(str_contains(json_raw(AT("paths", "/v1/events/stream", "get")),
				 STR("text/event-stream")));
}

int
main(void)
{
	struct suite s = { 0 };
	struct err e;
	int failed;

	arena_init(&ARENA);
	if (json_parse(&ARENA, api_openapi(&ARENA, "1.2.3"), &JSON_LIMITS_DEFAULT, &DOC, &e) != 0)
		return fprintf(stderr, "openapi: %s\n", e.text), 1;
	SUITE_TEST(&s, A14_every_route_is_there);
	SUITE_TEST(&s, A14_every_reference_leads_somewhere);
	SUITE_TEST(&s, A14_operation_ids_are_unique);
	SUITE_TEST(&s, A14_parameters_are_described);
	failed = suite_run(&s, "api/openapi");
	arena_release(&ARENA);
	return failed;
}

#include "api/record_page.h"

#include "base/arena.h"
#include "fake_engine.h"

static struct api_rig RIG;
static struct arena ARENA;

/* a01 … a45, one a day from 1 January on; every third is archived. */
enum { AGENTS = 45 };

static void
fill(void)
{
	for (int i = 1; i <= AGENTS; i++) {
		char id[16], body[256];

		snprintf(id, sizeof id, "a%02d", i);
		snprintf(body, sizeof body,
			 "{\"id\":\"%s\",\"archived_at\":%s,\"created_at\":\"2026-%02d-%02dT00:00:"
			 "00Z\"}",
			 id, i % 3 == 0 ? "\"2026-05-01T00:00:00Z\"" : "null", 1 + (i - 1) / 28,
			 1 + (i - 1) % 28);
		fake_engine_put(&RIG, RECORD_AGENT, id, "", body);
	}
	fake_engine_put(&RIG, RECORD_AGENT_VERSION, "a01/0000000001", "a01", "{\"v\":1}");
	fake_engine_put(&RIG, RECORD_AGENT_VERSION, "a01/0000000002", "a01", "{\"v\":2}");
	fake_engine_put(&RIG, RECORD_AGENT_VERSION, "a02/0000000001", "a02", "{\"v\":1}");
}

struct page {
	size_t count;
	struct str next;        /* empty: none */
	struct str first, last; /* ids */
};

static struct page
ask_page(struct str query, struct str next)
{
	struct page page = { 0 };
	struct json_doc *doc = ARENA_NEW(&ARENA, struct json_doc);
	struct json data, field;
	struct json_iter it;
	struct err e;
	struct rig_reply reply = api_rig_ask(
		&RIG, &(struct rig_ask){ "GET",
					 arena_printf(&ARENA, "/v1/agents?" STR_FMT "%s" STR_FMT,
						      STR_ARG(query), next.len > 0 ? "&page=" : "",
						      STR_ARG(next))
						 .ptr,
					 "owner" });

	rig_expect("page", &reply, 200, NULL);
	assert_int_equal(
		json_parse(&ARENA, arena_str(&ARENA, reply.body), &JSON_LIMITS_DEFAULT, doc, &e),
		0);
	assert_true(json_find(json_root(doc), STR("data"), &data));
	for (it = json_iter(data); json_next(&it); page.count++) {
		assert_true(json_find(it.value, STR("id"), &field));
		page.last = json_str(field, &ARENA);
		if (page.count == 0)
			page.first = page.last;
	}
	assert_true(json_find(json_root(doc), STR("next_page"), &field));
	if (json_type(field) == JSON_STRING)
		page.next = json_str(field, &ARENA);
	return page;
}

static const struct row {
	const char *name, *query;
	size_t page, total; /* rows of the first page, and of all */
	const char *first, *last;
} ROWS[] = {
	{ "A1 page: newest first, archived ones hidden", "", 20, 30, "a44", "a01" },
	{ "A1 page: archived ones too", "include_archived=true", 20, 45, "a45", "a01" },
	{ "A1 page: of one", "limit=1", 1, 30, "a44", "a01" },
	{ "A1 page: of all", "limit=100", 30, 30, "a44", "a01" },
	{ "A1 page: exactly as many as there are", "limit=30", 30, 30, "a44", "a01" },
	{ "A1 page: from an instant on", "created_at[gte]=2026-02-01T00:00:00Z", 11, 11, "a44",
	  "a29" },
	{ "A1 page: up to an instant", "created_at[lte]=2026-01-02T00:00:00Z&limit=1", 1, 2, "a02",
	  "a01" },
	{ "A1 page: between",
	  "created_at[gte]=2026-01-04T00:00:00Z&created_at[lte]=2026-01-05T00:00:00Z", 2, 2, "a05",
	  "a04" },
	{ "A1 page: nothing", "created_at[gte]=2027-01-01T00:00:00Z", 0, 0, "", "" },
};

static void
pages_hold(void **state)
{
	const struct row *row = *state;
	struct page page = ask_page(str_of(row->query), (struct str){ 0 });
	struct str last = page.last;
	size_t total = page.count;

	assert_int_equal(page.count, row->page);
	check_str("first", page.first, str_of(row->first));
	while (page.next.len > 0) {
		page = ask_page(str_of(row->query), page.next);
		if (page.count > 0) {
			assert_true(str_cmp(page.first, last) < 0);
			last = page.last;
		}
		total += page.count;
		assert_true(total <= AGENTS);
	}
	assert_int_equal(total, row->total);
	check_str("last", last, str_of(row->last));
}

static void
A1_foreign_cursor_is_refused(void **state)
{
	struct page page = ask_page(STR("limit=1"), (struct str){ 0 });
	const struct {
		const char *what, *target, *part;
	} BAD[] = {
		{ "garbage", "/v1/agents?page=x", "not a cursor" },
		{ "empty", "/v1/agents?page=", "not a cursor" },
		{ "of another list",
		  arena_printf(&ARENA, "/v1/users?page=" STR_FMT, STR_ARG(page.next)).ptr,
		  "another list" },
		{ "with other filters",
		  arena_printf(&ARENA, "/v1/agents?include_archived=true&page=" STR_FMT,
			       STR_ARG(page.next))
			  .ptr,
		  "other filters" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(BAD); i++) {
		struct rig_reply reply =
			api_rig_ask(&RIG, &(struct rig_ask){ "GET", BAD[i].target, "owner" });
		rig_expect(BAD[i].what, &reply, 400, BAD[i].part);
	}
}

static const struct get_row {
	const char *name, *target;
	int status;
	const char *part;
} GETS[] = {
	{ "A1 one record", "/v1/agents/a01", 200, "{\"id\":\"a01\"," },
	{ "A1 one that is archived", "/v1/agents/a03", 200, "\"a03\"" },
	{ "A1 none", "/v1/agents/a99", 404, "there is no such agent" },
	{ "A1 a version", "/v1/agents/a01?version=2", 200, "{\"v\":2}" },
	{ "A1 no such version", "/v1/agents/a01?version=3", 404, NULL },
	{ "A1 no version", "/v1/agents/a01?version=0", 400, "version: " },
	{ "A1 versions, newest first", "/v1/agents/a01/versions", 200,
	  "{\"data\":[{\"v\":2},{\"v\":1}],\"next_page\":null}" },
	{ "A1 versions of none", "/v1/agents/a99/versions", 404, "there is no such agent" },
	{ "A1 an id with odd letters", "/v1/agents/a%2Fb%3F%22", 404, NULL },
};

static void
get_holds(void **state)
{
	const struct get_row *row = *state;
	struct rig_reply reply =
		api_rig_ask(&RIG, &(struct rig_ask){ "GET", row->target, "owner" });

	rig_expect(row->name, &reply, row->status, row->part);
}

/* A page looks at a thousand rows at most: one without any may still not be the last. */
static void
A1_page_without_rows_goes_on(void **state)
{
	struct rig_ask ask = { "GET", "/v1/environments?limit=5", "owner" };
	struct rig_reply reply;
	struct str next;
	size_t at;

	(void)state;
	fake_engine_put(&RIG, RECORD_ENVIRONMENT, "a", "", "{\"id\":\"a\",\"archived_at\":null}");
	for (int i = 0; i < 1001; i++) {
		char id[16];

		snprintf(id, sizeof id, "b%04d", i);
		fake_engine_put(&RIG, RECORD_ENVIRONMENT, id, "", "{\"archived_at\":\"2026\"}");
	}
	reply = api_rig_ask(&RIG, &ask);
	rig_expect("empty", &reply, 200, "{\"data\":[],\"next_page\":\"");
	assert_true(str_find(reply.body, STR("next_page\":\""), 0, &at));
	str_cut(str_slice(reply.body, at + 12, reply.body.len), '"', &next, &reply.body);
	ask.target =
		arena_printf(&ARENA, "/v1/environments?limit=5&page=" STR_FMT, STR_ARG(next)).ptr;
	reply = api_rig_ask(&RIG, &ask);
	rig_expect("the rest", &reply, 200,
		   "{\"data\":[{\"id\":\"a\",\"archived_at\":null}],\"next_page\":null}");
}

static void
A10_command_answers_with_the_record(void **state)
{
	struct rig_ask ask = { "POST", "/v1/agents/a01", "owner", NULL, "{\"name\":\"x\"}" };
	struct rig_reply reply;

	(void)state;
	fake_engine_reset();
	FAKE.answer.id = STR("a01");
	reply = api_rig_ask(&RIG, &ask);
	rig_expect("first", &reply, 200, "{\"id\":\"a01\",");
	assert_string_equal(FAKE.command, "agent_update");
	FAKE.answer.replayed = true;
	reply = api_rig_ask(&RIG, &ask);
	rig_expect("again", &reply, 200, "{\"id\":\"a01\",");
	check_str("mark", rig_header(&reply, "idempotency-replayed"), STR("true"));
}

int
main(void)
{
	struct suite s = { 0 };
	int failed;

	arena_init(&ARENA);
	api_rig_init(&RIG);
	api_rig_start(&RIG);
	fill();
	SUITE_ROWS(&s, ROWS, pages_hold);
	SUITE_ROWS(&s, GETS, get_holds);
	SUITE_TEST(&s, A1_foreign_cursor_is_refused);
	SUITE_TEST(&s, A1_page_without_rows_goes_on);
	SUITE_TEST(&s, A10_command_answers_with_the_record);
	failed = suite_run(&s, "api/record_page");
	api_rig_stop(&RIG);
	arena_release(&ARENA);
	return failed;
}

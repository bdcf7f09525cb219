#include "core/session_open.h"

#include "core/budget.h"
#include "harness.h"

/* What a request comes to, in one line; or the refusal. */
static const struct open_case {
	const char *name, *json, *want;
} CASES[] = {
	/* clang-format off */
	{ "A1 nothing said", "{}", "agent=main@0 env= ws=main id= title= kind=api" },
	{ "A1 an agent by its id", "{\"agent\":\"a1\",\"environment_id\":\"e1\"}", "agent=a1@0 env=e1 ws=main id= title= kind=api" },
	{ "A1 an agent at a version", "{\"agent\":{\"type\":\"agent\",\"id\":\"a1\",\"version\":3}}", "agent=a1@3 env= ws=main id= title= kind=api" },
	{ "A1 null is not said", "{\"id\":null,\"environment_id\":null,\"title\":null,\"metadata\":null,\"source\":null}", "agent=main@0 env= ws=main id= title= kind=api" },
	{ "A1 overrides need their type", "{\"agent\":{\"type\":\"agent\",\"id\":\"a\",\"system\":\"x\"}}", "error: agent.system: needs type agent_with_overrides" },
	{ "A1 an agent without an id", "{\"agent\":{\"type\":\"agent\"}}", "error: agent.id" },
	{ "A1 an agent of another type", "{\"agent\":{\"type\":\"bot\",\"id\":\"a\"}}", "error: agent.type" },
	{ "A1 version 0", "{\"agent\":{\"type\":\"agent\",\"id\":\"a\",\"version\":0}}", "error: agent.version" },
	{ "A1 an unknown member", "{\"titel\":\"x\"}", "error: titel" },
	{ "A6 an id of the caller's", "{\"id\":\"cli:work\",\"source\":{\"kind\":\"cli\"}}", "agent=main@0 env= ws=main id=cli:work title= kind=cli" },
	{ "M5 an id with dots", "{\"id\":\"a..b\"}", "error: id: " },
	{ "M5 an id with a slash", "{\"id\":\"a/b\"}", "error: id: " },
	{ "M5 an id that is a path of the API", "{\"id\":\"import\"}", "error: id: 'import' is a word" },
	{ "M5 an empty id", "{\"id\":\"\"}", "error: id: a session id must not be empty" },
	{ "M5 a blank id", "{\"id\":\" \"}", "error: id: a session id must not be blank" },
	{ "M4 a title", "{\"title\":\"Caf\\u00e9\"}", "agent=main@0 env= ws=main id= title=Caf\xc3\xa9 kind=api" },
	{ "M4 a title of two lines", "{\"title\":\"a\\nb\"}", "error: title: must be one line" },
	{ "M4 a webhook needs TLS", "{\"webhook_url\":\"http://x\"}", "error: webhook_url" },
	{ "A1 a budget", "{\"budget\":{\"type\":\"limit\",\"max_list_cost\":{\"amount\":\"2500\",\"currency\":\"USD\"}}}", "agent=main@0 env= ws=main id= title= kind=api" },
	{ "A1 a budget in fractions", "{\"budget\":{\"type\":\"limit\",\"max_list_cost\":{\"amount\":\"25.5\",\"currency\":\"USD\"}}}", "error: budget.max_list_cost.amount" },
	{ "A1 a budget of nothing", "{\"budget\":{\"type\":\"limit\",\"max_list_cost\":{\"amount\":\"\",\"currency\":\"USD\"}}}", "error: budget.max_list_cost.amount" },
	{ "A1 a budget in another currency", "{\"budget\":{\"type\":\"limit\",\"max_list_cost\":{\"amount\":\"1\",\"currency\":\"EUR\"}}}", "error: budget.max_list_cost.currency" },
	{ "A1 a file", "{\"resources\":[{\"type\":\"file\",\"file_id\":\"f\"}]}", "agent=main@0 env= ws=main id= title= kind=api" },
	{ "A1 a file without its id", "{\"resources\":[{\"type\":\"file\"}]}", "error: resources[0].file_id" },
	{ "A1 a file with a field of its own", "{\"resources\":[{\"type\":\"file\",\"file_id\":\"f\",\"zzz\":1}]}", "error: resources[0].zzz" },
	{ "A1 a file with a repository's field", "{\"resources\":[{\"type\":\"file\",\"file_id\":\"f\",\"url\":\"u\"}]}", "error: resources[0].url" },
	{ "A1 a repository", "{\"resources\":[{\"type\":\"github_repository\",\"url\":\"https://h/r\",\"authorization_token\":\"t\",\"mount_path\":null,\"checkout\":{\"type\":\"branch\",\"name\":\"b\"}}]}", "agent=main@0 env= ws=main id= title= kind=api" },
	{ "A1 a repository at a commit", "{\"resources\":[{\"type\":\"github_repository\",\"url\":\"https://h/r\",\"checkout\":{\"type\":\"commit\",\"sha\":\"5\"}}]}", "agent=main@0 env= ws=main id= title= kind=api" },
	{ "A1 a commit has no name", "{\"resources\":[{\"type\":\"github_repository\",\"url\":\"u\",\"checkout\":{\"type\":\"commit\",\"name\":\"b\"}}]}", "error: resources[0].checkout: a branch" },
	{ "A1 a branch has no sha", "{\"resources\":[{\"type\":\"github_repository\",\"url\":\"u\",\"checkout\":{\"type\":\"branch\",\"name\":\"b\",\"sha\":\"5\"}}]}", "error: resources[0].checkout: a branch" },
	{ "A1 a checkout of no type", "{\"resources\":[{\"type\":\"github_repository\",\"url\":\"u\",\"checkout\":{\"name\":\"b\"}}]}", "error: resources[0].checkout.type" },
	{ "A1 a checkout of another type", "{\"resources\":[{\"type\":\"github_repository\",\"url\":\"u\",\"checkout\":{\"type\":\"tag\",\"name\":\"b\"}}]}", "error: resources[0].checkout.type" },
	{ "A1 a memory store", "{\"resources\":[{\"type\":\"memory_store\",\"memory_store_id\":\"m\",\"access\":\"read_only\",\"instructions\":\"i\"}]}", "agent=main@0 env= ws=main id= title= kind=api" },
	{ "A1 a memory store of another access", "{\"resources\":[{\"type\":\"memory_store\",\"memory_store_id\":\"m\",\"access\":\"rwx\"}]}", "error: resources[0].access" },
	{ "A1 a resource of no type", "{\"resources\":[{}]}", "error: resources[0]: type is missing" },
	{ "A1 a resource of another type", "{\"resources\":[{\"type\":\"disk\"}]}", "error: resources[0].type" },
	{ "A1 a vault is named by a text", "{\"vault_ids\":[1]}", "error: vault_ids[0]" },
	/* clang-format on */
};

static void
open_row(void **state)
{
	const struct open_case *c = *state;
	struct str want = str_of(c->want);
	struct session_open o;
	struct json_doc doc;
	struct err e = { 0 };
	struct arena a;
	int rc;

	arena_init(&a);
	assert_int_equal(json_parse(&a, str_of(c->json), &JSON_LIMITS_DEFAULT, &doc, &e), 0);
	rc = session_open_read(json_root(&doc), &a, &o, &e);
	if (str_starts(want, STR("error: "))) {
		assert_int_equal(rc, ERR_INVALID);
		if (!str_starts(str_of(e.text), str_slice(want, 7, want.len)))
			fail_msg("%s: '%s'", c->name, e.text);
	} else {
		if (rc != 0)
			fail_msg("%s: %s", c->name, e.text);
		check_str(c->name,
			  arena_printf(&a,
				       "agent=" STR_FMT "@%d env=" STR_FMT " ws=" STR_FMT
				       " id=" STR_FMT " title=" STR_FMT " kind=" STR_FMT,
				       STR_ARG(o.agent_id), (int)o.agent_version,
				       STR_ARG(o.environment_id), STR_ARG(o.workspace_id),
				       STR_ARG(o.id), STR_ARG(o.title), STR_ARG(o.source.kind)),
			  want);
	}
	arena_release(&a);
}

/* Counted in characters, not bytes. */
static void
M4_a_title_has_at_most_200_characters(void **state)
{
	struct arena a;

	(void)state;
	arena_init(&a);
	for (size_t chars = SESSION_TITLE_MAX; chars <= SESSION_TITLE_MAX + 1; chars++) {
		struct buf json;
		struct json_doc doc;
		struct session_open o;
		struct err e;

		buf_init(&json, 4096);
		buf_puts(&json, "{\"title\":\"");
		for (size_t i = 0; i < chars; i++)
			buf_puts(&json, "\xc3\xa9");
		buf_puts(&json, "\"}");
		assert_int_equal(json_parse(&a, buf_str(&json), &JSON_LIMITS_DEFAULT, &doc, &e), 0);
		assert_int_equal(session_open_read(json_root(&doc), &a, &o, &e),
				 chars <= SESSION_TITLE_MAX ? 0 : ERR_INVALID);
		buf_release(&json);
	}
	arena_release(&a);
}

static const struct limit_row {
	const char *name, *budget;
	int64_t want;
} LIMITS[] = {
	{ "T15 25 dollars", "{\"type\":\"limit\",\"max_list_cost\":{\"amount\":\"2500\"}}",
	  INT64_C(25000000000000) },
	{ "T15 nothing", "{\"max_list_cost\":{\"amount\":\"0\"}}", 0 },
	{ "T15 more than there is", "{\"max_list_cost\":{\"amount\":\"999999999999\"}}", COST_MAX },
	{ "T15 no amount", "{\"max_list_cost\":{}}", BUDGET_UNLIMITED },
	{ "T15 no budget", "null", BUDGET_UNLIMITED },
	{ "T15 a broken one", "{\"max_list_cost\":{\"amount\":\"x\"}}", BUDGET_UNLIMITED },
};

static void
check_limit(void **state)
{
	const struct limit_row *r = *state;
	struct json_doc doc;
	struct arena a;

	arena_init(&a);
	assert_int_equal(json_parse(&a, str_of(r->budget), &JSON_LIMITS_DEFAULT, &doc, NULL), 0);
	if (session_budget_limit(json_root(&doc)) != r->want ||
	    session_budget_limit((struct json){ 0 }) != BUDGET_UNLIMITED)
		fail_msg("%s", r->name);
	arena_release(&a);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, CASES, open_row);
	SUITE_TEST(&s, M4_a_title_has_at_most_200_characters);
	SUITE_ROWS(&s, LIMITS, check_limit);
	return suite_run(&s, "session_open");
}

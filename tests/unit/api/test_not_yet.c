#include "api/not_yet.h"

#include "base/arena.h"
#include "harness.h"

static const struct not_yet_row {
	const char *name, *request, *body;
	const char *want; /* NULL: fine */
} ROWS[] = {
	/* clang-format off */
	{ "M4 a webhook", "SessionCreate", "{\"webhook_url\":\"https://x\"}", "webhook_url: this server sends no webhooks yet" },
	{ "M4 no webhook", "SessionCreate", "{\"webhook_url\":null}", NULL },
	{ "M1 skills", "AgentUpdate", "{\"skills\":[{}]}", "skills: this server has no skills yet" },
	{ "M1 no skills", "AgentCreate", "{\"skills\":[]}", NULL },
	{ "M1 subagents", "AgentCreate", "{\"multiagent\":{\"type\":\"coordinator\"}}", "multiagent: this server has no subagents yet" },
	{ "M1 no subagents", "AgentUpdate", "{\"multiagent\":null}", NULL },
	{ "M1 skills as an override", "SessionCreate", "{\"agent\":{\"skills\":[{}]}}", "agent.skills: this server has no skills yet" },
	{ "M2 variables", "EnvironmentCreate", "{\"config\":{\"env\":{\"A\":{}}}}", "config.env: this server keeps no secrets for tools yet" },
	{ "M2 no variables", "EnvironmentUpdate", "{\"config\":{\"env\":{}}}", NULL },
	{ "M15 a file", "SessionCreate", "{\"resources\":[{\"file_id\":\"f\"}]}", "resources[0].file_id: there is no file 'f'" },
	{ "M15 a repository", "SessionCreate", "{\"resources\":[{\"url\":\"u\"}]}", NULL },
	{ "M15 a repository with a token from the start", "SessionCreate", "{\"resources\":[{\"url\":\"u\",\"authorization_token\":\"t\"}]}", NULL },
	{ "M15 a repository with a token later", "ResourceAdd", "{\"url\":\"u\",\"authorization_token\":\"t\"}", "authorization_token: this server fetches no repositories yet: leave it out" },
	{ "M15 a token that is rotated", "ResourceUpdate", "{\"authorization_token\":\"t\"}", NULL },
	{ "M15 a memory store", "ResourceAdd", "{\"memory_store_id\":\"m\"}", "memory_store_id: there is no memory store 'm'" },
	{ "M11 an attachment", "MessagePost", "{\"attachments\":[{\"path\":\"p\"},{\"file_id\":\"f\"}]}", "attachments[1].file_id: there is no file 'f'" },
	{ "M11 a block", "EventSend", "{\"events\":[{\"content\":[{\"source\":{\"file_id\":\"f\"}}]}]}", "events[0].content[0].source.file_id: there is no file 'f'" },
	{ "M11 a block of the first message", "SessionCreate", "{\"initial_events\":[{\"content\":[{\"source\":{\"file_id\":\"f\"}}]}]}", "initial_events[0].content[0].source.file_id: there is no file 'f'" },
	{ "M10 a rubric", "EventSend", "{\"events\":[{\"rubric\":{\"file_id\":\"f\"}}]}", "events[0].rubric.file_id: there is no file 'f'" },
	{ "M4 metadata may say anything", "SessionCreate", "{\"metadata\":{\"file_id\":\"f\"}}", NULL },
	{ "A1 another shape is judged elsewhere", "SessionCreate", "{\"resources\":{\"a\":1},\"agent\":\"main\",\"initial_events\":[1]}", NULL },
	/* clang-format on */
};

static void
check_row(void **state)
{
	const struct not_yet_row *row = *state;
	struct json_doc doc;
	struct err e = { 0 };
	struct arena a;

	arena_init(&a);
	assert_int_equal(json_parse(&a, str_of(row->body), &JSON_LIMITS_DEFAULT, &doc, &e), 0);
	assert_int_equal(not_yet_check(str_of(row->request), json_root(&doc), &e),
			 row->want ? ERR_INVALID : 0);
	if (row->want)
		assert_string_equal(e.text, row->want);
	arena_release(&a);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, check_row);
	return suite_run(&s, "api/not_yet");
}

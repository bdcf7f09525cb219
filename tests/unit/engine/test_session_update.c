#include "engine/session_change.h"

#include "engine_rig.h"

static struct rig_answer *
update(struct engine_rig *r, const char *key, const char *body)
{
	return rig_change(r, engine_session_update,
			  (struct rig_call){ .key = key, .id = STR("cli:a"), .body = body });
}

static void
start(struct engine_rig *r, void **state)
{
	engine_rig_init(r, *state != NULL);
	rig_open(r, NULL, "cli:a");
}

static void
A9_a_session_is_renamed(void **state)
{
	struct engine_rig r;

	start(&r, state);
	rig_expect(update(&r, NULL, "{'title':'tea'}"), 0, NULL);
	check_str("title", engine_rig_session(&r, "cli:a")->row.title, STR("tea"));
	check_str(
		"event", engine_rig_payload(&r, "cli:a", 2),
		STR("{\"type\":\"session.updated\",\"title\":\"tea\",\"title_source\":\"user\"}"));
	rig_expect(update(&r, NULL, "{'title':'tea'}"), 0, NULL);
	check_str("log", engine_rig_log(&r, "cli:a", 1), STR("created updated"));
	engine_rig_release(&r);
}

static void
M4_metadata_is_merged_and_null_deletes(void **state)
{
	struct engine_rig r;

	start(&r, state);
	rig_expect(update(&r, NULL, "{'metadata':{'a':'1','b':'2'}}"), 0, NULL);
	rig_expect(update(&r, NULL, "{'metadata':{'a':null,'c':'3'}}"), 0, NULL);
	check_str("metadata", engine_rig_session(&r, "cli:a")->metadata,
		  STR("{\"b\":\"2\",\"c\":\"3\"}"));
	rig_expect(update(&r, NULL, "{'metadata':{'none':null}}"), 0, NULL);
	check_str("log", engine_rig_log(&r, "cli:a", 1), STR("created updated updated"));
	engine_rig_release(&r);
}

static void
M4_budget_and_tools_are_kept_beside_the_log(void **state)
{
	struct engine_rig r;
	struct str extra;

	start(&r, state);
	rig_expect(update(&r, NULL,
			  "{'budget':{'type':'limit','max_list_cost':{'amount':'250','currency':'"
			  "USD'}}}"),
		   0, NULL);
	extra = engine_rig_record(&r, RECORD_SESSION_EXTRA, STR("cli:a"));
	assert_true(str_contains(extra, STR("\"amount\":\"250\"")));
	rig_expect(update(&r, NULL, "{'agent':{'tools':[]}}"), 0, NULL);
	extra = engine_rig_record(&r, RECORD_SESSION_EXTRA, STR("cli:a"));
	assert_true(str_contains(extra, STR("\"amount\":\"250\"")));
	assert_true(str_contains(extra, STR("\"agent\":{\"id\":\"main\"")));
	rig_expect(update(&r, NULL, "{'budget':null}"), 0, NULL);
	extra = engine_rig_record(&r, RECORD_SESSION_EXTRA, STR("cli:a"));
	assert_false(str_contains(extra, STR("budget")));
	assert_true(str_contains(extra, STR("\"agent\":{\"id\":\"main\"")));
	check_str("log", engine_rig_log(&r, "cli:a", 1), STR("created updated updated updated"));
	engine_rig_release(&r);
}

/* Another model is the session's choice; other tools leave the choice to its workspace. */
static void
T3_a_model_that_the_session_chose_is_marked(void **state)
{
	static const struct str CHOSEN = STR("\"model_before\":null"); /* main names none */
	struct engine_rig r;

	start(&r, state);
	rig_expect(update(&r, NULL, "{'agent':{'tools':[]}}"), 0, NULL);
	assert_false(str_contains(engine_rig_last(&r, RECORD_SESSION_EXTRA), CHOSEN));
	rig_expect(update(&r, NULL, "{'agent':{'model':'demo'}}"), 0, NULL);
	assert_true(str_contains(engine_rig_last(&r, RECORD_SESSION_EXTRA), CHOSEN));
	rig_expect(update(&r, NULL, "{'agent':{'tools':[]}}"), 0, NULL);
	assert_true(str_contains(engine_rig_last(&r, RECORD_SESSION_EXTRA), CHOSEN));
	engine_rig_release(&r);
}

static void
A10_a_repeat_does_not_take_back_what_came_since(void **state)
{
	struct engine_rig r;
	struct rig_answer *a;

	start(&r, state);
	rig_expect(update(&r, "k", "{'title':'tea'}"), 0, NULL);
	rig_expect(update(&r, NULL, "{'title':'coffee'}"), 0, NULL);
	a = update(&r, "k", "{'title':'tea'}");
	rig_expect(a, 0, NULL);
	assert_true(a->replayed);
	check_str("title", engine_rig_session(&r, "cli:a")->row.title, STR("coffee"));
	rig_expect(update(&r, "k", "{'title':'milk'}"), ERR_MISMATCH, "another body");
	engine_rig_release(&r);
}

static void
A10_an_update_without_change_is_remembered_too(void **state)
{
	struct engine_rig r;
	struct rig_answer *a;

	start(&r, state);
	rig_expect(update(&r, NULL, "{'title':'tea'}"), 0, NULL);
	rig_expect(update(&r, "k", "{'title':'tea'}"), 0, NULL);
	rig_expect(update(&r, NULL, "{'title':'coffee'}"), 0, NULL);
	a = update(&r, "k", "{'title':'tea'}");
	rig_expect(a, 0, NULL);
	assert_true(a->replayed);
	check_str("title", engine_rig_session(&r, "cli:a")->row.title, STR("coffee"));
	engine_rig_release(&r);
}

static const struct refused {
	const char *name, *body, *says;
} REFUSED[] = {
	{ "A1 an unknown member", "{'titel':'x'}", "titel" },
	{ "A1 a title that is no text", "{'title':1}", "title" },
	{ "A1 metadata that is no text", "{'metadata':{'a':{}}}", "metadata" },
	{ "A1 a budget below nothing",
	  "{'budget':{'type':'limit','max_list_cost':{'amount':'-1','currency':'USD'}}}",
	  "budget" },
	{ "A1 a model that is no text", "{'agent':{'model':7}}", "model" },
	{ "A1 tools that are none", "{'agent':{'tools':[{'type':'nothing'}]}}", "tools" },
};

static void
test_refused(void **state)
{
	const struct refused *row = *state;
	struct engine_rig r;

	engine_rig_init(&r, false);
	rig_open(&r, NULL, "cli:a");
	rig_expect(update(&r, NULL, row->body), ERR_INVALID, row->says);
	check_str("log", engine_rig_log(&r, "cli:a", 1), STR("created"));
	engine_rig_release(&r);
}

int
main(void)
{
	struct suite s = { 0 };
	static const int SQLITE = 1;

	SUITE_TEST(&s, A9_a_session_is_renamed);
	SUITE_TEST(&s, M4_metadata_is_merged_and_null_deletes);
	SUITE_TEST(&s, M4_budget_and_tools_are_kept_beside_the_log);
	SUITE_TEST(&s, T3_a_model_that_the_session_chose_is_marked);
	suite_add(&s, "M4 budget and tools in sqlite", M4_budget_and_tools_are_kept_beside_the_log,
		  &SQLITE);
	SUITE_TEST(&s, A10_a_repeat_does_not_take_back_what_came_since);
	SUITE_TEST(&s, A10_an_update_without_change_is_remembered_too);
	SUITE_ROWS(&s, REFUSED, test_refused);
	return suite_run(&s, "engine/session_update");
}

#include "core/schedule_def.h"

#include "definition_rows.h"

static int
make(struct json current, int64_t now_ms, struct json body, struct arena *a,
     struct definition_text *out, struct err *e)
{
	struct definition_facts f = { .id = STR("sched_1"), .now_ms = now_ms, .current = current };

	return schedule_def_make(&f, body, a, out, e);
}

#define WITH(more)    "{'name':'n','prompt':'p','rule':{'type':'every','every_ms':60000}" more "}"
#define RULE(rule)    "{'name':'n','prompt':'p','rule':" rule "}"
#define CRON(more)    RULE("{'type':'cron','expression':'0 9 * * 1-5'" more "}")
#define DELIVERY(how) WITH(",'delivery':" how)

static const struct definition_row ROWS[] = {
	/* clang-format off */
	{ "H3 every, with its defaults", WITH(""), NULL,
	  "{'id':'sched_1','type':'schedule','name':'n','agent_id':'main','environment_id':'local-default','prompt':'p',"
	  "'rule':{'type':'every','every_ms':60000,'first_at':'1970-01-01T00:01:01Z'},'missed':{'type':'latest'},'timeout_ms':3600000,"
	  "'delivery':{'type':'origin'},'origin':null,'enabled':true,'metadata':{},"
	  "'created_at':'1970-01-01T00:00:01Z','updated_at':'1970-01-01T00:00:01Z'}" },
	{ "H3 every, beginning somewhere", RULE("{'type':'every','every_ms':1000,'first_at':'2026-01-01T00:00:00+01:00'}"), NULL, "'first_at':'2025-12-31T23:00:00Z'" },
	{ "H3 every: not faster than a second", RULE("{'type':'every','every_ms':999}"), NULL, "error: rule.every_ms: must be" },
	{ "H3 every: a year at most", RULE("{'type':'every','every_ms':99999999999}"), NULL, "error: rule.every_ms: must be" },
	{ "H3 every: its first instant", RULE("{'type':'every','every_ms':1000,'first_at':'soon'}"), NULL, "error: rule.first_at: must be an instant like" },
	{ "H3 cron", CRON(",'time_zone':'Europe/Berlin'"), NULL, "'rule':{'type':'cron','expression':'0 9 * * 1-5','time_zone':'Europe/Berlin'}" },
	{ "H3 cron without a zone is UTC", CRON(""), NULL, "'time_zone':'UTC'" },
	{ "H3 cron: five fields", RULE("{'type':'cron','expression':'0 9 * *'}"), NULL, "error: rule.expression: " },
	{ "H3 cron: the field at fault is named", RULE("{'type':'cron','expression':'61 9 * * *'}"), NULL, "error: rule.expression: " },
	{ "H3 cron: nothing else", CRON(",'at':'x'"), NULL, "error: rule.at: unknown field" },
	{ "H3 cron: an expression", RULE("{'type':'cron'}"), NULL, "error: rule.expression: is required" },
	{ "H3 at", RULE("{'type':'at','at':'2026-03-29T09:00:00Z'}"), NULL, "'rule':{'type':'at','at':'2026-03-29T09:00:00Z'}" },
	{ "H3 at: an instant", RULE("{'type':'at','at':'tomorrow'}"), NULL, "error: rule.at: must be an instant like" },
	{ "H3 another rule", RULE("{'type':'daily'}"), NULL, "error: rule.type: must be one of cron, at, every" },
	{ "H3 a rule has a type", RULE("{'expression':'* * * * *'}"), NULL, "error: rule: needs a type: cron, at or every" },
	{ "H3 a rule is required", "{'name':'n','prompt':'p'}", NULL, "error: rule: is required" },
	{ "H3 a prompt is required", "{'name':'n','rule':{'type':'every','every_ms':60000}}", NULL, "error: prompt: is required" },
	{ "H3 a prompt says something", WITH(",'metadata':{}") , "{'prompt':''}", "error: prompt: must have 1 to 32768" },
	{ "H3 missed: skip", WITH(",'missed':{'type':'skip'}"), NULL, "'missed':{'type':'skip'}" },
	{ "H3 missed: all of some", WITH(",'missed':{'type':'all','limit':100}"), NULL, "'missed':{'type':'all','limit':100}" },
	{ "H3 missed: all has an end", WITH(",'missed':{'type':'all'}"), NULL, "error: missed.limit: is required" },
	{ "H3 missed: not more than that", WITH(",'missed':{'type':'all','limit':101}"), NULL, "error: missed.limit: must be" },
	{ "H3 missed: only all has a limit", WITH(",'missed':{'type':'latest','limit':1}"), NULL, "error: missed.limit: unknown field" },
	{ "H3 missed: another word", WITH(",'missed':{'type':'none'}"), NULL, "error: missed.type: must be one of skip, latest, all" },
	{ "H3 a timeout", WITH(",'timeout_ms':1000"), NULL, "'timeout_ms':1000" },
	{ "H3 a timeout is not nothing", WITH(",'timeout_ms':0"), NULL, "error: timeout_ms: must be" },
	{ "H3 delivery: silent", DELIVERY("{'type':'silent'}"), NULL, "'delivery':{'type':'silent'}" },
	{ "H3 delivery: a session", DELIVERY("{'type':'session','session_id':'cli:me'}"), NULL, "'delivery':{'type':'session','session_id':'cli:me'}" },
	{ "H3 delivery: a session has an id", DELIVERY("{'type':'session'}"), NULL, "error: delivery.session_id: is required" },
	{ "H3 delivery: home", DELIVERY("{'type':'home','platform':'telegram'}"), NULL, "'delivery':{'type':'home','platform':'telegram'}" },
	{ "H3 delivery: home is somewhere", DELIVERY("{'type':'home'}"), NULL, "error: delivery.platform: is required" },
	{ "H3 delivery: target", DELIVERY("{'type':'target','platform':'telegram','chat_id':'1'}"), NULL, "'delivery':{'type':'target','platform':'telegram','chat_id':'1','thread_id':null}" },
	{ "H3 delivery: target with a thread", DELIVERY("{'type':'target','platform':'t','chat_id':'1','thread_id':'2'}"), NULL, "'thread_id':'2'" },
	{ "H3 delivery: a target has a chat", DELIVERY("{'type':'target','platform':'t'}"), NULL, "error: delivery.chat_id: is required" },
	{ "H3 delivery: origin takes nothing", DELIVERY("{'type':'origin','platform':'t'}"), NULL, "error: delivery.platform: unknown field" },
	{ "H3 delivery: another word", DELIVERY("{'type':'mail'}"), NULL, "error: delivery.type: must be one of silent, session, origin, home, target" },
	{ "H3 delivery: has a type", DELIVERY("{}"), NULL, "error: delivery: needs a type" },
	{ "H3 where it was asked for", WITH(",'origin':{'platform':'t','chat_id':'1'}"), NULL, "'origin':{'platform':'t','chat_id':'1','thread_id':null}" },
	{ "H3 an origin is a chat", WITH(",'origin':{'platform':'t'}"), NULL, "error: origin.chat_id: is required" },
	{ "H3 another agent", WITH(",'agent_id':'a','environment_id':'e'"), NULL, "'agent_id':'a','environment_id':'e'" },
	{ "H3 the agent stays", WITH(",'agent_id':'a'"), "{'agent_id':'b'}", "conflict: agent_id: stays what it was" },
	{ "H3 the same agent again", WITH(",'agent_id':'a'"), "{'agent_id':'a'}", "same" },
	{ "H3 the environment stays", WITH(""), "{'environment_id':'b'}", "conflict: environment_id: stays" },
	{ "H3 paused", WITH(""), "{'enabled':false}", "'enabled':false" },
	{ "H3 nothing changes", WITH(""), "{'enabled':true}", "same" },
	{ "H3 the same interval goes on", WITH(""), "{'rule':{'type':'every','every_ms':60000}}", "same" },
	{ "H3 another interval begins anew", WITH(""), "{'rule':{'type':'every','every_ms':1000}}", "'first_at':'1970-01-01T00:00:03Z'" },
	{ "H3 another rule in its place", WITH(""), "{'rule':{'type':'cron','expression':'@daily'}}", "'rule':{'type':'cron','expression':'@daily','time_zone':'UTC'},'missed'" },
	{ "H3 metadata is merged", WITH(",'metadata':{'a':'1'}"), "{'metadata':{'b':'2'}}", "'metadata':{'a':'1','b':'2'}" },
	{ "H3 an unknown member", WITH(",'cron':'x'"), NULL, "error: cron: unknown field" },
	/* clang-format on */
};

static void
row_holds(void **state)
{
	definition_row_holds(*state, make);
}

static struct schedule_def
read_made(const char *body, struct arena *a)
{
	struct definition_text made;
	struct schedule_def def = { 0 };
	struct err e = { 0 };
	int rc = make((struct json){ 0 }, ROWS_NOW_MS, json_of(quoted(a, body), a), a, &made, &e);

	if (rc == 0)
		rc = schedule_def_read(json_of(made.text.ptr, a), a, &def, &e);
	if (rc != 0)
		fail_msg("%s", e.text);
	return def;
}

static void
H3_what_was_made_is_read(void **state)
{
	struct schedule_def def;
	struct arena a;

	(void)state;
	arena_init(&a);
	def = read_made(CRON(",'time_zone':'Asia/Tokyo'},'enabled':false,'timeout_ms':5000,"
			     "'missed':{'type':'all','limit':7},"
			     "'delivery':{'type':'session','session_id':'s'"),
			&a);
	check_str("id", def.id, STR("sched_1"));
	check_str("zone", def.time_zone, STR("Asia/Tokyo"));
	assert_int_equal(def.rule.kind, SCHEDULE_CRON);
	assert_int_equal(def.missed.policy, SCHEDULE_MISSED_ALL);
	assert_int_equal(def.missed.limit, 7);
	assert_int_equal(def.timeout_ms, 5000);
	assert_int_equal(def.delivery.kind, SCHEDULE_DELIVER_SESSION);
	check_str("to", def.delivery.session_id, STR("s"));
	assert_false(def.enabled);
	def = read_made(RULE("{'type':'at','at':'1970-01-01T00:00:09Z'}"), &a);
	assert_int_equal(def.rule.kind, SCHEDULE_AT);
	assert_int_equal(def.rule.at_ms, 9000);
	def = read_made(WITH(""), &a);
	assert_int_equal(def.rule.interval_ms, 60000);
	assert_int_equal(def.rule.at_ms, 61000);
	assert_true(def.enabled);
	arena_release(&a);
}

static void
H3_without_an_origin_delivery_is_silent(void **state)
{
	struct schedule_def def;
	struct arena a;

	(void)state;
	arena_init(&a);
	def = read_made(WITH(""), &a);
	assert_int_equal(def.delivery.kind, SCHEDULE_DELIVER_SILENT);
	def = read_made(WITH(",'origin':{'platform':'telegram','chat_id':'7'}"), &a);
	assert_int_equal(def.delivery.kind, SCHEDULE_DELIVER_ORIGIN);
	check_str("where", def.delivery.platform, STR("telegram"));
	check_str("chat", def.delivery.chat_id, STR("7"));
	arena_release(&a);
}

static void
H3_what_is_none_is_refused(void **state)
{
	static const char *const TEXTS[] = {
		"{}",
		"{'id':'x','agent_id':'a'}",
		"{'id':'x','agent_id':'a','rule':{'type':'at'}}",
		"{'id':'x','agent_id':'a','rule':{'type':'every','every_ms':1}}",
		"{'id':'x','agent_id':'a','rule':{'type':'cron','expression':'x'}}",
		"[]",
	};
	struct schedule_def def;
	struct arena a;

	(void)state;
	arena_init(&a);
	for (size_t i = 0; i < ARRAY_LEN(TEXTS); i++)
		assert_int_equal(
			schedule_def_read(json_of(quoted(&a, TEXTS[i]), &a), &a, &def, NULL),
			ERR_CORRUPT);
	arena_release(&a);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, row_holds);
	SUITE_TEST(&s, H3_what_was_made_is_read);
	SUITE_TEST(&s, H3_without_an_origin_delivery_is_silent);
	SUITE_TEST(&s, H3_what_is_none_is_refused);
	return suite_run(&s, "schedule_def");
}

#include "core/agent_def.h"

#include "base/rand.h"
#include "definition_rows.h"

static int
make(struct json current, int64_t now_ms, struct json body, struct arena *a,
     struct definition_text *out, struct err *e)
{
	struct agent_facts f = { .id = STR("agent_1"), .now_ms = now_ms, .current = current };

	return agent_def_make(&f, body, a, out, e);
}

#define SMALL "{'name':'a','model':'demo'}"
/* SMALL with one member more. */
#define WITH(member) "{'name':'a','model':'demo'," member "}"

static const struct definition_row ROWS[] = {
	/* clang-format off */
	{ "M1 the smallest body gives the whole object", SMALL, NULL,
	  "{'id':'agent_1','type':'agent','version':1,'name':'a','description':null,'system':null,"
	  "'model':{'id':'demo','speed':'standard'},'tools':[],'mcp_servers':[],'skills':[],'metadata':{},"
	  "'multiagent':null,'execution_identity':{'type':'service_account'},"
	  "'limits':{'max_context_tokens':null,'max_output_tokens':4096,'max_steps':10,'turn_timeout_s':1800,'tool_timeout_s':120},"
	  "'access':'public','environments':[],'models':[],'approval_rules':[],'archived_at':null,"
	  "'created_at':'1970-01-01T00:00:01Z','updated_at':'1970-01-01T00:00:01Z'}" },
	{ "M1 name is required", "{'model':'demo'}", NULL, "error: name: is required" },
	{ "T3 a model may be left out", "{'name':'a'}", NULL, "'system':null,'model':null,'tools':[]" },
	{ "T3 a model of null is none", "{'name':'a','model':null}", NULL, "'model':null" },
	{ "M1 the body is an object", "[]", NULL, "error: must be an object" },
	{ "M1 an unknown field names the nearest", WITH("'sistem':'x'"), NULL, "error: sistem: unknown field; did you mean 'system'?" },
	{ "M1 id is not a caller's", WITH("'id':'x'"), NULL, "error: id: unknown field" },
	{ "M1 version is not a maker's", WITH("'version':1"), NULL, "error: version: unknown field" },
	{ "M1 a name is not empty", "{'name':'','model':'demo'}", NULL, "error: name: must have 1 to 256 characters, not 0" },
	{ "M1 a name has no control characters", "{'name':'a\\u0007','model':'demo'}", NULL, "error: name: must not contain control" },
	{ "M1 a name is a string", "{'name':7,'model':'demo'}", NULL, "error: name: must be a string, not a number" },
	{ "M1 a description may be null", WITH("'description':null"), NULL, "'description':null" },
	{ "M1 an empty system prompt is none", WITH("'system':''"), NULL, "'system':null" },
	{ "M1 a model with its settings", "{'name':'a','model':{'id':'x/y','effort':'high','speed':'fast'}}", NULL, "'model':{'id':'x/y','effort':{'type':'high'},'speed':'fast'}" },
	{ "M1 effort as an object", "{'name':'a','model':{'id':'x','effort':{'type':'max'}}}", NULL, "'effort':{'type':'max'}" },
	{ "M1 effort null is unset", "{'name':'a','model':{'id':'x','effort':null,'speed':null}}", NULL, "'model':{'id':'x','speed':'standard'}" },
	{ "M1 effort is one of five", "{'name':'a','model':{'id':'x','effort':'huge'}}", NULL, "error: model.effort: must be one of low, medium, high, xhigh, max" },
	{ "M1 effort's type is required", "{'name':'a','model':{'id':'x','effort':{}}}", NULL, "error: model.effort.type: is required" },
	{ "M1 speed is one of two", "{'name':'a','model':{'id':'x','speed':'slow'}}", NULL, "error: model.speed: must be one of standard, fast" },
	{ "M1 a model object has its id", "{'name':'a','model':{}}", NULL, "error: model.id: is required" },
	{ "M1 a model is not empty", "{'name':'a','model':''}", NULL, "error: model: must have 1 to 256" },
	{ "M1 a model is no number", "{'name':'a','model':1}", NULL, "error: model: must be a string or an object" },
	{ "M1 a model has no other settings", "{'name':'a','model':{'id':'x','seed':1}}", NULL, "error: model.seed: unknown field" },
	{ "M1 skills with their versions", WITH("'skills':[{'type':'custom','skill_id':'s'},{'type':'anthropic','skill_id':'xlsx','version':'3'}]"), NULL,
	  "'skills':[{'type':'custom','skill_id':'s','version':'latest'},{'type':'anthropic','skill_id':'xlsx','version':'3'}]" },
	{ "M1 a skill is named once", WITH("'skills':[{'type':'custom','skill_id':'s'},{'type':'custom','skill_id':'s'}]"), NULL, "error: skills[1]: names 's' a second time" },
	{ "M1 a skill of another type", WITH("'skills':[{'type':'x','skill_id':'s'}]"), NULL, "error: skills[0].type: must be one of" },
	{ "M1 a skill has an id", WITH("'skills':[{'type':'custom'}]"), NULL, "error: skills[0].skill_id: is required" },
	{ "M1 skills are a list", WITH("'skills':{}"), NULL, "error: skills: must be an array or null" },
	{ "M1 an execution identity", WITH("'execution_identity':{'type':'service_account'}"), NULL, "'execution_identity':{'type':'service_account'}" },
	{ "M1 no other execution identity", WITH("'execution_identity':{'type':'root'}"), NULL, "error: execution_identity.type: must be one of service_account" },
	{ "M1 limits that are given", WITH("'limits':{'max_context_tokens':32000,'max_steps':3}"), NULL,
	  "'limits':{'max_context_tokens':32000,'max_output_tokens':4096,'max_steps':3,'turn_timeout_s':1800,'tool_timeout_s':120}" },
	{ "M1 a limit of zero", WITH("'limits':{'max_steps':0}"), NULL, "error: limits.max_steps: must be an integer from 1 to 1000, not 0" },
	{ "M1 a limit is a whole number", WITH("'limits':{'max_steps':1.5}"), NULL, "error: limits.max_steps: must be an integer" },
	{ "M1 a limit above its range", WITH("'limits':{'turn_timeout_s':86401}"), NULL, "error: limits.turn_timeout_s: must be" },
	{ "M1 an unknown limit", WITH("'limits':{'max_step':1}"), NULL, "error: limits.max_step: unknown field; did you mean 'max_steps'?" },
	{ "P7 an agent may be private", WITH("'access':'private'"), NULL, "'access':'private'" },
	{ "P7 another level", WITH("'access':'secret'"), NULL, "error: access: must be one of public, protected, private" },
	{ "M2 environments that its users may choose", WITH("'environments':['env_1','local-default'],'models':['a/b']"), NULL, "'environments':['env_1','local-default'],'models':['a/b']" },
	{ "M2 null is none of them", WITH("'environments':null,'models':null"), NULL, "'environments':[],'models':[]" },
	{ "M2 each is named once", WITH("'environments':['e','e']"), NULL, "error: environments[1]: names 'e' a second time" },
	{ "M2 an id is a text", WITH("'environments':[7]"), NULL, "error: environments[0]: must be a text" },
	{ "M2 a model has a name", WITH("'models':['']"), NULL, "error: models[0]: must have 1 to 256" },
	{ "M2 environments are a list", WITH("'environments':'e'"), NULL, "error: environments: must be an array or null" },
	{ "M1 policies: rules for approvals", WITH("'approval_rules':[{'tool':'bash','pattern':'rm *','action':'deny'},{'tool':'*','action':'ask'}]"), NULL,
	  "'approval_rules':[{'tool':'bash','pattern':'rm *','action':'deny'},{'tool':'*','pattern':null,'action':'ask'}]" },
	{ "T8 a rule for a server's tools", WITH("'approval_rules':[{'tool':'*','mcp_server_name':'jira','action':'ask'},{'tool':'x','mcp_server_name':null,'action':'ask'}]"), NULL,
	  "'approval_rules':[{'tool':'*','mcp_server_name':'jira','pattern':null,'action':'ask'},{'tool':'x','pattern':null,'action':'ask'}]" },
	{ "T8 a rule's server is not empty", WITH("'approval_rules':[{'tool':'*','mcp_server_name':'','action':'ask'}]"), NULL, "error: approval_rules[0].mcp_server_name: must have 1 to" },
	{ "M1 a rule's action", WITH("'approval_rules':[{'tool':'bash','action':'maybe'}]"), NULL, "error: approval_rules[0].action: must be one of allow, ask, deny" },
	{ "M1 a rule's pattern is not empty", WITH("'approval_rules':[{'tool':'bash','pattern':'','action':'deny'}]"), NULL, "error: approval_rules[0].pattern: must have 1 to" },
	{ "M1 a rule names a tool", WITH("'approval_rules':[{'action':'deny'}]"), NULL, "error: approval_rules[0].tool: is required" },

	{ "M1 an update makes the next version", SMALL, "{'name':'b'}", "'version':2,'name':'b'" },
	{ "M1 an update keeps what it does not name", WITH("'system':'s','access':'private'"), "{'name':'b'}", "'name':'b','description':null,'system':'s','model':{'id':'demo'" },
	{ "M1 an update keeps created_at and moves updated_at", SMALL, "{'name':'b'}", "'created_at':'1970-01-01T00:00:01Z','updated_at':'1970-01-01T00:00:02Z'" },
	{ "M1 null clears", WITH("'system':'s'"), "{'system':null}", "'system':null" },
	{ "M1 the empty text clears too", WITH("'system':'s'"), "{'system':''}", "'version':2,'name':'a','description':null,'system':null" },
	{ "M1 null clears a list", WITH("'skills':[{'type':'custom','skill_id':'s'}]"), "{'skills':null}", "'skills':[]" },
	{ "M1 a list is replaced whole", WITH("'skills':[{'type':'custom','skill_id':'s'}]"), "{'skills':[{'type':'custom','skill_id':'t'}]}", "'skills':[{'type':'custom','skill_id':'t','version':'latest'}]" },
	{ "M1 a model is replaced whole", "{'name':'a','model':{'id':'x','effort':'low'}}", "{'model':'y'}", "'model':{'id':'y','speed':'standard'}" },
	{ "M1 limits are merged", WITH("'limits':{'max_steps':3,'turn_timeout_s':5}"), "{'limits':{'max_steps':4}}", "'max_steps':4,'turn_timeout_s':5,'tool_timeout_s':120}" },
	{ "M1 a limit of null is the usual one", WITH("'limits':{'max_steps':3,'turn_timeout_s':5}"), "{'limits':{'max_steps':null}}", "'max_steps':10,'turn_timeout_s':5,'tool_timeout_s':120}" },
	{ "M1 limits of null are the usual ones", WITH("'limits':{'max_steps':3,'turn_timeout_s':5}"), "{'limits':null}", "'max_steps':10,'turn_timeout_s':1800,'tool_timeout_s':120}" },
	{ "M1 metadata is merged, null deletes a key", WITH("'metadata':{'a':'1','b':'2'}"), "{'metadata':{'a':null,'c':'3'}}", "'metadata':{'b':'2','c':'3'}" },
	{ "M1 metadata of null is empty", WITH("'metadata':{'a':'1'}"), "{'metadata':null}", "'metadata':{}" },
	{ "M1 name cannot be cleared", SMALL, "{'name':null}", "error: name: must be a string, not null" },
	{ "T3 a model is taken back", SMALL, "{'model':null}", "'version':2,'name':'a','description':null,'system':null,'model':null" },
	{ "T3 none stays none", "{'name':'a'}", "{'name':'b'}", "'model':null" },
	{ "T3 none becomes one", "{'name':'a'}", "{'model':'demo'}", "'version':2,'name':'a','description':null,'system':null,'model':{'id':'demo'" },
	{ "M1 the version that is expected", SMALL, "{'version':1,'name':'b'}", "'version':2,'name':'b'" },
	{ "M1 another version is a conflict", SMALL, "{'version':2,'name':'b'}", "conflict: version: the agent is at version 1, not 2" },
	{ "M1 a version of zero", SMALL, "{'version':0}", "error: version: must be an integer of at least 1, not 0" },
	{ "M1 a version that is no integer", SMALL, "{'version':'1'}", "error: version: must be a number or null" },
	{ "M1 no change, same version", SMALL, "{}", "same" },
	{ "M1 the same again, same version", WITH("'system':'s','metadata':{'k':'v'}"), "{'name':'a','model':{'id':'demo'},'system':'s','metadata':{'k':'v'},'limits':{},'version':1}", "same" },
	{ "M1 members in another order, same version", WITH("'tools':[{'type':'custom','name':'t','description':'d','input_schema':{'type':'object','x':1,'y':2}}]"),
	  "{'tools':[{'input_schema':{'y':2,'x':1,'type':'object'},'description':'d','name':'t','type':'custom'}]}", "same" },
	/* clang-format on */
};

static void
row_holds(void **state)
{
	definition_row_holds(*state, make);
}

static const struct list_end ENDS[] = {
	/* clang-format off */
	{ "M1 at most 20 skills", "{'name':'a','model':'demo','skills':[", "{'type':'custom','skill_id':'s#'}", "]}", 20, "skills: must have at most 20 skills, not 21" },
	{ "M1 at most 256 rules", "{'name':'a','model':'demo','approval_rules':[", "{'tool':'t#','action':'ask'}", "]}", 256, "approval_rules: must have at most 256 rules, not 257" },
	{ "M1 at most 16 pairs", "{'name':'a','model':'demo','metadata':{", "'k#':''", "}}", 16, "metadata: must leave at most 16 pairs, not 17" },
	/* clang-format on */
};

static void
end_holds(void **state)
{
	list_end_holds(*state, make);
}

static void
M1_texts_end_at_their_limits(void **state)
{
	static const struct {
		const char *member;
		size_t max;
	} LIMITS[] = { { "name", 256 }, { "description", 2048 }, { "system", 100000 } };
	struct definition_text out;
	struct err e = { 0 };
	struct arena a;

	(void)state;
	arena_init(&a);
	for (size_t i = 0; i < ARRAY_LEN(LIMITS); i++)
		for (size_t more = 0; more < 2; more++) {
			size_t count = LIMITS[i].max + more;
			char *text = arena_alloc(&a, 2 * count + 1);
			struct str body;

			for (size_t c = 0; c < count; c++) { /* characters, not bytes */
				memcpy(text + 2 * c, "\xc3\xa4", 2);
			}
			body = arena_printf(&a, "{\"%s\":\"%s\"}", LIMITS[i].member, text);
			assert_int_equal(make((struct json){ 0 }, 1, json_of(quoted(&a, SMALL), &a),
					      &a, &out, &e),
					 0);
			assert_int_equal(make(json_of(out.text.ptr, &a), 2, json_of(body.ptr, &a),
					      &a, &out, &e),
					 more ? ERR_INVALID : 0);
		}
	arena_release(&a);
}

static void
M1_a_definition_has_a_megabyte(void **state)
{
	struct definition_text out;
	struct err e = { 0 };
	struct arena a;
	struct buf body;

	(void)state;
	arena_init(&a);
	buf_init(&body, 8 << 20);
	buf_puts(&body, "{\"name\":\"a\",\"model\":\"demo\",\"tools\":[");
	for (int i = 0; i < 100; i++) {
		buf_printf(&body,
			   "%s{\"type\":\"custom\",\"name\":\"t%d\",\"description\":\"d\","
			   "\"input_schema\":{\"type\":\"object\",\"x\":\"%011000d\"}}",
			   i > 0 ? "," : "", i, 0);
	}
	buf_puts(&body, "]}");
	buf_putc(&body, '\0');
	assert_int_equal(make((struct json){ 0 }, 1, json_of(body.ptr, &a), &a, &out, &e),
			 ERR_TOO_LARGE);
	buf_release(&body);
	arena_release(&a);
}

static void
M1_an_archived_agent_does_not_change(void **state)
{
	struct definition_text out, again;
	struct json archived;
	struct err e = { 0 };
	struct arena a;

	(void)state;
	arena_init(&a);
	assert_int_equal(
		make((struct json){ 0 }, 1000, json_of(quoted(&a, SMALL), &a), &a, &out, &e), 0);
	assert_false(definition_is_archived(json_of(out.text.ptr, &a)));
	assert_int_equal(definition_archive(json_of(out.text.ptr, &a), 5000, &a, &out, &e), 0);
	assert_true(out.changed);
	assert_int_equal(out.version, 1);
	assert_non_null(strstr(
		out.text.ptr, "\"archived_at\":\"1970-01-01T00:00:05Z\",\"created_at\":"
			      "\"1970-01-01T00:00:01Z\",\"updated_at\":\"1970-01-01T00:00:05Z\"}"));
	archived = json_of(out.text.ptr, &a);
	assert_true(definition_is_archived(archived));
	assert_int_equal(definition_archive(archived, 9000, &a, &again, &e), 0);
	assert_false(again.changed);
	check_str("archived twice", again.text, out.text);
	assert_int_equal(make(archived, 6000, json_of("{}", &a), &a, &out, &e), ERR_CONFLICT);
	assert_string_equal(e.text, "the agent is archived and does not change any more");
	arena_release(&a);
}

static void
M1_a_session_may_run_it_with_other_members(void **state)
{
	struct definition_text made;
	struct json current;
	struct err e = { 0 };
	struct str out;
	struct arena a;

	(void)state;
	arena_init(&a);
	assert_int_equal(make((struct json){ 0 }, 1000,
			      json_of(quoted(&a, WITH("'system':'s'")), &a), &a, &made, &e),
			 0);
	current = json_of(made.text.ptr, &a);
	assert_int_equal(agent_def_override(
				 current,
				 json_of(quoted(&a, "{'type':'agent_with_overrides','id':'agent_1',"
						    "'version':1,'model':'other','system':null}"),
					 &a),
				 &a, &out, &e),
			 0);
	assert_non_null(strstr(out.ptr, "\"version\":1,\"name\":\"a\",\"description\":null,"
					"\"system\":null,\"model\":{\"id\":\"other\""));
	assert_non_null(strstr(out.ptr, "\"updated_at\":\"1970-01-01T00:00:01Z\""));
	assert_int_equal(agent_def_override(current, json_of("{\"name\":\"x\"}", &a), &a, &out, &e),
			 ERR_INVALID);
	assert_non_null(strstr(e.text, "name: unknown field"));
	assert_int_equal(agent_def_override(current, json_of("{\"tools\":[1]}", &a), &a, &out, &e),
			 ERR_INVALID);
	arena_release(&a);
}

/* A random body; the same seed gives the same one. */
static struct json
random_body(struct rand *r, struct arena *a)
{
	/* clang-format off */
	static const char *const MEMBERS[] = {
		"\"name\":\"n%d\"",
		"\"description\":\"d%d\"",
		"\"system\":\"s%d\"",
		"\"model\":{\"id\":\"m%d\",\"effort\":\"low\"}",
		"\"metadata\":{\"k\":\"%d\",\"gone\":null}",
		"\"limits\":{\"max_steps\":1%d}",
		"\"tools\":[{\"type\":\"mcp_toolset\",\"mcp_server_name\":\"s%d\"}]",
		"\"multiagent\":{\"type\":\"coordinator\",\"agents\":[{\"type\":\"self\"}]},\"skills\":[{\"type\":\"custom\",\"skill_id\":\"s%d\"}]",
		"\"access\":null,\"approval_rules\":[{\"tool\":\"t%d\",\"action\":\"ask\"}]",
	};
	/* clang-format on */
	struct buf out;
	struct str text;

	buf_init(&out, 4096);
	buf_putc(&out, '{');
	for (size_t i = 0; i < ARRAY_LEN(MEMBERS); i++) {
		if (rand_below(r, 3) > 0)
			continue;
		if (out.len > 1)
			buf_putc(&out, ',');
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		buf_printf(&out, MEMBERS[i], (int)rand_below(r, 3));
#pragma GCC diagnostic pop
	}
	buf_putc(&out, '}');
	text = arena_str(a, buf_str(&out));
	buf_release(&out);
	return json_of(text.ptr, a);
}

/* A body a second time changes nothing; versions count every change and nothing else. */
static void
M1_updates_are_idempotent_and_versions_dense(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < suite_seeds(200); seed++) {
		struct definition_text now, next;
		struct err e = { 0 };
		struct rand r;
		struct arena a;
		int64_t version = 1;

		rand_init_seed(&r, seed);
		arena_init(&a);
		assert_int_equal(
			make((struct json){ 0 }, 1, json_of(quoted(&a, SMALL), &a), &a, &now, &e),
			0);
		for (int step = 0; step < 8; step++) {
			struct json body = random_body(&r, &a);

			if (make(json_of(now.text.ptr, &a), step, body, &a, &next, &e) != 0)
				fail_msg("seed %llu: %s", (unsigned long long)seed, e.text);
			if (next.version != version + next.changed ||
			    str_eq(next.text, now.text) == next.changed)
				fail_msg("seed %llu: version", (unsigned long long)seed);
			version = next.version;
			now = next;
			assert_int_equal(
				make(json_of(now.text.ptr, &a), step + 100, body, &a, &next, &e),
				0);
			if (next.changed || !str_eq(next.text, now.text))
				fail_msg("seed %llu: a repeat changed it",
					 (unsigned long long)seed);
		}
		arena_release(&a);
	}
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, row_holds);
	SUITE_ROWS(&s, ENDS, end_holds);
	SUITE_TEST(&s, M1_texts_end_at_their_limits);
	SUITE_TEST(&s, M1_a_definition_has_a_megabyte);
	SUITE_TEST(&s, M1_an_archived_agent_does_not_change);
	SUITE_TEST(&s, M1_a_session_may_run_it_with_other_members);
	SUITE_TEST(&s, M1_updates_are_idempotent_and_versions_dense);
	return suite_run(&s, "agent_def");
}

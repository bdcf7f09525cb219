#include "core/agent_roster.h"

#include "core/agent_def.h"
#include "definition_rows.h"

/* What the other agents are like. */
static const struct agent_ref KNOWN[] = {
	{ .id = { "plain", 5 }, .version = 7 },
	{ .id = { "old", 3 }, .version = 2, .archived = true },
	{ .id = { "boss", 4 }, .version = 1, .coordinates = true },
};

static int
make(struct json current, int64_t now_ms, struct json body, struct arena *a,
     struct definition_text *out, struct err *e)
{
	struct agent_facts f = { .id = STR("agent_1"), .now_ms = now_ms, .current = current };
	int rc = agent_roster_read(body, f.id, a, &f.roster, e);

	for (size_t i = 0; rc == 0 && i < f.roster.count; i++)
		for (size_t k = 0; k < ARRAY_LEN(KNOWN); k++)
			if (str_eq(KNOWN[k].id, f.roster.refs[i].id)) {
				f.roster.refs[i].version = KNOWN[k].version;
				f.roster.refs[i].archived = KNOWN[k].archived;
				f.roster.refs[i].coordinates = KNOWN[k].coordinates;
			}
	return rc == 0 ? agent_def_make(&f, body, a, out, e) : rc;
}

#define MULTI(value)     "{'name':'a','model':'demo','multiagent':" value "}"
#define CALLS(list)      MULTI("{'type':'coordinator','agents':[" list "]}")
#define GIVES(list)      "'multiagent':{'type':'coordinator','agents':[" list "]}"
#define REF(id, version) "{'type':'agent','id':'" id "','version':" version "}"

static const struct definition_row ROWS[] = {
	/* clang-format off */
	{ "M1 an id is the current version", CALLS("'plain'"), NULL, GIVES(REF("plain", "7")) },
	{ "M1 a reference without version too", CALLS("{'type':'agent','id':'plain'}"), NULL, GIVES(REF("plain", "7")) },
	{ "M1 a version is pinned", CALLS(REF("plain", "3")), NULL, GIVES(REF("plain", "3")) },
	{ "M1 the current version is pinned", CALLS(REF("plain", "7")), NULL, GIVES(REF("plain", "7")) },
	{ "M1 a version that is not there", CALLS(REF("plain", "8")), NULL, "error: multiagent.agents[0]: the agent has 7 versions, there is no 8" },
	{ "M1 a version of zero", CALLS(REF("plain", "0")), NULL, "error: multiagent.agents[0].version: must be an integer of at least 1" },
	{ "M1 self is the agent itself", CALLS("{'type':'self'}"), NULL, GIVES(REF("agent_1", "1")) },
	{ "M1 its own id too", CALLS("'agent_1'"), NULL, GIVES(REF("agent_1", "1")) },
	{ "M1 self moves with the version", CALLS("{'type':'self'},'plain'"), "{'name':'b'}", GIVES(REF("agent_1", "2") "," REF("plain", "7")) },
	{ "M1 self again changes nothing", CALLS("{'type':'self'}"), "{'multiagent':{'type':'coordinator','agents':[{'type':'self'}]}}", "same" },
	{ "M1 what is not named stays", CALLS("'plain'"), "{}", "same" },
	{ "M1 null: no coordinator any more", CALLS("'plain'"), "{'multiagent':null}", "'multiagent':null" },
	{ "M1 never one, and not named", "{'name':'a','model':'demo'}", "{'name':'b'}", "'multiagent':null" },
	{ "M1 self has no id", CALLS("{'type':'self','id':'x'}"), NULL, "error: multiagent.agents[0]: self has no id and no version" },
	{ "M1 self has no version", CALLS("{'type':'self','version':1}"), NULL, "error: multiagent.agents[0]: self has no id and no version" },
	{ "M1 an agent has an id", CALLS("{'type':'agent'}"), NULL, "error: multiagent.agents[0]: an agent is named by its id" },
	{ "M1 an agent that is not there", CALLS("'nobody'"), NULL, "error: multiagent.agents[0]: there is no agent 'nobody'" },
	{ "M1 an archived agent", CALLS("'plain','old'"), NULL, "error: multiagent.agents[1]: the agent is archived" },
	{ "M1 another coordinator", CALLS("'boss'"), NULL, "error: multiagent.agents[0]: the agent is a coordinator itself" },
	{ "M1 an agent is named once", CALLS("'plain'," REF("plain", "2")), NULL, "error: multiagent.agents[1]: names 'plain' a second time" },
	{ "M1 somebody is named", CALLS(""), NULL, "error: multiagent.agents: must have 1 to 20 agents, not 0" },
	{ "M1 at most 20", CALLS("'1','2','3','4','5','6','7','8','9','10','11','12','13','14','15','16','17','18','19','20','21'"), NULL, "error: multiagent.agents: must have 1 to 20 agents, not 21" },
	{ "M1 an entry of another type", CALLS("{'type':'advisor'}"), NULL, "error: multiagent.agents[0].type: must be one of agent, self" },
	{ "M1 an entry that is no text", CALLS("1"), NULL, "error: multiagent.agents[0]: must be a string" },
	{ "M1 another topology", MULTI("{'type':'swarm','agents':['plain']}"), NULL, "error: multiagent.type: must be one of coordinator" },
	{ "M1 a topology has a type", MULTI("{'agents':['plain']}"), NULL, "error: multiagent.type: is required" },
	{ "M1 an entry has a type", CALLS("{'id':'plain'}"), NULL, "error: multiagent.agents[0].type: is required" },
	{ "M1 a coordinator has agents", MULTI("{'type':'coordinator'}"), NULL, "error: multiagent.agents: is required" },
	{ "M1 a coordinator is an object", MULTI("'coordinator'"), NULL, "error: multiagent: must be an object" },
	/* clang-format on */
};

static void
row_holds(void **state)
{
	definition_row_holds(*state, make);
}

static void
M1_only_others_are_looked_up(void **state)
{
	struct agent_roster r;
	struct err e = { 0 };
	struct arena a;

	(void)state;
	arena_init(&a);
	assert_int_equal(
		agent_roster_read(json_of(quoted(&a, CALLS("'x',{'type':'self'},'me','y'")), &a),
				  STR("me"), &a, &r, &e),
		0);
	assert_int_equal(r.count, 2);
	check_str("first", r.refs[0].id, STR("x"));
	check_str("second", r.refs[1].id, STR("y"));
	assert_int_equal(agent_roster_read(json_of("{}", &a), STR("me"), &a, &r, &e), 0);
	assert_int_equal(r.count, 0);
	arena_release(&a);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, row_holds);
	SUITE_TEST(&s, M1_only_others_are_looked_up);
	return suite_run(&s, "agent_roster");
}

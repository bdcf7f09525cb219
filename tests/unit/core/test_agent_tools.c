#include "core/agent_tools.h"

#include "core/agent_def.h"
#include "definition_rows.h"

static int
make(struct json current, int64_t now_ms, struct json body, struct arena *a,
     struct definition_text *out, struct err *e)
{
	struct agent_facts f = { .id = STR("agent_1"), .now_ms = now_ms, .current = current };

	return agent_def_make(&f, body, a, out, e);
}

#define TOOLS(list) "{'name':'a','model':'demo','tools':[" list "]}"
#define CUSTOM(name) \
	"{'type':'custom','name':'" name "','description':'d','input_schema':{'type':'object'}}"
#define SCHEMA(schema) \
	TOOLS("{'type':'custom','name':'t','description':'d','input_schema':" schema "}")
#define ALLOW "'enabled':true,'permission_policy':{'type':'always_allow'}"
#define ASK   "'enabled':true,'permission_policy':{'type':'always_ask'}"

static const struct definition_row ROWS[] = {
	/* clang-format off */
	{ "M1 a custom tool", TOOLS("{'type':'custom','name':'get_x-1','description':'gets x','input_schema':{ 'type' : 'object', 'properties' : {'a':{'type':'string'}}, 'required':['a'] }}"), NULL,
	  "'tools':[{'type':'custom','name':'get_x-1','description':'gets x','input_schema':{'type':'object','properties':{'a':{'type':'string'}},'required':['a']}}]" },
	{ "M1 a schema keeps what we do not know", SCHEMA("{'type':'object','properties':null,'required':null,'$defs':{'n':[1,-2.5e3,true,null]}}"), NULL,
	  "'input_schema':{'type':'object','properties':null,'required':null,'$defs':{'n':[1,-2.5e3,true,null]}}" },
	{ "M1 a schema has type object", SCHEMA("{'type':'string'}"), NULL, "error: tools[0].input_schema: must be a JSON Schema of type 'object'" },
	{ "M1 a schema without type", SCHEMA("{}"), NULL, "error: tools[0].input_schema: must be" },
	{ "M1 a schema's properties", SCHEMA("{'type':'object','properties':[]}"), NULL, "error: tools[0].input_schema.properties: must be an object, not array" },
	{ "M1 a schema's required", SCHEMA("{'type':'object','required':{}}"), NULL, "error: tools[0].input_schema.required: must be an array, not object" },
	{ "M1 a schema of 32 levels", SCHEMA("{'type':'object','x':[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]}"), NULL, "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]" },
	{ "M1 a schema of 33 levels", SCHEMA("{'type':'object','x':[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]}"), NULL, "error: : nests deeper than 32 levels" },
	{ "M1 a custom tool's name", TOOLS(CUSTOM("a b")), NULL, "error: tools[0].name: must be 1 to 128 letters, digits, underscores and hyphens" },
	{ "M1 a custom tool has a name", TOOLS(CUSTOM("")), NULL, "error: tools[0].name: must be 1 to 128" },
	{ "M1 a custom tool is described", TOOLS("{'type':'custom','name':'t','input_schema':{'type':'object'}}"), NULL, "error: tools[0].description: is required" },
	{ "M1 a custom tool's description is not empty", TOOLS("{'type':'custom','name':'t','description':'','input_schema':{'type':'object'}}"), NULL, "error: tools[0].description: must have 1 to" },
	{ "M1 a custom tool has a schema", TOOLS("{'type':'custom','name':'t','description':'d'}"), NULL, "error: tools[0].input_schema: is required" },
	{ "M1 a custom tool has nothing else", TOOLS("{'type':'custom','name':'t','description':'d','input_schema':{'type':'object'},'configs':[]}"), NULL, "error: tools[0].configs: unknown field" },
	{ "M1 two custom tools", TOOLS(CUSTOM("a") "," CUSTOM("b")), NULL, "'name':'b'" },
	{ "M1 a custom tool is named once", TOOLS(CUSTOM("a") "," CUSTOM("a")), NULL, "error: tools[1]: names 'a' a second time" },
	{ "M1 a custom tool may be called bash", TOOLS(CUSTOM("bash")), NULL, "'name':'bash'" },
	{ "M1 unless the built-in one is there", TOOLS(CUSTOM("bash") ",{'type':'agent_toolset_20260401'}"), NULL, "error: tools: the custom tool 'bash' has the name of a built-in one" },
	{ "M1 another type of tool", TOOLS("{'type':'magic'}"), NULL, "error: tools[0].type: must be one of custom, agent_toolset_20260401, mcp_toolset" },
	{ "M1 a tool without type", TOOLS("{}"), NULL, "error: tools[0]: must be an object with a type: custom, agent_toolset_20260401 or mcp_toolset" },
	{ "M1 a tool is an object", TOOLS("'bash'"), NULL, "error: tools[0]: must be an object with a type" },
	{ "M1 tools are a list", "{'name':'a','model':'demo','tools':{}}", NULL, "error: tools: must be an array or null" },

	{ "M1 the built-in tools run unasked", TOOLS("{'type':'agent_toolset_20260401'}"), NULL, "'tools':[{'type':'agent_toolset_20260401','default_config':{" ALLOW "},'configs':[]}]" },
	{ "M1 the built-in tools, all asked", TOOLS("{'type':'agent_toolset_20260401','default_config':{'permission_policy':{'type':'always_ask'}}}"), NULL, "'default_config':{" ASK "}" },
	{ "M1 auto is a policy", TOOLS("{'type':'agent_toolset_20260401','default_config':{'permission_policy':{'type':'auto'}}}"), NULL, "'permission_policy':{'type':'auto'}" },
	{ "M1 null is the default", TOOLS("{'type':'agent_toolset_20260401','default_config':{'enabled':null,'permission_policy':null},'configs':null}"), NULL, "'default_config':{" ALLOW "},'configs':[]" },
	{ "M1 a tool's own configuration", TOOLS("{'type':'agent_toolset_20260401','default_config':{'enabled':false},'configs':[{'name':'bash','type':'bash','enabled':true,'permission_policy':{'type':'always_ask'}},{'name':'read'}]}"), NULL,
	  "'configs':[{'name':'bash','type':'bash'," ASK "},{'name':'read','type':'read','enabled':false,'permission_policy':{'type':'always_allow'}}]" },
	{ "M1 another built-in tool", TOOLS("{'type':'agent_toolset_20260401','configs':[{'name':'rm'}]}"), NULL, "error: tools[0].configs[0].name: must be one of bash, read, write, edit, glob, grep, web_fetch, web_search" },
	{ "M1 a configuration's type is its name", TOOLS("{'type':'agent_toolset_20260401','configs':[{'name':'bash','type':'read'}]}"), NULL, "error: tools[0].configs[0].type: must be 'bash', like the name" },
	{ "M1 a tool is configured once", TOOLS("{'type':'agent_toolset_20260401','configs':[{'name':'bash'},{'name':'bash'}]}"), NULL, "error: tools[0].configs[1]: names 'bash' a second time" },
	{ "M1 enabled is true or false", TOOLS("{'type':'agent_toolset_20260401','default_config':{'enabled':1}}"), NULL, "error: tools[0].default_config.enabled: must be true or false" },
	{ "M1 another policy", TOOLS("{'type':'agent_toolset_20260401','default_config':{'permission_policy':{'type':'never'}}}"), NULL, "error: tools[0].default_config.permission_policy.type: must be one of always_allow, always_ask, auto" },
	{ "M1 a policy has a type", TOOLS("{'type':'agent_toolset_20260401','configs':[{'name':'bash','permission_policy':{}}]}"), NULL, "error: tools[0].configs[0].permission_policy.type: is required" },
	{ "M1 a default has nothing else", TOOLS("{'type':'agent_toolset_20260401','default_config':{'name':'x'}}"), NULL, "error: tools[0].default_config.name: unknown field" },
	{ "M1 the built-in tools are there once", TOOLS("{'type':'agent_toolset_20260401'},{'type':'agent_toolset_20260401'}"), NULL, "error: tools[1]: names agent_toolset_20260401 a second time" },
	{ "M1 the built-in tools have no server", TOOLS("{'type':'agent_toolset_20260401','mcp_server_name':'s'}"), NULL, "error: tools[0].mcp_server_name: unknown field" },

	{ "M1 a server's tools ask first", TOOLS("{'type':'mcp_toolset','mcp_server_name':'s'}"), NULL, "'tools':[{'type':'mcp_toolset','mcp_server_name':'s','default_config':{" ASK "},'configs':[]}]" },
	{ "M1 a server's tool may run unasked", TOOLS("{'type':'mcp_toolset','mcp_server_name':'s','configs':[{'name':'x.y','permission_policy':{'type':'always_allow'}}]}"), NULL, "'configs':[{'name':'x.y'," ALLOW "}]" },
	{ "M1 a server's tool has no type", TOOLS("{'type':'mcp_toolset','mcp_server_name':'s','configs':[{'name':'x','type':'x'}]}"), NULL, "error: tools[0].configs[0].type: unknown field" },
	{ "M1 a server's tool has a name", TOOLS("{'type':'mcp_toolset','mcp_server_name':'s','configs':[{}]}"), NULL, "error: tools[0].configs[0].name: is required" },
	{ "M1 a server is named", TOOLS("{'type':'mcp_toolset'}"), NULL, "error: tools[0].mcp_server_name: is required" },
	{ "M1 a server's name is not empty", TOOLS("{'type':'mcp_toolset','mcp_server_name':''}"), NULL, "error: tools[0].mcp_server_name: must have 1 to 255" },
	{ "M1 a server's tools are there once", TOOLS("{'type':'mcp_toolset','mcp_server_name':'s'},{'type':'mcp_toolset','mcp_server_name':'s'}"), NULL, "error: tools[1]: names 's' a second time" },
	{ "M1 two servers", TOOLS("{'type':'mcp_toolset','mcp_server_name':'s'},{'type':'mcp_toolset','mcp_server_name':'t'}"), NULL, "'mcp_server_name':'t'" },
	{ "M1 tools are replaced whole", TOOLS(CUSTOM("a") "," CUSTOM("b")), "{'tools':[" CUSTOM("b") "]}", "'tools':[{'type':'custom','name':'b'" },
	{ "M1 no tools any more", TOOLS(CUSTOM("a")), "{'tools':[]}", "'tools':[]" },
	{ "M1 the same tools again", TOOLS("{'type':'agent_toolset_20260401'}"), "{'tools':[{'type':'agent_toolset_20260401','default_config':{'enabled':true}}]}", "same" },
	/* clang-format on */
};

static void
row_holds(void **state)
{
	definition_row_holds(*state, make);
}

static const struct list_end ENDS[] = {
	/* clang-format off */
	{ "M1 at most 128 tools", "{'name':'a','model':'demo','tools':[", CUSTOM("t#"), "]}", 128, "tools: must have at most 128 tools, not 129" },
	{ "M1 at most 128 configs", "{'name':'a','model':'demo','tools':[{'type':'mcp_toolset','mcp_server_name':'s','configs':[", "{'name':'t#'}", "]}]}", 128, "tools[0].configs: must have at most 128 entries, not 129" },
	/* clang-format on */
};

static void
end_holds(void **state)
{
	list_end_holds(*state, make);
}

static void
T8_a_tools_own_config_wins_over_its_blocks(void **state)
{
	struct agent_tool_config c;
	struct arena a;
	struct json block;

	(void)state;
	arena_init(&a);
	block = json_of(quoted(&a, "{'type':'agent_toolset_20260401','default_config':{"
				   "'permission_policy':{'type':'always_ask'}},'configs':["
				   "{'name':'read','permission_policy':{'type':'auto'}},"
				   "{'name':'bash','enabled':false}]}"),
			&a);
	c = agent_tools_config(block, STR("write"));
	assert_true(c.enabled);
	assert_int_equal(c.policy, APPROVAL_ALWAYS_ASK);
	assert_int_equal(agent_tools_config(block, STR("read")).policy, APPROVAL_AUTO);
	c = agent_tools_config(block, STR("bash"));
	assert_false(c.enabled);
	assert_int_equal(c.policy, APPROVAL_ALWAYS_ASK);
	block = json_of(quoted(&a, "{'type':'mcp_toolset'}"), &a);
	assert_int_equal(agent_tools_config(block, STR("x")).policy, APPROVAL_ALWAYS_ASK);
	block = json_of(quoted(&a, "{'type':'agent_toolset_20260401'}"), &a);
	assert_int_equal(agent_tools_config(block, STR("bash")).policy, APPROVAL_ALWAYS_ALLOW);
	assert_true(agent_tools_is_built_in(STR("web_fetch")));
	assert_false(agent_tools_is_built_in(STR("process_list")));
	arena_release(&a);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, row_holds);
	SUITE_ROWS(&s, ENDS, end_holds);
	SUITE_TEST(&s, T8_a_tools_own_config_wins_over_its_blocks);
	return suite_run(&s, "agent_tools");
}

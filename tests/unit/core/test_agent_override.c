#include "core/agent_override.h"

#include "harness.h"
#include "json_of.h"

#define SET(policy)                                                                                \
	"{\"type\":\"agent_toolset_20260401\",\"default_config\":{\"permission_policy\":\"" policy \
	"\"}}"
#define CUSTOM "{\"type\":\"custom\",\"name\":\"deploy\"}"
#define DOCS   "{\"type\":\"url\",\"name\":\"docs\",\"url\":\"https://a\"}"

static const struct override_row {
	const char *name, *base, *wanted, *member;
} ROWS[] = {
	/* clang-format off */
	{ "M2 nothing changes", "{\"tools\":[" SET("ask") "],\"mcp_servers\":[" DOCS "]}", "{\"tools\":[" SET("ask") "],\"mcp_servers\":[" DOCS "]}", NULL },
	{ "M2 some are left out", "{\"tools\":[" SET("ask") "," CUSTOM "],\"mcp_servers\":[" DOCS "]}", "{\"tools\":[" CUSTOM "],\"mcp_servers\":[]}", NULL },
	{ "M2 custom tools are the client's", "{\"tools\":[" SET("ask") "]}", "{\"tools\":[" SET("ask") "," CUSTOM "]}", NULL },
	{ "M2 another policy is not", "{\"tools\":[" SET("ask") "]}", "{\"tools\":[" SET("allow") "]}", "tools" },
	{ "M2 nor is a block that was not there", "{\"tools\":[]}", "{\"tools\":[" SET("ask") "]}", "tools" },
	{ "M2 beside those that were", "{\"tools\":[" SET("ask") "]}", "{\"tools\":[" SET("ask") "," CUSTOM "," SET("allow") "]}", "tools" },
	{ "M2 an MCP server", "{\"mcp_servers\":[]}", "{\"mcp_servers\":[" DOCS "]}", "mcp_servers" },
	{ "M2 an agent without lists", "{}", "{\"tools\":[" SET("ask") "]}", "tools" },
	{ "M2 the order of members is no change", "{\"tools\":[{\"type\":\"x\",\"a\":1}]}", "{\"tools\":[{ \"a\":1, \"type\":\"x\"}]}", NULL },
	{ "M2 other members are", "{\"tools\":[{\"type\":\"x\",\"a\":1}]}", "{\"tools\":[{\"type\":\"x\",\"a\":2}]}", "tools" },
	{ "M2 instructions are nobody's", "{\"system\":null,\"model\":{\"id\":\"a\"}}", "{\"system\":\"s\",\"model\":{\"id\":\"b\"}}", NULL },
	/* clang-format on */
};

static void
row_holds(void **state)
{
	const struct override_row *row = *state;
	const char *member;
	struct arena a;

	arena_init(&a);
	member = agent_override_of_owners(json_of(row->base, &a), json_of(row->wanted, &a), &a);
	if (!member != !row->member || (member && strcmp(member, row->member) != 0))
		fail_msg("%s", member ? member : "none");
	arena_release(&a);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, row_holds);
	return suite_run(&s, "agent_override");
}

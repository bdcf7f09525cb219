/* tool_rig - a turn_rig whose agents have tools: `worker` our own ones (bash writes, read only reads),
 * `web` those of an MCP server; both run unasked. The model is demo. */
#pragma once
#include "turn_rig.h"

#define TOOL_RIG_BLOCK(policy)                                                             \
	"{\"type\":\"agent_toolset_20260401\",\"default_config\":{\"permission_policy\":{" \
	"\"type\":\"" policy "\"}}}"
#define TOOL_RIG_AGENT(id, more)                 \
	"{\"id\":\"" id "\",\"version\":1," more \
	"\"model\":{\"id\":\"demo\"},\"tools\":[" TOOL_RIG_BLOCK("always_allow") "]}"
#define TOOL_RIG_ASKING_AGENT(id)                                                                  \
	"{\"id\":\"" id "\",\"version\":1,\"model\":{\"id\":\"demo\"},\"tools\":[" TOOL_RIG_BLOCK( \
		"always_ask") "]}"

static const struct tool_doc TOOL_RIG_LOCAL[] = {
	{ .name = STR("bash"), .description = STR("runs"), .input_schema = STR("{}") },
	{ .name = STR("read"),
	  .description = STR("reads"),
	  .input_schema = STR("{}"),
	  .read_only = true },
};
static const struct tool_doc TOOL_RIG_REMOTE[] = {
	{ .name = STR("get.page"),
	  .server = STR("web"),
	  .description = STR("gets"),
	  .input_schema = STR("{}") },
};

static inline void
tool_rig_init(struct rig *r)
{
	rig_init(r, true);
	tool_scripted_docs(r->tools, TOOL_RIG_LOCAL, ARRAY_LEN(TOOL_RIG_LOCAL));
	tool_scripted_docs(r->servers, TOOL_RIG_REMOTE, ARRAY_LEN(TOOL_RIG_REMOTE));
	rig_agent(r, "worker", TOOL_RIG_AGENT("worker", ""));
	rig_agent(r, "web",
		  "{\"id\":\"web\",\"version\":1,\"model\":{\"id\":\"demo\"},\"mcp_servers\":[{"
		  "\"type\":\"url\",\"name\":\"web\",\"url\":\"https://web.test\"}],\"tools\":[{"
		  "\"type\":\"mcp_toolset\",\"mcp_server_name\":\"web\",\"default_config\":{"
		  "\"permission_policy\":{\"type\":\"always_allow\"}}}]}");
}

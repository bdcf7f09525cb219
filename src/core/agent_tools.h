/* agent_tools - an agent's tool blocks, every default spelled out.
 * {"type":"custom","name","description","input_schema"} is executed by the API's client;
 * {"type":"agent_toolset_20260401","default_config","configs"} are the built-in tools;
 * {"type":"mcp_toolset","mcp_server_name","default_config","configs"} those of an MCP server. */
#pragma once
#include "core/approval_policy.h"
#include "core/definition.h"

/* The blocks' types. */
#define AGENT_TOOLS_CUSTOM   STR("custom")
#define AGENT_TOOLS_BUILT_IN STR("agent_toolset_20260401")
#define AGENT_TOOLS_MCP      STR("mcp_toolset")

enum { AGENT_TOOLS_MAX = 128, AGENT_TOOL_NAME_MAX = 128 };

/* Writes the array; v absent: an empty one. Built-in tools run unasked unless the block says
 * otherwise, an MCP server's ask first. A tool, and a server, is named once. */
NODISCARD int
agent_tools_write(struct definition *d, struct json v, struct json now, struct err *e);

/* A tool that configs of the built-in block may name. */
bool agent_tools_is_built_in(struct str name);
/* What a block as it was written says of one of its tools. */
struct agent_tool_config {
	bool enabled;
	enum approval_mode policy;
};
struct agent_tool_config agent_tools_config(struct json block, struct str name);

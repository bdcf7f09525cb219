/* agent_tools - an agent's tool blocks, every default spelled out.
 * {"type":"custom","name","description","input_schema"} is executed by the API's client;
 * {"type":"agent_toolset_20260401","default_config","configs"} are the built-in tools;
 * {"type":"mcp_toolset","mcp_server_name","default_config","configs"} those of an MCP server. */
#pragma once
#include "core/definition.h"

enum { AGENT_TOOLS_MAX = 128, AGENT_TOOL_NAME_MAX = 128 };

/* Writes the array; v absent: an empty one. Built-in tools run unasked unless the block says
 * otherwise, an MCP server's ask first. A tool, and a server, is named once. */
NODISCARD int
agent_tools_write(struct definition *d, struct json v, struct json now, struct err *e);

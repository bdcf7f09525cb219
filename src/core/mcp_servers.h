/* mcp_servers - the list of MCP servers that an agent or an environment brings along.
 * {"type":"url","name","url"} for both; {"type":"stdio","name","command","args"} only where there is
 * a machine to start it on. */
#pragma once
#include "core/definition.h"

enum { MCP_SERVERS_MAX = 20, MCP_SERVER_NAME_MAX = 255, MCP_URL_MAX = 2048 };

/* Writes the array; v absent: an empty one. Names are unique. */
NODISCARD int
mcp_servers_write(struct definition *d, struct json v, bool with_stdio, struct err *e);

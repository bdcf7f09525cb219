/* mcp_servers - the list of MCP servers that an agent or an environment brings along.
 * {"type":"url","name","url"} for both; {"type":"stdio","name","command","args"} only where there is
 * a machine to start it on. */
#pragma once
#include "core/definition.h"
#include "core/tool_spec.h"

enum { MCP_SERVERS_MAX = 20, MCP_SERVER_NAME_MAX = 255, MCP_URL_MAX = 2048 };

/* Writes the array; v absent: an empty one. Names are unique. */
NODISCARD int
mcp_servers_write(struct definition *d, struct json v, bool with_stdio, struct err *e);

/* Servers of a list as it was written, into out, which has room for MCP_SERVERS_MAX; how many. Texts
 * stay in the document or in a. */
size_t mcp_servers_read(struct json list, struct arena *a, struct tool_server *out);

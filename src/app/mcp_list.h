/* mcp_list - `perdure mcp list`: the MCP servers that agents and environments declare, as the API
 * shows them, and what those at a URL offer when they are asked from here. */
#pragma once
#include "base/err.h"

struct cli_call;

NODISCARD int mcp_list_run(struct cli_call *call, struct err *e);

/* launch - the transport that a declaration asks for: a child with our pipes, or HTTP. */
#pragma once
#include "tool/mcp/mcp.h"
#include "tool/mcp/transport.h"

NODISCARD int
launch_transport(const struct mcp_config *config, const struct tool_server *declared,
		 const struct tool_place *place, struct transport **out, struct err *e);

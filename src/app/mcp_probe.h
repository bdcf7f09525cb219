/* mcp_probe - what do MCP servers say of themselves? Connects to them from here, without a server of
 * ours, and waits until each has listed its tools or failed. */
#pragma once
#include "base/err.h"
#include "tool/mcp/mcp.h"

struct mcp_probe_options {
	int64_t timeout_ms; /* 0: the usual */
	enum mcp_protocol protocol;
};

/* Good during the call; peer is NULL when it could not be connected to. */
typedef void
mcp_probe_fn(void *ctx, size_t at, const struct tool_listing *listing, const struct mcp_peer *peer);

/* Asks all of them at once; fn comes once for each, in the order in which they answer. Children start
 * in directory, without a sandbox. */
void mcp_probe(const struct tool_server *servers, size_t count, struct str directory,
	       const struct mcp_probe_options *options, mcp_probe_fn *fn, void *ctx);

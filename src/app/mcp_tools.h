/* mcp_tools - the tools of MCP servers, put together for the server: a way out of their own, and
 * children in the sandbox of the session's environment. */
#pragma once
#include "base/host.h"
#include "net/loop.h"
#include "tool/tool.h"

struct mcp_tools;

/* program: our own executable, an absolute path; data: the data directory, which no child sees. */
struct mcp_tools *
mcp_tools_open(struct host *host, struct loop *loop, const char *program, const char *data);
struct toolset *mcp_tools_set(struct mcp_tools *m);
/* Accepts NULL. */
void mcp_tools_close(struct mcp_tools **m);

/* server - one MCP server that was declared: connected when its tools are wanted, shared by all who
 * want them, left when nobody did for a while, and tried again, later each time, when it fails. Tools
 * that cannot be listed anew stay as they were for a moment: calls on their way are not ended for it.
 *
 *   closed --wanted--> agreeing --> listing --> ready --idle, gone--> closed
 *                                      ^---stale----/                          */
#pragma once
#include "tool/mcp/catalog.h"
#include "tool/mcp/mcp.h"
#include "tool/mcp/rpc.h"

struct server_owner { /* what all servers share */
	const struct mcp_config *config;
	struct rpc_identity identity;
	struct list closing; /* connections that take leave */
};

struct server;

struct server_waiter {
	struct list node;
	bool fresh; /* wants the tools as they are now, not as they were when it was connected */
	/* failure NULL: it is ready. */
	void (*fn)(struct server_waiter *w, const struct mcp_failure *failure);
};

struct server *server_new(struct server_owner *owner, const struct tool_server *declared,
			  const struct tool_place *place);
/* Those who wait hear nothing any more. */
void server_free(struct server **s);
bool server_is(const struct server *s, const struct tool_server *declared,
	       const struct tool_place *place);
/* A session asks for it: the place says which is the first. */
void server_wanted_by(struct server *s, struct str session);
/* The session rests. A child that worked for it alone, and does nothing, ends. */
void server_end_session(struct server *s, struct str session);
/* Calls fn once, never from inside. w->node is initialised; removing it is how to give up. */
void server_await(struct server *s, struct server_waiter *w);
struct str server_name(const struct server *s);
bool server_accepts_defaults(const struct server *s); /* see ask_back */
/* While somebody uses it, it may not be freed. */
void server_use(struct server *s);
void server_leave(struct server *s);
/* Not connected, and nobody uses it. */
bool server_is_unused(const struct server *s);
/* While it is ready: the tools, the connection, and who it is. */
const struct catalog *server_catalog(const struct server *s);
struct rpc *server_rpc(const struct server *s);
void server_describe(const struct server *s, struct mcp_peer *out);
/* A request is on its way: the server is not idle. hold is initialised; letting go twice does no harm. */
void server_hold(struct server *s, struct list *hold);
void server_release(struct server *s, struct list *hold);
/* A call learnt that the peer has forgotten the session of that connection. Others are still answered in
 * it; whoever waits from now on gets the next one. */
void server_session_over(struct server *s, const struct rpc *rpc);
/* A call learnt that the tools are not as they were listed. */
void server_tools_changed(struct server *s);
/* "MCP server NAME: " before what the failure says. */
void server_explain(const struct server *s, const struct mcp_failure *failure, struct err *out);

/* mcp - the tools of MCP servers: one connection a declaration, shared by all sessions.
 *
 * list connects to the servers that it is asked about; one that cannot be reached is a problem of the
 * listing, not an error. start sends the call and never sends it twice, except when the server itself
 * says that it did nothing (its session is over, headers that do not match its tools). Time limits
 * begin anew with the progress that a server tells, to RPC_PATIENCE times in all. */
#pragma once
#include "base/host.h"
#include "net/child.h"
#include "net/egress.h"
#include "tool/tool.h"

enum { MCP_CONNECT_MS = 30 * 1000, MCP_IDLE_MS = 5 * 60 * 1000 };

/* How a server's command is run at that place: fills spec, texts in a. A descriptor in spec is closed
 * by the caller once the child is there. An error means that it is not run. */
typedef int mcp_wrap_fn(void *ctx, const struct tool_place *place, const char *const *argv,
			struct arena *a, struct child_spec *spec, struct err *e);

enum mcp_protocol {
	MCP_ANY,       /* whatever the server speaks */
	MCP_STATEFUL,  /* 2025-11-25 and older */
	MCP_STATELESS, /* 2026-07-28 */
};

struct mcp_config { /* what it points to outlives the toolset */
	struct host *host;
	struct loop *loop;
	struct egress *egress;
	enum egress_policy policy;
	struct str name, version; /* what we call ourselves */
	mcp_wrap_fn *wrap;        /* NULL: as it is, with PATH and HOME alone */
	void *wrap_ctx;
	int64_t connect_ms, idle_ms; /* 0: the usual */
	enum mcp_protocol protocol;
	bool accepts_defaults; /* a form that a server shows is answered with its own defaults */
};

struct toolset *mcp_tools_new(const struct mcp_config *config);

/* Who is at the other end. */
struct mcp_peer {
	struct str protocol, name, version; /* empty: not told */
	int pid;                            /* of a child; -1: it is none */
};
/* False: it is not connected. The texts are good until the loop goes on. */
bool mcp_tools_peer(struct toolset *t, const struct tool_server *declared,
		    const struct tool_place *place, struct mcp_peer *out);
/* How many connections are open or taking leave. */
size_t mcp_tools_connections(const struct toolset *t);

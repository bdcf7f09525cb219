/* tool - what a model may call and this server carries out, behind one asynchronous call.
 *
 * One thread. start returns at once; exactly one done follows, never from inside start or cancel, and
 * none after cancel. Nothing of a tool runs on the loop: an adapter starts a child or asks a peer.
 * A call that was started is never started again by an adapter: whether a call whose outcome is
 * unknown may be repeated is the engine's decision (read_only, idempotent).
 *
 * Adapters: local (bash, read, write, edit, glob, grep and background processes, in the sandbox of
 * the session's environment), mcp (tools of MCP servers), scripted (tests). */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"
#include "base/str.h"
#include "core/event_make.h"
#include "core/tool_spec.h"

/* Texts must stay until done or cancel. */
struct tool_ask {
	struct tool_place place;
	const struct tool_server *servers; /* whose tools are wanted; our own ones need none */
	size_t server_count;
};

struct tool_problem {
	struct str server;
	bool authentication; /* it wants credentials, rather than not being there */
	struct err err;
};
struct tool_listing {
	const struct tool_doc *tools;
	size_t tool_count;
	const struct tool_problem *problems; /* servers whose tools are missing */
	size_t problem_count;
};
/* Good during the call. */
typedef void tool_listed_fn(void *ctx, const struct tool_listing *listing);

struct tool_request {
	struct str id;        /* of the call's event: unique, the same after a restart */
	struct str name;      /* a server's tool: as that one calls it */
	struct str arguments; /* JSON object */
	struct tool_place place;
	const struct tool_server *server; /* NULL: our own */
	/* OUTCOME_TIMEOUT after that, and whatever ran is gone; see patience. */
	int64_t timeout_ms;
};
struct tool_result {
	enum tool_outcome outcome; /* OK, ERROR or TIMEOUT */
	struct str output; /* UTF-8, bounded by the adapter; for the model, also of an error */
};
/* Good during the call. */
typedef void tool_done_fn(void *ctx, const struct tool_result *result);

/* What runs of our own tools, each with a process of its own. */
struct tool_load {
	size_t running;    /* background processes too */
	size_t waiting;    /* calls that have not begun: as many run as may */
	size_t background; /* processes that are running, or about to */
	size_t limit;      /* of running, over all sessions; 0: none */
};

struct toolset;
struct tool_query; /* a listing on its way; gone after listed or forget */
struct tool_run;   /* a call on its way; gone after done or cancel */

struct toolset_ops {
	struct tool_query *(*list)(struct toolset *t, const struct tool_ask *ask,
				   tool_listed_fn *listed, void *ctx);
	void (*forget)(struct tool_query *query);
	struct tool_run *(*start)(struct toolset *t, const struct tool_request *request,
				  tool_done_fn *done, void *ctx);
	/* Whatever runs for it is ended; the peer is told. */
	void (*cancel)(struct tool_run *run);
	/* Background processes of a session that are running. */
	size_t (*busy)(struct toolset *t, struct str session);
	/* Ends them, and what else is there for this session alone: /stop, delete, expiry. */
	void (*end_session)(struct toolset *t, struct str session);
	/* Ends everything it started. */
	void (*free)(struct toolset *t);
	/* NULL: nothing of it ever waits. Has this call not begun yet? Its time has not, either. */
	bool (*waits)(const struct tool_run *run);
	/* NULL: it has no processes. Of one session; of all for an empty name. */
	struct tool_load (*load)(struct toolset *t, struct str session);
};
struct toolset { /* first member of the adapter's own struct */
	const struct toolset_ops *ops;
	/* A call whose peer tells of progress may take that many times its timeout_ms in all; 0: no
	 * progress is told of. */
	unsigned patience;
};

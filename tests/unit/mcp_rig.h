/* mcp_rig - the MCP toolset on a loop of its own, with mcp_peer.py at the other end. Every wait has a
 * bound. */
#pragma once
#include "app/host_loop.h"
#include "base/buf.h"
#include "harness.h"
#include "tool/mcp/mcp.h"

enum { RIG_WORDS_MAX = 8 };

struct mcp_rig;

struct rig_call {
	struct mcp_rig *rig;
	struct tool_run *run; /* NULL: over */
	unsigned dones;
	enum tool_outcome outcome;
	struct buf output;
};

struct mcp_rig {
	struct loop *loop;
	struct host *host;
	struct egress *egress;
	struct toolset *tools;
	struct loop_timer *bound;
	struct mcp_config config;
	struct tool_server server;
	struct tool_place place;
	struct str arguments[RIG_WORDS_MAX + 4];
	char log[64]; /* what the peer was asked, a line each */
	char log_word[80], url[64], script[256];
	int peer_pid, peer_stdin; /* of one over HTTP */
	unsigned listed;
	struct buf listing;  /* "name name !problem" of the last one */
	bool authentication; /* the last problem was about it */
};

/* words: of the peer, separated by blanks. The config may be changed before mcp_rig_open. */
void mcp_rig_init(struct mcp_rig *r, bool http, const char *words);
void mcp_rig_open(struct mcp_rig *r);
void mcp_rig_release(struct mcp_rig *r);
/* Waits for the listing and gives its text. */
struct str mcp_rig_list(struct mcp_rig *r);
void mcp_rig_start(struct mcp_rig *r, struct rig_call *c, const char *tool, const char *arguments,
		   int64_t timeout_ms);
/* "outcome output". */
struct str mcp_rig_await(struct mcp_rig *r, struct rig_call *c);
struct str
mcp_rig_call(struct mcp_rig *r, struct rig_call *c, const char *tool, const char *arguments);
void rig_call_release(struct rig_call *c);
void mcp_rig_run(struct mcp_rig *r, int64_t ms);
/* Runs until the peer's log has these words. */
void mcp_rig_await_log(struct mcp_rig *r, const char *words);
bool mcp_rig_logged(struct mcp_rig *r, const char *words);
/* Lines of the log that have them. */
size_t mcp_rig_count(struct mcp_rig *r, const char *words);

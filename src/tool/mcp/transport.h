/* transport - how messages travel: over the pipes of a child (stdio) or as HTTP calls (http).
 *
 * One thread; no event comes from inside a call. on_closed comes at most once, is the last event, and
 * the transport may be freed from inside it, but from inside no other one. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"
#include "base/str.h"
#include "net/http_request.h"
#include "tool/mcp/message.h"

enum mcp_fail {
	MCP_FAIL_GONE,      /* the process ended, the network broke: what was done is not known */
	MCP_FAIL_TIMEOUT,   /* no answer in time */
	MCP_FAIL_AUTH,      /* it wants credentials */
	MCP_FAIL_SESSION,   /* it does not know the session: nothing was done */
	MCP_FAIL_REFUSED,   /* it said no in a way that is not JSON-RPC's */
	MCP_FAIL_MALFORMED, /* what it says makes no sense: no more is known */
	MCP_FAIL_LOCAL,     /* never sent: refused here */
};
struct mcp_failure {
	enum mcp_fail kind;
	struct err err;
};

struct transport_out {
	int64_t id;                        /* MESSAGE_NO_ID: no answer is expected */
	struct str method;                 /* empty: it is an answer */
	struct str name;                   /* of the tool that is called; empty: none is */
	struct str text;                   /* the message */
	const struct http_header *headers; /* that mirror its arguments */
	size_t header_count;
};

/* How the peer is spoken to from now on. */
struct transport_mode {
	struct str version; /* of the protocol; empty: not agreed on yet. A literal */
	bool stateless;     /* 2026-07-28 and later */
};

struct transport_events {
	/* id: of the request in answer to which it came, if that is known. The text lives during the
	 * call. */
	void (*on_text)(void *ctx, struct str text, int64_t id);
	/* The request gets no answer any more. MESSAGE_NO_ID: what the peer says of itself does not
	 * come any more, until listen is called again. */
	void (*on_failed)(void *ctx, int64_t id, const struct mcp_failure *failure);
	void (*on_closed)(void *ctx, const struct mcp_failure *failure);
};

struct transport;
struct transport_ops {
	void (*speak)(struct transport *t, const struct transport_mode *mode);
	void (*send)(struct transport *t, const struct transport_out *out);
	/* Nothing more is wanted for the request. True: that alone tells the peer to stop. */
	bool (*settle)(struct transport *t, int64_t id, bool cancelled);
	/* What the peer says of itself is wanted too. */
	void (*listen)(struct transport *t);
	/* The peer is told that we leave; on_closed follows when it knows. */
	void (*hang_up)(struct transport *t);
	void (*free)(struct transport *t);
};
struct transport { /* first member of the adapter's own struct */
	const struct transport_ops *ops;
	const struct transport_events *events;
	void *ctx;
};

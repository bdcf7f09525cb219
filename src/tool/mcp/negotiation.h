/* negotiation - which version of the protocol do both sides speak, and who is the other one?
 *
 * server/discover tells a peer of 2026-07-28, which is asked for nothing else. Any answer but one of
 * its kind means an older peer, which wants the handshake (initialize). A peer that says nothing to
 * the first is offered the second as well; the first good answer decides. */
#pragma once
#include "base/arena.h"
#include "tool/mcp/mcp.h"
#include "tool/mcp/rpc.h"

struct agreement {
	struct transport_mode mode; /* the rpc speaks it already */
	struct str name, version;   /* of the peer, or empty; good during the call */
	bool tells_changes;         /* of its tools, by itself */
};

struct negotiation;
/* Exactly one of the two is set. The negotiation is gone. */
typedef void
negotiation_fn(void *ctx, const struct agreement *agreement, const struct mcp_failure *failure);

struct negotiation_terms {
	struct host *host;
	struct rpc *rpc;
	const struct rpc_identity *identity;
	enum mcp_protocol protocol;
};
/* fn comes once, never from inside. There is no time limit: the owner has one. */
struct negotiation *
negotiation_new(const struct negotiation_terms *terms, negotiation_fn *fn, void *ctx);
/* Nothing comes any more. Clears the pointer, accepts NULL. */
void negotiation_free(struct negotiation **n);

/* listing - which tools does a server have? All the pages of tools/list, one after the other. */
#pragma once
#include "tool/mcp/catalog.h"
#include "tool/mcp/rpc.h"

struct listing;

struct listing_result {
	struct catalog catalog; /* the receiver's from now on */
	int64_t ttl_ms;         /* how long the peer says that it is good; -1: it does not say */
};
/* Exactly one of the two is set. The listing is gone. */
typedef void
listing_fn(void *ctx, const struct listing_result *result, const struct mcp_failure *failure);

struct listing_terms {
	struct rpc *rpc;
	struct str server; /* its name, for the log; outlives the listing */
	bool over_http;    /* see catalog_add */
};
/* fn comes once, never from inside. There is no time limit: the owner has one. */
struct listing *listing_new(const struct listing_terms *terms, listing_fn *fn, void *ctx);
/* Nothing comes any more; the peer is told. Clears the pointer, accepts NULL. */
void listing_free(struct listing **l);

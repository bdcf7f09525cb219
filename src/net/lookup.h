/* lookup - which addresses has a name? Asked on threads of its own, because the resolver blocks for
 * as long as its servers are silent.
 *
 * Not libuv's pool: it lets two lookups run at a time and joins its threads at exit, so two names
 * whose servers do not answer would hold up every other lookup and the end of the process. Here a
 * lookup that nobody waits for any more is left to itself; it costs a thread until it is through. */
#pragma once
#include "base/err.h"
#include "net/loop.h"
#include "net/net_address.h"

enum { LOOKUP_ADDRESSES_MAX = 16 };

struct lookup_found {
	struct net_address addresses[LOOKUP_ADDRESSES_MAX]; /* in the order of preference */
	size_t count;
};

/* Asks and waits; on any thread. What counts is the first LOOKUP_ADDRESSES_MAX of them. */
typedef int (*lookup_fn)(const char *name, struct lookup_found *out, struct err *e);
/* The system's resolver: getaddrinfo. */
NODISCARD int lookup_system(const char *name, struct lookup_found *out, struct err *e);

struct lookup_pool;
/* At most `threads` at a time; more wait their turn. */
struct lookup_pool *lookup_pool_new(struct loop *loop, lookup_fn fn, unsigned threads);
/* Lookups that are left are cancelled. */
void lookup_pool_free(struct lookup_pool **pool);

struct lookup;
/* rc is 0 or an ERR_* with its sentence in e. Exactly once; the lookup is gone when it is called. */
typedef void (*lookup_done_fn)(void *context, int rc, const struct lookup_found *found,
			       const struct err *e);
struct lookup *
lookup_new(struct lookup_pool *pool, struct str name, lookup_done_fn fn, void *context);
/* Never waits. fn is not called any more. */
void lookup_cancel(struct lookup **lookup);

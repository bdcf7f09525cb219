/* mem - the reference adapter: a store in memory, for tests and the simulator.
 *
 * Each session is a core/replay with its events, so the projections are the replay by construction.
 * Everything happens on the owner's thread: an item takes effect in store_dispatch, right before its
 * callback, and the rows of a read are handed out there. "Durable" means: as long as the store. */
#pragma once
#include "store/store.h"

/* incarnation: the name under which leases are held; must not be empty. */
struct store *store_mem_new(struct store_owner owner, const char *incarnation);

/* The process died and came back under another name: what was not dispatched is gone, unwritten and
 * unanswered; leases of other incarnations count for nothing; the data stays. */
void store_mem_restart(struct store *s, struct store_owner owner, const char *incarnation);

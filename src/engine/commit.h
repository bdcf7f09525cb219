/* commit - one batch item from its parts to the store, and the order of what follows: durable, told
 * to the watchers, then answered to whoever asked. Nobody hears of anything before. */
#pragma once
#include "engine/engine_private.h"

struct commit;

/* What a commit is given is copied into its arena. session empty: records only. */
struct commit *commit_new(struct engine *en, struct str session);
struct engine *commit_engine(const struct commit *c);
/* A second part, of another session, in the same all-or-nothing change; filled like the first (what is
 * put or keyed with it belongs to both), gone with it, neither submitted nor abandoned by itself. */
struct commit *commit_join(struct commit *c, struct str session);
/* Dies with the commit, after done. */
struct arena *commit_arena(struct commit *c);
/* To fill: preconditions that the store checks in the transaction. */
struct store_require *commit_require(struct commit *c);
void commit_lease(struct commit *c, enum store_lease lease);
/* The deleted session goes by it; without events. */
void commit_purge(struct commit *c);
/* Asks whether the session comes to rest by it: result.store->rests. */
void commit_ask_rest(struct commit *c);

struct commit_event {
	enum event_kind kind;
	enum event_author author;
	struct str id;   /* empty: one is made */
	struct str turn; /* empty: none */
	struct str meta, payload;
	bool borrowed; /* its texts stay until done: nothing is copied */
};
/* Appends an event, now; returns its id. */
struct str commit_append(struct commit *c, const struct commit_event *ev);
/* The usual author, no meta; payload is what core/event_make wrote into buf (which is released). */
struct str
commit_append_made(struct commit *c, enum event_kind kind, struct str turn, struct buf *payload);
void commit_put(struct commit *c, const struct store_put *put);
/* Nothing happens for a repeat that is NULL or without a key. answer: what a replay needs. */
void commit_repeat(struct commit *c, const struct engine_repeat *repeat, struct str answer);
/* At most four, with those of commit_repeat. expires_at_ms 0: 30 days from now. */
void commit_key(struct commit *c, const struct store_key *key);

struct commit_result {
	const struct store_result *store;
	const struct event *events; /* with seq; good during the call */
	size_t event_count;
	const struct event *joined_events; /* the same of the joined part */
	size_t joined_count;
};
typedef void commit_fn(void *ctx, const struct commit_result *result);
/* Hands the item over. Watchers are told before done is called. c is gone afterwards. */
void commit_submit(struct commit *c, commit_fn *done, void *ctx);
void commit_abandon(struct commit **c);

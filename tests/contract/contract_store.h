/* contract_store - what every adapter of store/store.h must do, as one suite.
 *
 * An adapter joins with a factory and a main of a few lines; no test knows which one it runs on. Each
 * part says in its head how the same promise looks on PostgreSQL, where several nodes share one
 * store, so that the adapter can join without a change to the port:
 * - part_log: order, seqs, the chain, all or nothing      - part_read: every query, page by page
 * - part_require: every precondition, held and broken     - part_blob: payloads of every size
 * - part_key: repeats                                     - part_life: answers, watch, free, restart
 * - part_lease: fences and who may write                  - part_projection: projections equal replay
 * - part_record: versions and lists                     - part_join: one change of two sessions
 * - part_fork: a session that begins with another's transcript
 * - part_purge: what becomes of deleted sessions */
#pragma once
#include "harness.h"
#include "store/store.h"

struct contract_adapter {
	const char *name;
	/* A store without data; *place is the adapter's own and comes back with every later call. */
	struct store *(*open)(void **place, struct store_owner owner);
	/* Another incarnation over the same data; nothing is under way. */
	struct store *(*restart)(void *place, struct store *s, struct store_owner owner);
	/* The store was freed already; removes what it left. */
	void (*clear)(void *place);
};

/* The return value of main. */
int contract_store_run(const struct contract_adapter *a);

/* The parts; each adds its tests. */
void contract_log(struct suite *s);
void contract_require(struct suite *s);
void contract_join(struct suite *s);
void contract_key(struct suite *s);
void contract_lease(struct suite *s);
void contract_record(struct suite *s);
void contract_blob(struct suite *s);
void contract_read(struct suite *s);
void contract_list(struct suite *s);
void contract_life(struct suite *s);
void contract_projection(struct suite *s);
void contract_fork(struct suite *s);
void contract_purge(struct suite *s);

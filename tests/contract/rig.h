/* rig - one store under test, with a model of what its logs must be.
 *
 * Items are written as scripts (tests/unit/replay_log.h) and answered synchronously. Whatever the
 * store acknowledges is folded into the model's own replay of that session, and its seqs and chain
 * hash are compared on the spot. Everything handed out lives as long as the rig. */
#pragma once
#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"
#include "contract_store.h"
#include "core/event_make.h"
#include "core/replay.h"
#include "rows.h"
#include "store/store.h"

/* What the model knows of one session. */
struct model {
	struct str session;
	struct replay *replay;
	VEC(struct event) events;
};

struct answer {
	bool done, inside_call;
	size_t order; /* among all answers of the rig, from 1 */
	struct store_result result;
	const struct store_item *item;
	struct rig *rig;
};

struct watched {
	struct str session;
	int64_t head_seq;
	size_t order; /* answers given before it */
};

struct rig {
	struct store *store;
	void *place;
	struct arena arena;
	struct map models;
	bool in_call; /* a call of the port is on the stack */
	size_t answers;
	int wakeups; /* atomically */
	VEC(struct watched) watched;
};

/* Which adapter rig_new opens; set by contract_store_run. */
void rig_use(const struct contract_adapter *a);
struct rig *rig_new(void);
void rig_free(struct rig **r);
void rig_restart(struct rig *r);

/* The session's model, made when it is missing. */
struct model *rig_model(struct rig *r, const char *session);
/* It was purged: the model begins anew. */
void rig_forget(struct rig *r, const char *session);
/* A replay of the model's log up to that seq; the caller frees it. */
struct replay *rig_fold(struct rig *r, const char *session, int64_t up_to);
/* An item with the script's events behind what the model has; session.created and `absent` come by
 * themselves when the session is new. The caller may change it before it is submitted. */
struct store_item *rig_item(struct rig *r, const char *session, const char *script);
/* One more event of the caller's own making. */
struct store_item *rig_item_of(struct rig *r, const char *session, const struct event *ev);
/* A created session whose facts matter. */
struct store_item *rig_item_created(struct rig *r, const char *session, struct make_created m);

struct answer *rig_submit(struct rig *r, const struct store_item *item);
void rig_await(struct rig *r, struct answer *a);
/* Submits and awaits. */
const struct store_result *rig_append(struct rig *r, const struct store_item *item);
/* Appends each step as an item of its own; each must be acknowledged. */
void rig_do(struct rig *r, const char *session, const char *script);
/* The item gives this code; a refusal leaves no trace. what names it in a failure. */
void rig_expect(struct rig *r, const char *what, const struct store_item *item, int want);

/* One page, awaited. */
void rig_read(struct rig *r, const struct store_query *q, struct rows *out);
/* The same query for a session, a whole page of it. */
void rig_list(struct rig *r, enum store_query_kind kind, const char *session, struct rows *out);

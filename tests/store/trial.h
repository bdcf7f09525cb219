/* trial - items sent to a store, what became of each, and whether a store opened later agrees.
 * A trial outlives its stores: it is what a client remembers when the power goes. */
#pragma once
#include "base/arena.h"
#include "base/vec.h"
#include "store/store.h"
#include "verify.h"

enum { TRIAL_EVENTS_MAX = 4 };

struct trial_item {
	struct store_item item;
	struct event events[TRIAL_EVENTS_MAX];
	struct store_key key;
	struct store_put put;
	bool answered;
	struct store_result result; /* once answered */
	struct trial *trial;
};

struct trial {
	struct arena arena;
	struct store *store; /* the one to send to; the caller's */
	VEC(struct trial_item *) items;
	size_t waiting;
	int64_t now_ms; /* moves with every event made */
};

void trial_init(struct trial *t);
void trial_release(struct trial *t);

/* A new item for the session, to be filled and sent. */
struct trial_item *trial_item(struct trial *t, struct str session);
/* Adds an event with the usual author; the payload is copied. */
struct event *
trial_event(struct trial_item *it, enum event_kind kind, struct str id, struct str payload);
/* Gives it an idempotency key of this name. */
void trial_key(struct trial_item *it, struct str name);
/* Sends it; its answer comes in trial_settle. */
void trial_send(struct trial_item *it);
/* Waits until everything sent is answered; false when an answer never comes. */
NODISCARD bool trial_settle(struct trial *t);
/* Sends and settles. */
NODISCARD bool trial_do(struct trial_item *it);

/* Every item acknowledged is there, byte for byte where it was said to be; every item refused has
 * left no trace; of the others all or nothing is there; and nothing else. v is what verify_store saw
 * of the store s; problems are added to it. */
void trial_check(const struct trial *t, struct store *s, struct verify *v);
/* Repeats every keyed item on the store: what is there is replayed with its first answer, what is
 * not is appended once; the same key with another request is refused. v is what trial_check saw. */
void trial_repeat(struct trial *t, struct store *s, struct verify *v);

/* actor - one live session: who watches it, which turn runs, what is being written.
 * Lives while it is watched or has a turn; everything else about a session is the store's, or can be made
 * of it again (engine/agent_cache). */
#pragma once
#include "engine/engine_private.h"

struct turn;

/* Text of a message that is being written, for readers that join in the middle. */
struct preview {
	struct list node;
	struct str event_id;
	enum event_kind kind;
	struct buf text;
};

struct actor {
	struct engine *en;
	struct str id; /* its own copy, and the key in engine.actors */
	struct list watches;
	int64_t head_seq;  /* as this thread was told; 0: not yet */
	struct turn *turn; /* engine/turn; NULL: none runs here */
	bool looking;      /* engine/wake reads what is pending */
	bool look_again;   /* something was committed meanwhile */
	struct list previews;
};

struct actor *actor_find(struct engine *en, struct str session); /* NULL: not live */
struct actor *actor_get(struct engine *en, struct str session);  /* made when need be */
/* Frees it when nothing keeps it alive. */
void actor_settle(struct actor *actor);

/* wake_private - the state behind engine/wake, shared by its parts: wake.c (looks and turns),
 * wake_nap.c (sessions to be looked at later), wake_due.c (wakes that are due), wake_recover.c (what is
 * to be looked at, a few at a time). */
#pragma once
#include "base/map.h"
#include "base/vec.h"
#include "core/wake_policy.h"
#include "engine/wake.h"

struct due_wake {
	enum wake_priority priority;
	int64_t due_ms;
	struct str id, session;
};

struct wake {
	struct engine *en;
	struct host_timer *drain_timer;
	struct map naps; /* session -> struct nap */

	/* wakes that are due */
	struct host_timer *due_timer; /* NULL: not started */
	int64_t armed_ms;             /* the due time it waits for; 0: none */
	int64_t told_ms;              /* up to here, and ... */
	struct buf told_id;           /* ... to this one of that instant, all were told */
	bool reading_due;
	bool due_meanwhile;              /* the timer has gone off since that began */
	int64_t due_now_ms, next_due_ms; /* of the reading */
	struct arena due_arena;
	VEC(struct due_wake) due;

	/* what is to be looked at, session by session */
	VEC(char *) found;     /* ids that are ours */
	size_t next, active;   /* of found: not begun yet, under way */
	struct map recovering; /* those under way, by id, with the id to be freed */
	bool holds;            /* what is found open is held back ... */
	struct map held;       /* ... these sessions, until somebody asks for them */
	struct arena held_ids;
	int64_t cursor_ms;
	void (*known)(void *ctx, int rc, const struct err *err);
	void *known_ctx;
};

/* wake_nap.c: looks at the session again when delay_ms are over. fence: of a lease that this process
 * holds without a turn, to be broken then; 0: none. An earlier nap stays as early as it is. */
void wake_nap(struct wake *w, struct str session, int64_t delay_ms, int64_t fence);
/* The fence to be broken, and forgets it. */
int64_t wake_nap_take_fence(struct wake *w, struct str session);
void wake_nap_free_all(struct wake *w);

/* wake_due.c: from now on. */
void wake_due_start(struct wake *w);
void wake_due_free(struct wake *w);
/* Of a session that was looked at: what is not due yet is not forgotten, whether another process queued
 * it or the clock was set back after it was told. */
struct wake_list;
void wake_due_again(struct wake *w, struct str session, const struct wake_list *wakes);

/* wake_recover.c: looks at the session when its turn comes. */
void wake_recover_add(struct wake *w, struct str session);
/* The session needs no more attention; the next one's turn. */
void wake_recover_settled(struct wake *w, struct str session);
void wake_recover_free(struct wake *w);

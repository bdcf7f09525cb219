/* expiry_private - the state behind engine/expiry, shared by its parts: expiry.c (passes, lanes that are
 * due), expiry_stale.c (sessions that rest). */
#pragma once
#include "base/vec.h"
#include "engine/expiry.h"
#include "engine/lane.h"
#include "engine/look.h"

/* A hook that was asked; outlives the engine when it takes too long. */
struct finalizing {
	struct expiry *x; /* NULL: nobody waits for it any more */
};

struct resting {
	struct str id;
	int64_t head_seq, last_activity_ms;
};

struct expiry {
	struct engine *en;
	struct host_timer *timer;
	bool under_way; /* a pass is */
	int64_t now_ms; /* of the pass */
	int64_t pruned_ms;
	struct arena arena; /* of the page in hand */

	/* lanes that are due */
	VEC(struct str) due; /* their ids */
	size_t at;
	bool more;
	int64_t last_due_ms; /* of the page's last row ... */
	struct buf last_id;  /* ... and its id */
	struct arena lane_arena;
	struct lane lane; /* in hand */
	struct look *look;
	struct finalizing *hook; /* that was asked for it; NULL: none */

	/* sessions that rest */
	VEC(struct resting) resting;
	int64_t rested_from_ms; /* up to here all were seen to */
	struct buf rested_id;
	size_t commits; /* on their way */
	bool reached;   /* the page ends where sessions are younger */
};

/* expiry_stale.c: those that rested for long become inactive; then expiry_pass_over. */
void expiry_stale(struct expiry *x);
void expiry_pass_over(struct expiry *x);

/* expiry_private - the state behind engine/expiry, shared by its parts: expiry.c (passes, lanes that are
 * due), expiry_finalize.c (one that has expired), expiry_stale.c (sessions that rest). */
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
	struct str extra;        /* body of session_extra; empty: none */
	int64_t extra_version;
	int tries; /* to write it: somebody else may be quicker */

	/* sessions that rest */
	VEC(struct resting) resting;
	int64_t rested_from_ms; /* up to here all were seen to */
	struct buf rested_id;
	size_t commits; /* on their way */
	bool reached;   /* the page ends where sessions are younger */
};

/* The lane in hand is through: the next one. */
void expiry_lane_over(struct expiry *x);
/* The same once the change is written. */
void expiry_write_lane(struct expiry *x, lane_decide_fn *decide);
/* expiry_finalize.c: the lane in hand has expired; then expiry_lane_over. */
void expiry_finalize(struct expiry *x);
/* False: it is finalized already, or of another session by now. */
bool expiry_finalize_entry(const struct expiry *x, struct lane_entry *entry);
/* Since the look; synchronous, so it can be asked right before something is closed. */
bool expiry_runs_now(struct expiry *x, struct str session);

/* expiry_stale.c: those that rested for long become inactive; then expiry_pass_over. */
void expiry_stale(struct expiry *x);
void expiry_pass_over(struct expiry *x);

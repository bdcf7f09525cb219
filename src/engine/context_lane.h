/* context_lane - what the model is told of the conversation it is in, when its session is a lane's. */
#pragma once
#include "engine/engine_private.h"

struct context_lane {
	struct str text; /* "## Current Session Context …"; empty: no lane is in the session */
	bool redact;     /* ids of people are hashed wherever they stand for a name */
};
typedef void
context_lane_fn(void *ctx, int rc, const struct err *err, const struct context_lane *lane);
/* The text lives in a, which belongs to the job until done. Nothing in it changes from turn to turn: it
 * stands at the head of the prompt cache. */
void context_lane_load(struct engine *en, const struct store_session *session, struct arena *a,
		       context_lane_fn *done, void *ctx);

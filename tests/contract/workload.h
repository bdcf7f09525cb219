/* workload - a session's life at random: steps (tests/unit/replay_log.h) that are mostly legal in the
 * state the log has reached, and now and then are not. */
#pragma once
#include "base/rand.h"
#include "core/replay.h"

enum { WORKLOAD_STEP_MAX = 256 };

struct workload {
	struct rand rand;
	int names; /* used so far: ids are m1, m2, ... */
	int turns;
};

void workload_init(struct workload *w, uint64_t seed);
/* The next step for a log that r has folded. */
void workload_step(struct workload *w, struct replay *r, char out[WORKLOAD_STEP_MAX]);

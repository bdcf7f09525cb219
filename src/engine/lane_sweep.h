/* lane_sweep - all lanes, one after the other: marked after a crash, or forgotten for their age. Commands
 * of engine.h: engine_lane_mark_recent, engine_lane_prune. */
#pragma once
#include "engine/lane.h"

/* So many lanes were changed; what was there before an error counts too. */
typedef void lane_sweep_fn(void *ctx, int rc, const struct err *err, int64_t changed);
/* Those that were active within age_ms are to be resumed (RECOVER_RESTART_INTERRUPTED); marked and
 * suspended ones stay as they are. For a start after a crash. */
void lane_mark_recent(struct engine *en, int64_t age_ms, lane_sweep_fn *done, void *ctx);
/* Those that were not active for age_ms are forgotten; suspended and busy ones stay, and so does every
 * session. */
void lane_prune(struct engine *en, int64_t age_ms, lane_sweep_fn *done, void *ctx);

/* repeat - was this request answered before? Asked first: what it did then may stand in its way now. */
#pragma once
#include "engine/commit.h"

/* Did the client send a key at all? */
bool repeat_is_keyed(const struct engine_repeat *repeat);

/* rc 0: first is what was remembered of the first request, NULL when this is the first. ERR_MISMATCH:
 * the key came with another body. first is good during the call. */
typedef void repeat_fn(void *ctx, int rc, const struct err *err, const struct str *first);
/* Of a repeat that is keyed; its texts must stay until done. */
void repeat_find(struct engine *en, const struct engine_repeat *repeat, repeat_fn *done, void *ctx);

/* For a success that wrote nothing: the key alone, so that its repeat is told the same. */
void repeat_remember(struct engine *en, const struct engine_repeat *repeat, struct str answer,
		     commit_fn *done, void *ctx);

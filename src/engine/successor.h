/* successor - the session that an archived conversation goes on in: follows the resets from one to the
 * next until one of them is not archived. */
#pragma once
#include "engine/engine_private.h"

/* current: empty when the chain leads nowhere (archived by hand, deleted, or in a circle). Good during the
 * call, which never comes from inside. */
typedef void successor_fn(void *ctx, int rc, const struct err *err, struct str current);
void successor_find(struct engine *en, struct str session, successor_fn *done, void *ctx);

/* work - the queues of environments whose tools run elsewhere: items are records, so they survive a
 * kill; what is open is known in memory too, so that polls wait without asking the store. */
#pragma once
#include "engine/engine_private.h"

struct work *work_new(struct engine *en);
void work_free(struct work **w);
/* At the start: the open items. Afterwards, by and by, sessions that wait for results are looked at. */
void
work_load(struct engine *en, void (*done)(void *ctx, int rc, const struct err *err), void *ctx);
/* Polls that wait are answered, nothing begins any more. */
void work_drain(struct engine *en);
/* Removes stopped items that nobody asks for any more, once an hour at most. */
void work_purge(struct work *w);
/* Committed: is there something to execute now, or nothing any more? */
void
work_on_events(struct engine *en, struct str session, const struct event *events, size_t count);

/* ---- secrets of items, for engine/identity ---- */

bool work_find_token(struct engine *en, const struct sha256 *digest, struct engine_caller *out);
/* By the caller's token_id: as it stands by now. False: it is none of an item's, or over. */
bool work_renew_caller(struct engine *en, struct engine_caller *caller);
bool work_token_is_live(struct engine *en, struct str token_id);

/* wake - the only way anything runs: look at what is pending or due, run one bounded turn. */
#pragma once
#include "engine/engine_private.h"

struct wake *wake_new(struct engine *en);
void wake_free(struct wake **w);

/* Carries no payload and may be called as often as one likes: nothing pending, nothing happens; a
 * turn that runs here learns that there is something new to look at. */
void wake_session(struct engine *en, struct str session);
/* Somebody asks for it, not the clock and not the server: what was held back goes on. */
void wake_asked(struct engine *en, struct str session);
/* Open turns that wake_recover finds stay put until they are asked for. */
void wake_hold_back(struct engine *en);
bool wake_is_held(const struct engine *en, struct str session);
/* At the start: sessions with an open turn or pending triggers, in pages; done when all of them are
 * known, not when they have run. */
void
wake_recover(struct engine *en, void (*done)(void *ctx, int rc, const struct err *err), void *ctx);
/* Records were written: those that are wakes are looked after. */
void wake_queued(struct engine *en, const struct store_put *puts, size_t count);
/* Lets running turns end until timeout_ms are over, then puts the rest off (status_rescheduled). */
void wake_drain(struct engine *en, int64_t timeout_ms);

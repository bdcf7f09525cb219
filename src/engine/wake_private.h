/* wake_private - the state behind engine/wake, shared by its parts: wake.c (looks and turns),
 * wake_nap.c (sessions to be looked at later), wake_recover.c (what a start finds open). */
#pragma once
#include "base/map.h"
#include "base/vec.h"
#include "engine/wake.h"

struct wake {
	struct engine *en;
	struct host_timer *drain_timer;
	struct map naps; /* session -> struct nap */

	/* what a start found, session by session */
	struct arena ids;
	VEC(struct str) found;
	size_t next, active; /* of found: not begun yet, under way */
	struct map recovering;
	int64_t cursor_ms;
	struct str cursor_id;
	void (*known)(void *ctx, int rc, const struct err *err);
	void *known_ctx;
};

/* wake_nap.c: looks at the session again when delay_ms are over. fence: of a lease that this process
 * holds without a turn, to be broken then; 0: none. An earlier nap stays as early as it is. */
void wake_nap(struct wake *w, struct str session, int64_t delay_ms, int64_t fence);
/* The fence to be broken, and forgets it. */
int64_t wake_nap_take_fence(struct wake *w, struct str session);
void wake_nap_free_all(struct wake *w);

/* wake_recover.c: the session needs no more attention; the next one's turn. */
void wake_recover_settled(struct wake *w, struct str session);

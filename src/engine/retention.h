/* retention - what is kept for a while and then removed: deleted sessions, so many days after they were, and
 * what record_purge and work_purge remove.
 *
 * A round runs at the start, every ten minutes, and soon after a deletion when no day is given. Of a session
 * that is due first its folder goes, then the records that are its own, then its log: whatever a kill leaves
 * undone the next start finds again. A session whose rows a branch reads waits for the last of these. */
#pragma once
#include "engine/engine_private.h"

struct retention *retention_new(struct engine *en);
/* From now on. */
void retention_start(struct retention *r);
/* A session was deleted: without days it goes soon. */
void retention_on_deleted(struct retention *r);
/* The days were changed: looks soon. */
void retention_hurry(struct retention *r);
void retention_free(struct retention **r);

/* record_purge - records that a start reads and nobody needs any more: tokens a month after they were revoked
 * or expired, with their digests, and what days have cost, a month later. One pass looks at all of them, a
 * page at a time; it runs at the start and once a day. */
#pragma once
#include "engine/engine_private.h"

struct record_purge;

struct record_purge *record_purge_new(struct engine *en);
/* One pass, unless the last was less than a day ago. done comes later, or at once when there is nothing to
 * do. A drain ends it early. */
void record_purge_run(struct record_purge *p, void (*done)(void *ctx), void *ctx);
void record_purge_free(struct record_purge **p);

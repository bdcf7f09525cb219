/* recover - what the end of the last process means for lanes: which are to be resumed, which have been
 * found at work too often and are suspended. core/recover_policy decides. */
#pragma once
#include "engine/turn.h"

/* When unclean starts found open turns, as far back as they matter: since the last turn that succeeded. id:
 * "server"; body {"at":[ms,…]}. */
#define RECORD_UNCLEAN_STARTS STR("unclean_starts")

/* Before anything runs and before commands are taken. After a clean end nothing is read or changed; a
 * lane whose record is damaged is passed over. Too many unclean starts with open turns in a short time and
 * no turn that succeeded between them: the turns wait until somebody asks for them. */
void
recover_start(struct engine *en, void (*done)(void *ctx, int rc, const struct err *err), void *ctx);
/* A turn in a lane is over here: a drain that could not wait for it has its lane resumed, success forgets
 * that and the count of starts. A drain waits until that is written. */
void recover_turn_over(struct engine *en, struct str session, const struct turn_over *over);

/* resource - what is attached to a session: records that belong to it.
 * Commands of engine.h: engine_resource_add, _update, _delete. */
#pragma once
#include "engine/commit.h"

/* Adds the checked resource to the commit; returns its id. */
struct str
resource_put(struct engine *en, struct commit *c, struct str session, struct json resource);

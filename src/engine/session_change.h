/* session_change - renames, patches, archives and deletes sessions: one event each, after the caller's
 * standing and with the state that was seen as precondition. Commands of engine.h:
 * engine_session_update, _archive, _delete. */
#pragma once
#include "engine/engine_private.h"

/* What current (JSON text, may be empty) becomes with the patch applied; *out is empty when that is
 * the same. */
NODISCARD int session_patch_metadata(struct arena *a, struct str current, struct json patch,
				     struct str *out, struct err *e);

/* workspace - which workspaces there are, and what they settle for their sessions: read at the start, kept at
 * hand, changed.
 * Commands of engine.h: engine_workspace_create, _update. */
#pragma once
#include "core/workspace_def.h"
#include "engine/engine_private.h"

struct workspaces *workspaces_new(struct engine *en);
void workspaces_free(struct workspaces **w);
void workspaces_load(struct workspaces *w, void (*done)(void *ctx, int rc, const struct err *err),
		     void *ctx);
/* Is there one? ERR_NOT_FOUND names it. */
NODISCARD int workspaces_check(const struct workspaces *w, struct str id, struct err *e);
/* NULL: it settles nothing, or there is none. Good until the loop goes round. */
const struct workspace_settings *workspaces_find(const struct workspaces *w, struct str id);

/* workspace_def - a workspace as the wire shows one: {id, type, name, config, created_at, updated_at}.
 *
 * config is what holds for its sessions unless something nearer says otherwise:
 *   {"model": "provider/model"|null, "session_reset": {"mode","at_hour","idle_minutes","notify"}|null}
 * Of config, and of session_reset, what a body does not give is kept; null takes it away. */
#pragma once
#include "core/definition.h"
#include "core/reset_policy.h"

enum { WORKSPACE_ID_MAX = 200, WORKSPACE_MODEL_MAX = 256 };

NODISCARD int workspace_def_make(const struct definition_facts *f, struct json body,
				 struct arena *a, struct definition_text *out, struct err *e);
/* What a body that makes one calls it, empty: nothing. Sessions name it, and paths: 1 to
 * WORKSPACE_ID_MAX bytes, no slash, no control. */
NODISCARD int workspace_def_id(struct json body, struct arena *a, struct str *id, struct err *e);

struct workspace_settings {
	struct str model; /* empty: nothing is said */
	bool resets;      /* reset says something */
	struct reset_settings reset;
};
/* Of a stored workspace, the model's name in a; what cannot be read says nothing. */
void workspace_def_read(struct json current, struct arena *a, struct workspace_settings *out);

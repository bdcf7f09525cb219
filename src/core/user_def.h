/* user_def - a user as the wire shows one: {id, type, name, role, created_at, updated_at}. */
#pragma once
#include "core/definition.h"
#include "core/principal.h"

/* A role that no body gives is user. */
NODISCARD int user_def_make(const struct definition_facts *f, struct json body, struct arena *a,
			    struct definition_text *out, struct err *e);
/* Of a stored user; none when it cannot be read. */
enum role user_def_role(struct json current);

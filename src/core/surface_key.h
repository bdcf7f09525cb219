/* surface_key - the composite key of a conversation: user, surface, surface id, agent, workspace.
 * Surface `group` belongs to everybody in it, so it ignores the user; a missing workspace equals
 * a missing workspace. The text form is canonical: equal keys, equal bytes, and only then. */
#pragma once
#include <stdbool.h>
#include "base/buf.h"
#include "base/str.h"

struct surface_key {
	struct str user_id;    /* empty: nobody; ignored on surface group */
	struct str surface;    /* chat, telegram, group, … */
	struct str surface_id; /* the channel's own id */
	struct str agent_id;
	struct str workspace_id; /* empty: none, which is a value of its own */
};

/* Several people share it: the session is of type group. */
bool surface_key_is_shared(const struct surface_key *k);
/* A JSON array ["agent",workspace|null,"surface","surface id",user|null]: quoting keeps ids that
 * contain any separator apart. */
void surface_key_format(const struct surface_key *k, struct buf *out);
/* "surface:surface_id", for logs. */
void surface_key_log_form(const struct surface_key *k, struct buf *out);

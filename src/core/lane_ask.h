/* lane_ask - which conversation does a request mean, and may its sender name it?
 *
 * By composite key: {"key": {surface, surface_id, agent_id?, workspace_id?, user_id?}}, or by where a
 * message came from: {"source": {…}, agent_id?, workspace_id?}; beside either force_new. */
#pragma once
#include <stdbool.h>
#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "core/principal.h"
#include "core/session_source.h"
#include "core/source.h"
#include "core/surface_key.h"

/* Bytes of one part of a key, and of a whole source as JSON. */
enum { LANE_ASK_TEXT_MAX = 256, LANE_ASK_SOURCE_MAX = 8 * 1024 };

struct lane_ask {
	bool by_source;
	struct source source;   /* by_source */
	struct surface_key key; /* else; its user is the one that was named, or empty */
	struct str agent_id;    /* "main" when nothing is said */
	/* Of a source "main" when nothing is said; of a key empty then: no workspace is a value. */
	struct str workspace_id;
	bool force_new;
};

/* Errors name the member. Texts stay in the document or in a. */
NODISCARD int lane_ask_read(struct json body, struct arena *a, struct lane_ask *out, struct err *e);

/* May they speak for this conversation? Owners for any. A channel for those of its own platform. A user
 * by keys of their own, and by a source only where no channel carries the messages (api, cli, local,
 * web): else they could open the lane of somebody else's chat before it does, and listen. ERR_INVALID
 * names the member. */
NODISCARD int
lane_ask_check(const struct lane_ask *ask, const struct principal *who, struct err *e);

/* A platform whose messages people send themselves, with their own token: api, cli, local, web. */
bool lane_ask_is_own(struct str platform);

/* Where a session of this conversation comes from; group is left to the caller. */
struct session_source lane_ask_session_source(const struct lane_ask *ask);

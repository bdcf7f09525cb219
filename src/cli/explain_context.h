/* explain_context - the facts `explain prune` and `explain compact` share: a transcript and the
 * window it must fit, {"messages", "window", "aggressive"?, "profile"?}. */
#pragma once
#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "core/compact_policy.h"
#include "core/message.h"

struct explain_context {
	struct message *messages; /* linked, tokens set */
	size_t count;
	int64_t window_tokens;
	bool aggressive;
	enum compact_profile profile;
};

NODISCARD int explain_context_read(struct json facts, struct arena *a, struct explain_context *out,
				   struct err *e);

/* call_digest - which tool call exactly is this?
 * Two calls are the same when tool and canonical arguments are: an approval binds to this
 * digest and it is compared again at execution, and the loop guard counts repeats by it. */
#pragma once
#include "base/arena.h"
#include "base/json.h"
#include "base/sha256.h"
#include "core/tool_ref.h"

/* SHA-256 of the tool's name, a NUL byte (no name has one) and the canonical arguments; of a server's
 * tool the server's name and another NUL come first, and the name is what the server calls it. */
struct sha256 call_digest(struct tool_ref tool, struct json arguments, struct arena *a);

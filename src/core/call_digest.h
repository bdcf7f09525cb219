/* call_digest - which tool call exactly is this?
 * Two calls are the same when tool name and canonical arguments are: an approval binds to this
 * digest and it is compared again at execution, and the loop guard counts repeats by it. */
#pragma once
#include "base/arena.h"
#include "base/json.h"
#include "base/sha256.h"

/* SHA-256 of the tool's name, a NUL byte (no name has one) and the canonical arguments. */
struct sha256 call_digest(struct str tool, struct json arguments, struct arena *a);
/* False when what is about to run is not what was approved. */
bool call_digest_same(const struct sha256 *approved, const struct sha256 *now);

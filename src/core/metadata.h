/* metadata - the pairs of text that a caller may hang on a thing: at most 16. */
#pragma once
#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "base/json_write.h"

enum { METADATA_PAIRS_MAX = 16, METADATA_KEY_MAX = 64, METADATA_VALUE_MAX = 512 }; /* characters */
enum {
	METADATA_PATCH_MAX = 64
}; /* keys of a patch: all may change, and some may be gone already */

/* Writes the object that now and patch add up to: now's keys in their order, new ones behind them; a
 * null in patch deletes its key. Either may be absent. now is trusted. */
NODISCARD int
metadata_merge(struct json now, struct json patch, struct arena *a, struct jw *out, struct err *e);

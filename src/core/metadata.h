/* metadata - the small text pairs people hang on things: bounded, patched, null deletes. */
#pragma once
#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"

enum { METADATA_PAIRS_MAX = 16, METADATA_KEY_MAX = 64, METADATA_VALUE_MAX = 512 };

/* An object of texts within the bounds (counted in characters); in a patch a value may be null.
 * Errors name the path. */
NODISCARD int metadata_check(struct json v, bool patch, struct err *e);
/* Writes current (absent: empty) with the checked patch applied, keys in the order they first came.
 * ERR_INVALID when it would hold too many pairs. *changed: the result differs from current. */
NODISCARD int metadata_merge(struct json current, struct json patch, struct buf *out, bool *changed,
			     struct err *e);

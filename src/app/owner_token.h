/* owner_token - the operator's key: made at the first start, kept in <data>/owner.token (0600). */
#pragma once
#include <stdbool.h>
#include "base/err.h"
#include "core/token.h"

/* Reads it, or makes it and syncs it to disk. *made: it is new. A file that others can read, or that
 * holds no token, is refused with what to do about it. */
NODISCARD int
owner_token_load(const char *directory, char out[TOKEN_TEXT_LEN + 1], bool *made, struct err *e);

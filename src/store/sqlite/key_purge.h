/* key_purge - forgets keys whose time is over, a few at a time.
 * The store reads no clock: the time is that of the newest event it was given. */
#pragma once
#include <stdint.h>
#include "base/err.h"
#include "store/sqlite/db.h"

/* When the first of them expires; INT64_MAX: there is none. */
NODISCARD int key_purge_first(struct db *writer, int64_t *first_ms, struct err *e);
/* Forgets at most max keys that expire at now_ms or before, in one transaction of its own, and says
 * when the next one does. On failure nothing has changed. */
NODISCARD int
key_purge_step(struct db *writer, int64_t now_ms, size_t max, int64_t *first_ms, struct err *e);

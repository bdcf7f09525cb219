/* record - the records beside the logs: each put checks its version, then changes the row. */
#pragma once
#include "store/sqlite/tx.h"

/* One put. ERR_CONFLICT when the record has another version than the put wants; nothing is written
 * then. */
NODISCARD int record_put(struct tx *t, const struct store_put *put, struct err *e);
/* Is there a record of this kind and owner? */
NODISCARD int
record_is_owned(struct tx *t, struct str kind, struct str owner, bool *out, struct err *e);

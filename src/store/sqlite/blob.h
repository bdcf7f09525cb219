/* blob - large payloads, stored once under their digest, in chunks. */
#pragma once
#include "store/sqlite/tx.h"

enum { BLOB_CHUNK_BYTES = 256 * 1024 };

/* Stores bytes unless they are there already; *digest names them. */
NODISCARD int blob_put(struct tx *t, struct str bytes, struct sha256 *digest, struct err *e);

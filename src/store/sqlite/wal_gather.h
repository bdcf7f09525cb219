/* wal_gather - the writer's way to the write-ahead log: many small writes become few large ones.
 * SQLite writes a frame in two pieces, so that a busy commit costs a thousand calls of the kernel.
 * This VFS stands over another one and collects contiguous writes to the log until the buffer is full or
 * somebody asks for what is in it. Pages on their way into the database pass page_scrub; other files it
 * leaves alone.
 *
 * Only for one connection with synchronous=FULL: there the sync stands between the frames and the
 * moment other connections may look for them, so that nobody misses what is not written yet. A failed
 * write is reported by the write or the sync that runs into it, and from then on by everything that
 * touches what was lost, until it is written anew. */
#pragma once
#include <sqlite3.h>
#include "base/err.h"

struct wal_gather;

/* base is the name of the VFS below; NULL: the default one. */
NODISCARD int wal_gather_new(struct wal_gather **out, const char *base, struct err *e);
/* What to open the database with. */
const char *wal_gather_name(const struct wal_gather *g);
/* Nothing may be open that was opened with it. */
void wal_gather_free(struct wal_gather **g);

/* mirror_sync - brings the mirror of one session to where its log is.
 *
 * Stateless: what is missing is found by looking at both, so it does not matter what came before, a
 * kill or a full disk. Runs on a thread that may wait; the store is asked through a port. */
#pragma once
#include "store/store.h"

struct mirror_source {
	/* As store_read, but waits for the end of the page. */
	int (*read)(void *ctx, const struct store_query *q, store_row_fn *row, void *row_ctx,
		    bool *more, struct err *e);
	int64_t (*now_ms)(void *ctx);
	void *ctx;
};

/* data: the directory. A session that is not there is nothing to do, one that was deleted loses its
 * mirror. */
NODISCARD int
mirror_sync(const struct mirror_source *from, struct str data, struct str session, struct err *e);

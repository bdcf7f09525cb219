/* await - a store's answers, waited for: for tests that have no loop. */
#pragma once
#include "store/store.h"

enum { AWAIT_MS = 20 * 1000 }; /* an answer that takes longer is one that never comes */

/* Dispatches until *done; false when it takes too long. */
NODISCARD bool await_flag(struct store *s, const bool *done);
/* Appends and waits. The result's views are gone; an answer that never comes is ERR_TIMEOUT. */
struct store_result await_append(struct store *s, const struct store_item *item);
/* One page. row runs on a thread of the store's, but never while the caller does. */
NODISCARD int await_read(struct store *s, const struct store_query *q, store_row_fn *row, void *ctx,
			 bool *more, struct err *e);

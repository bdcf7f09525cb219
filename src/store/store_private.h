/* store_private - for adapters: what a store consists of. */
#pragma once
#include "store/store.h"

/* Every call is made on the owner's thread. */
struct store_ops {
	void (*append)(struct store *s, const struct store_item *item, store_append_fn *done,
		       void *ctx);
	void (*read)(struct store *s, const struct store_query *q, store_row_fn *row,
		     store_read_fn *done, void *ctx);
	void (*flush)(struct store *s); /* NULL: it keeps nothing back */
	size_t (*dispatch)(struct store *s);
	bool (*wait)(struct store *s, int timeout_ms);
	int (*health)(struct store *s, struct err *e);
	void (*free)(struct store *s);
};
struct store_refused;

/* The first member of every adapter's own struct, which begins zeroed. */
struct store {
	const struct store_ops *ops;
	struct store_owner owner;
	int64_t change_head;                          /* kept by the adapter */
	struct store_refused *refused, *refused_last; /* store.c's own: ill-formed calls */
};

/* The item is well-formed: sizes, ids, no precondition without a session, a first event that fits.
 * store.c asks before any adapter sees it; ERR_INVALID or ERR_TOO_LARGE says what is wrong. */
NODISCARD int store_item_check(const struct store_item *item, struct err *e);
NODISCARD int store_query_check(const struct store_query *q, struct err *e);
/* Forgets the refusals not yet delivered: their owner is gone (a played crash). */
void store_drop_refused(struct store *s);

/* append - one item inside the open transaction: what was there already, what must hold, then its
 * events, records, keys and lease, all or nothing. */
#pragma once
#include "store/sqlite/tx.h"

/* out->rc tells what became of the item. When it is not 0 the item has left no trace, unless
 * t->failed is set: then SQLite failed and the transaction must be rolled back. Texts in *out live in
 * the scratch arena until the next item.
 *
 * guarded: the item runs under a savepoint whatever it is, and a fault of its own (a constraint) is
 * its error alone. */
void
append_item(struct tx *t, const struct store_item *item, bool guarded, struct store_result *out);
/* Is this SQLite code the fault of one item, rather than of the disk or the database? */
bool append_is_item_fault(int code);

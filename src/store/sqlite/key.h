/* key - the keys that make a repeat recognisable, stored with the effect they stand for.
 * A key is filed under its digest (key_digest); of the request's hash it keeps as many bytes. */
#pragma once
#include "store/sqlite/tx.h"

/* What the item that stores a key has made. sid 0: records only. */
struct key_effect {
	int64_t sid, first_seq, head_seq;
};
/* Stores the key, or finds that it is there: *taken. */
NODISCARD int key_claim(struct tx *t, const struct store_key *key, const struct key_effect *effect,
			bool *taken, struct err *e);
/* Takes back a key that this transaction has claimed. */
NODISCARD int key_unclaim(struct tx *t, const struct store_key *key, struct err *e);

/* 0: there is no such key. STORE_REPLAYED: it is there for the same request; *out is filled, its texts
 * live in the scratch arena. ERR_MISMATCH: it was used with another request. */
NODISCARD int key_recall(struct tx *t, const struct store_key *key, struct store_result *out);

/* key_digest - under which 16 bytes is a key filed?
 * Scope and name have up to a kilobyte each and come from peers; the index holds a digest of both,
 * so that every key costs the same and is found by one comparison. */
#pragma once
#include "base/sha256.h"
#include "store/store.h"

enum { KEY_DIGEST_BYTES = 16 };

struct key_digest {
	unsigned char bytes[KEY_DIGEST_BYTES];
};

/* Kind, scope and name are length-prefixed: no two keys share their bytes. ctx is scratch, reused
 * between calls. */
struct key_digest
key_digest_of(struct sha256_ctx *ctx, enum store_key_kind kind, struct str scope, struct str name);

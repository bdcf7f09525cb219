#include "store/sqlite/key_digest.h"

struct key_digest
key_digest_of(struct sha256_ctx *ctx, enum store_key_kind kind, struct str scope, struct str name)
{
	const uint64_t head[] = { (uint64_t)kind, scope.len, name.len };
	unsigned char bytes[sizeof head];
	struct key_digest out;
	struct sha256 full;

	for (size_t i = 0; i < sizeof bytes; i++) /* least significant byte first, on any machine */
		bytes[i] = (unsigned char)(head[i / 8] >> (8 * (i % 8)));
	sha256_begin(ctx);
	sha256_update(ctx, bytes, sizeof bytes);
	sha256_update(ctx, scope.ptr, scope.len);
	sha256_update(ctx, name.ptr, name.len);
	full = sha256_end(ctx);
	memcpy(out.bytes, full.bytes, sizeof out.bytes);
	return out;
}

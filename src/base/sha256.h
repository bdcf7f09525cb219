/* sha256 - the digest behind the event chain, token storage and redaction.
 * The only file of base that needs more than libc (libcrypto; docs/decisions/0002). */
#pragma once
#include "base/str.h"

enum { SHA256_BYTES = 32, SHA256_HEX = 64 };

struct sha256 {
	unsigned char bytes[SHA256_BYTES];
};

struct sha256_ctx {
	void *md; /* EVP_MD_CTX */
};

struct sha256 sha256_of(struct str text);
/* Piecewise: init once, then begin, updates, end as often as wanted, release when done for good.
 * Only init allocates. */
void sha256_init(struct sha256_ctx *c);
void sha256_begin(struct sha256_ctx *c);
void sha256_update(struct sha256_ctx *c, const void *ptr, size_t len);
struct sha256 sha256_end(struct sha256_ctx *c);
void sha256_release(struct sha256_ctx *c);
/* Lower-case hex of the first `bytes` bytes; out holds 2 * bytes and a NUL. */
void sha256_hex(const struct sha256 *d, size_t bytes, char *out);

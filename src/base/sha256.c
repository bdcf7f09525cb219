#include "base/sha256.h"

#include <openssl/evp.h>
#include <stdlib.h>

/* libcrypto fails here only when it cannot allocate or is broken: the same as out of memory. */
static void
must(int ok)
{
	if (ok != 1)
		abort();
}

struct sha256
sha256_of(struct str text)
{
	struct sha256 d;
	unsigned int len = sizeof d.bytes;

	must(EVP_Digest(text.ptr ? text.ptr : "", text.len, d.bytes, &len, EVP_sha256(), NULL));
	return d;
}

void
sha256_init(struct sha256_ctx *c)
{
	c->md = EVP_MD_CTX_new();
	must(c->md != NULL);
	must(EVP_DigestInit_ex2(c->md, EVP_sha256(), NULL));
}

void
sha256_begin(struct sha256_ctx *c)
{
	/* The digest of sha256_init again: naming it anew costs a lookup, a third of a short hash. */
	must(EVP_DigestInit_ex2(c->md, NULL, NULL));
}

void
sha256_update(struct sha256_ctx *c, const void *ptr, size_t len)
{
	if (len > 0)
		must(EVP_DigestUpdate(c->md, ptr, len));
}

struct sha256
sha256_end(struct sha256_ctx *c)
{
	struct sha256 d;
	unsigned int len = sizeof d.bytes;

	must(EVP_DigestFinal_ex(c->md, d.bytes, &len));
	return d;
}

void
sha256_release(struct sha256_ctx *c)
{
	EVP_MD_CTX_free(c->md);
	c->md = NULL;
}

void
sha256_hex(const struct sha256 *d, size_t bytes, char *out)
{
	static const char HEX[] = "0123456789abcdef";

	for (size_t i = 0; i < bytes && i < SHA256_BYTES; i++) {
		*out++ = HEX[d->bytes[i] >> 4];
		*out++ = HEX[d->bytes[i] & 15];
	}
	*out = '\0';
}

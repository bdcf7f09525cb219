/* token - the text of an access token: how it looks, what is kept of it, when it ends.
 * The secret is 32 random bytes that the caller draws; the server stores only the SHA-256 of the
 * whole text and the few characters that lists show. A digest needs no salt: 256 random bits have
 * no dictionary. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/sha256.h"
#include "base/str.h"

enum {
	TOKEN_SECRET_BYTES = 32,
	TOKEN_TEXT_LEN = 4 + 2 * TOKEN_SECRET_BYTES, /* "pdr_" and lower-case hex */
	TOKEN_PREFIX_LEN = 4 + 8, /* shown in lists: 224 of 256 bits stay secret */
};

/* Writes the text and a NUL. */
void token_format(const unsigned char secret[TOKEN_SECRET_BYTES], char out[TOKEN_TEXT_LEN + 1]);
/* Only the form; whether it is known is the store's answer. Lets a server refuse noise unhashed. */
bool token_is_well_formed(struct str text);
/* The part that may be shown; of a text that is no token, nothing. */
struct str token_prefix(struct str text);
/* What is stored. */
struct sha256 token_digest(struct str text);
/* Takes the same time wherever they differ. */
bool token_digest_eq(const struct sha256 *a, const struct sha256 *b);
/* The same for texts of well-formed length. */
bool token_text_eq(const char a[TOKEN_TEXT_LEN], const char b[TOKEN_TEXT_LEN]);
/* expires_ms 0: never. At the instant itself it is over. */
bool token_is_expired(int64_t expires_ms, int64_t now_ms);

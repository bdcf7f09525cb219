/* base64url - bytes as text that may stand in a URL (RFC 4648 §5), without padding. */
#pragma once
#include <stdbool.h>
#include "base/str.h"

/* Characters for so many bytes. */
#define BASE64URL_LEN(bytes) (((size_t)(bytes)*4 + 2) / 3)

/* Writes BASE64URL_LEN(len) characters and no NUL; returns their number. */
size_t base64url_encode(const unsigned char *bytes, size_t len, char *out);
/* At most 3 bytes for each 4 characters. False: a foreign character, or bits left over that are not
 * zero. */
bool base64url_decode(struct str text, unsigned char *out, size_t *len);

#include "core/token.h"

static const char HEX[] = "0123456789abcdef";
#define TOKEN_MARK STR("pdr_")

void
token_format(const unsigned char secret[TOKEN_SECRET_BYTES], char out[TOKEN_TEXT_LEN + 1])
{
	char *to = out;

	memcpy(to, TOKEN_MARK.ptr, TOKEN_MARK.len);
	to += TOKEN_MARK.len;
	for (size_t i = 0; i < TOKEN_SECRET_BYTES; i++) {
		*to++ = HEX[secret[i] >> 4];
		*to++ = HEX[secret[i] & 15];
	}
	*to = '\0';
}

bool
token_is_well_formed(struct str text)
{
	if (text.len != TOKEN_TEXT_LEN || !str_starts(text, TOKEN_MARK))
		return false;
	for (size_t i = TOKEN_MARK.len; i < text.len; i++) {
		char c = text.ptr[i];

		if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f')))
			return false;
	}
	return true;
}

struct str
token_prefix(struct str text)
{
	return str_slice(text, 0, token_is_well_formed(text) ? TOKEN_PREFIX_LEN : 0);
}

struct sha256
token_digest(struct str text)
{
	return sha256_of(text);
}

bool
token_digest_eq(const struct sha256 *a, const struct sha256 *b)
{
	volatile unsigned char differ = 0; /* volatile: the loop must not learn to stop early */

	for (size_t i = 0; i < SHA256_BYTES; i++)
		differ = (unsigned char)(differ | (a->bytes[i] ^ b->bytes[i]));
	return differ == 0;
}

bool
token_text_eq(const char a[TOKEN_TEXT_LEN], const char b[TOKEN_TEXT_LEN])
{
	volatile uint64_t differ = 0;

	for (size_t i = 0; i < TOKEN_TEXT_LEN; i += sizeof differ) {
		size_t at =
			i + sizeof differ <= TOKEN_TEXT_LEN ? i : TOKEN_TEXT_LEN - sizeof differ;
		uint64_t x, y;

		memcpy(&x, a + at, sizeof x);
		memcpy(&y, b + at, sizeof y);
		differ |= x ^ y;
	}
	return differ == 0;
}

bool
token_is_expired(int64_t expires_ms, int64_t now_ms)
{
	return expires_ms != 0 && now_ms >= expires_ms;
}

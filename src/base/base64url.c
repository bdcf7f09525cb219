#include "base/base64url.h"

#include <stdint.h>

static const char ALPHABET[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

size_t
base64url_encode(const unsigned char *bytes, size_t len, char *out)
{
	size_t n = 0;
	uint32_t bits = 0;
	unsigned have = 0;

	for (size_t i = 0; i < len; i++) {
		bits = bits << 8 | bytes[i];
		for (have += 8; have >= 6; have -= 6)
			out[n++] = ALPHABET[bits >> (have - 6) & 63];
	}
	if (have > 0)
		out[n++] = ALPHABET[bits << (6 - have) & 63];
	return n;
}

static int
digit_value(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '-' ? 62 : c == '_' ? 63 : -1;
}

bool
base64url_decode(struct str text, unsigned char *out, size_t *len)
{
	uint32_t bits = 0;
	unsigned have = 0;

	*len = 0;
	for (size_t i = 0; i < text.len; i++) {
		int value = digit_value(text.ptr[i]);
		if (value < 0)
			return false;
		bits = bits << 6 | (uint32_t)value;
		have += 6;
		if (have >= 8) {
			have -= 8;
			out[(*len)++] = (unsigned char)(bits >> have);
		}
	}
	return have < 6 && (bits & ((1u << have) - 1)) == 0;
}

#include "base/utf8.h"

enum { REPLACEMENT = 0xfffd };

static bool
is_tail(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* Length of the well-formed sequence at ptr, 0 when ill-formed; *code_point is set when not 0. */
static size_t
decode(const char *ptr, size_t left, uint32_t *code_point)
{
	unsigned char lead = (unsigned char)ptr[0];
	uint32_t value, least;
	size_t len;

	if (lead < 0x80) {
		*code_point = lead;
		return 1;
	}
	if (lead >= 0xc2 && lead <= 0xdf) {
		len = 2, value = lead & 0x1fu, least = 0x80;
	} else if (lead >= 0xe0 && lead <= 0xef) {
		len = 3, value = lead & 0x0fu, least = 0x800;
	} else if (lead >= 0xf0 && lead <= 0xf4) {
		len = 4, value = lead & 0x07u, least = 0x10000;
	} else {
		return 0;
	}
	if (left < len)
		return 0;
	for (size_t i = 1; i < len; i++) {
		if (!is_tail(ptr[i]))
			return 0;
		value = value << 6 | ((unsigned char)ptr[i] & 0x3fu);
	}
	if (value < least || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff))
		return 0;
	*code_point = value;
	return len;
}

const char *
utf8_skip_wide(const char *at, const char *end)
{
	while (at < end && (unsigned char)*at >= 0x80) {
		uint32_t code_point;
		size_t len = decode(at, (size_t)(end - at), &code_point);

		if (len == 0)
			break;
		at += len;
	}
	return at;
}

static bool
is_ascii_word(const char *ptr)
{
	uint64_t word;

	memcpy(&word, ptr, sizeof word);
	return (word & UINT64_C(0x8080808080808080)) == 0;
}

static bool
is_printable_word(const char *ptr)
{
	static const uint64_t ONES = UINT64_C(0x0101010101010101);
	uint64_t word;

	memcpy(&word, ptr, sizeof word);
	/* In no byte the top bit: not as it is, not one higher (DEL), not a space lower (controls). */
	return ((word | (word + ONES) | (word - ONES * ' ')) & ONES << 7) == 0;
}

bool
utf8_is_printable_ascii(struct str text)
{
	size_t at = 0;

	for (; text.len - at >= 8; at += 8)
		if (!is_printable_word(text.ptr + at))
			return false;
	if (at < text.len && text.len >= 8) /* the rest, with some of what is known already */
		return is_printable_word(text.ptr + text.len - 8);
	for (; at < text.len; at++)
		if ((unsigned char)text.ptr[at] < 0x20 || (unsigned char)text.ptr[at] > 0x7e)
			return false;
	return true;
}

size_t
utf8_valid_prefix(struct str text)
{
	size_t at = 0;

	while (at < text.len) {
		uint32_t code_point;
		size_t len;

		if (text.len - at >= 8 && is_ascii_word(text.ptr + at)) {
			at += 8;
			continue;
		}
		if ((unsigned char)text.ptr[at] < 0x80) {
			at++;
			continue;
		}
		len = decode(text.ptr + at, text.len - at, &code_point);
		if (len == 0)
			return at;
		at += len;
	}
	return text.len;
}

bool
utf8_valid(struct str text)
{
	return utf8_valid_prefix(text) == text.len;
}

uint32_t
utf8_next(struct str text, size_t *at)
{
	uint32_t code_point;
	size_t len = decode(text.ptr + *at, text.len - *at, &code_point);

	if (len == 0) {
		*at += 1;
		return REPLACEMENT;
	}
	*at += len;
	return code_point;
}

size_t
utf8_count(struct str text)
{
	size_t count = 0;

	for (size_t at = 0; at < text.len;) {
		if (text.len - at >= 8 && is_ascii_word(text.ptr + at)) {
			at += 8;
			count += 8;
		} else {
			utf8_next(text, &at);
			count++;
		}
	}
	return count;
}

size_t
utf8_count_wide(struct str text)
{
	size_t count = 0;

	for (size_t at = 0; at < text.len;) {
		if (text.len - at >= 8 && is_ascii_word(text.ptr + at))
			at += 8;
		else if (utf8_next(text, &at) >= 0x80)
			count++;
	}
	return count;
}

size_t
utf8_floor(struct str text, size_t at)
{
	uint32_t code_point;
	size_t start = at;

	if (at >= text.len)
		return text.len;
	while (start > 0 && at - start < 3 && is_tail(text.ptr[start]))
		start--;
	/* Stray tail bytes are characters of their own: only a whole one that spans at holds it. */
	return start + decode(text.ptr + start, text.len - start, &code_point) > at ? start : at;
}

size_t
utf8_encode(uint32_t cp, char out[4])
{
	if (cp < 0x80) {
		out[0] = (char)cp;
		return 1;
	}
	if (cp < 0x800) {
		out[0] = (char)(0xc0 | cp >> 6);
		out[1] = (char)(0x80 | (cp & 0x3f));
		return 2;
	}
	if (cp < 0x10000) {
		out[0] = (char)(0xe0 | cp >> 12);
		out[1] = (char)(0x80 | (cp >> 6 & 0x3f));
		out[2] = (char)(0x80 | (cp & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | cp >> 18);
	out[1] = (char)(0x80 | (cp >> 12 & 0x3f));
	out[2] = (char)(0x80 | (cp >> 6 & 0x3f));
	out[3] = (char)(0x80 | (cp & 0x3f));
	return 4;
}

bool
utf8_is_white(uint32_t c)
{
	return (c >= 0x09 && c <= 0x0d) || c == ' ' || c == 0x85 || c == 0xa0 || c == 0x1680 ||
	       (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f ||
	       c == 0x205f || c == 0x3000;
}

bool
utf8_is_blank(struct str text)
{
	size_t at = 0;

	while (at < text.len)
		if (!utf8_is_white(utf8_next(text, &at)))
			return false;
	return true;
}

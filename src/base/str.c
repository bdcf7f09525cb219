#include "base/str.h"

struct str
str_of(const char *text)
{
	return (struct str){ text, text ? strlen(text) : 0 };
}

int
str_cmp(struct str a, struct str b)
{
	size_t common = a.len < b.len ? a.len : b.len;
	int order = common ? memcmp(a.ptr, b.ptr, common) : 0;

	if (order != 0)
		return order;
	return (a.len > b.len) - (a.len < b.len);
}

bool
str_ends(struct str s, struct str suffix)
{
	return s.len >= suffix.len && str_eq(str_slice(s, s.len - suffix.len, s.len), suffix);
}

bool
str_find(struct str s, struct str needle, size_t from, size_t *at)
{
	const char *hit;

	if (from > s.len)
		return false;
	if (needle.len == 0) {
		*at = from;
		return true;
	}
	if (s.len == from)
		return false;
	hit = memmem(s.ptr + from, s.len - from, needle.ptr, needle.len);
	if (!hit)
		return false;
	*at = (size_t)(hit - s.ptr);
	return true;
}

bool
str_contains(struct str s, struct str needle)
{
	size_t at;

	return str_find(s, needle, 0, &at);
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f';
}

struct str
str_trim(struct str s)
{
	while (s.len > 0 && is_blank(s.ptr[0])) {
		s.ptr++;
		s.len--;
	}
	while (s.len > 0 && is_blank(s.ptr[s.len - 1]))
		s.len--;
	return s;
}

bool
str_cut(struct str s, char sep, struct str *head, struct str *tail)
{
	const char *hit = s.len ? memchr(s.ptr, sep, s.len) : NULL;
	size_t at = hit ? (size_t)(hit - s.ptr) : s.len;

	*head = str_slice(s, 0, at);
	*tail = str_slice(s, hit ? at + 1 : s.len, s.len);
	return hit != NULL;
}

static char
lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool
str_eq_nocase(struct str a, struct str b)
{
	if (a.len != b.len)
		return false;
	for (size_t i = 0; i < a.len; i++)
		if (lower(a.ptr[i]) != lower(b.ptr[i]))
			return false;
	return true;
}

bool
str_to_int(struct str s, int64_t *out)
{
	bool negative = s.len > 0 && s.ptr[0] == '-';
	size_t at = s.len > 0 && (s.ptr[0] == '-' || s.ptr[0] == '+') ? 1 : 0;
	int64_t value = 0;

	if (at == s.len)
		return false;
	for (; at < s.len; at++) {
		int digit = s.ptr[at] - '0';
		if (digit < 0 || digit > 9)
			return false;
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, negative ? -digit : digit, &value))
			return false;
	}
	*out = value;
	return true;
}

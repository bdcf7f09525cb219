/* str - a view of bytes owned by someone else: pointer and length, no terminator promised. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include "base/attr.h"

struct str {
	const char *ptr;
	size_t len;
};

/* Views in a row, owned by someone else. */
struct str_list {
	const struct str *ptr;
	size_t len;
};

#define STR(literal) ((struct str){ "" literal, sizeof(literal) - 1 })
#define STR_FMT      "%.*s"
#define STR_ARG(s)   (int)(s).len, (s).ptr

/* NULL gives the empty view. */
struct str str_of(const char *text);
/* Byte order, shorter first on a tie: <0, 0, >0. */
int str_cmp(struct str a, struct str b);
bool str_ends(struct str s, struct str suffix);
/* First occurrence at or after `from`; false when there is none. */
bool str_find(struct str s, struct str needle, size_t from, size_t *at);
bool str_contains(struct str s, struct str needle);
/* Without leading and trailing blanks, tabs and line ends. */
struct str str_trim(struct str s);
/* Splits at the first sep: *head before it, *tail after it. Without sep: head = s, tail empty, false. */
bool str_cut(struct str s, char sep, struct str *head, struct str *tail);
/* Case-insensitive for ASCII letters only. */
bool str_eq_nocase(struct str a, struct str b);
/* The whole view is a decimal integer in int64 range, optionally signed. */
bool str_to_int(struct str s, int64_t *out);

/* Bytes [from, to), both clamped to the view. */
static inline struct str
str_slice(struct str s, size_t from, size_t to)
{
	if (to > s.len)
		to = s.len;
	if (from > to)
		from = to;
	return (struct str){ s.ptr ? s.ptr + from : NULL, to - from };
}

static inline bool
str_eq(struct str a, struct str b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

static inline bool
str_starts(struct str s, struct str prefix)
{
	return s.len >= prefix.len &&
	       (prefix.len == 0 || memcmp(s.ptr, prefix.ptr, prefix.len) == 0);
}

static inline bool
str_is_empty(struct str s)
{
	return s.len == 0;
}

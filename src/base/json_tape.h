/* json_tape - what the reader's files share and nobody else sees: the tape's entries, and the
 * scanning of string bytes, which the writer uses too. */
#pragma once
#include <string.h>
#include "base/json.h"
#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* A container stands before its members; an object's member is a key, then its value. */
struct json_token {
	uint32_t start, end; /* bytes [start, end) of the text, quotes and brackets included */
	uint32_t next;       /* index behind the value and all it holds; in a key: its hash */
	uint32_t info;       /* enum json_type | JSON_ESCAPED | members << JSON_COUNT_SHIFT */
};
_Static_assert(sizeof(struct json_token) == 16, "the tape is 16 bytes per token");

enum {
	JSON_TYPE_MASK = 7,
	JSON_ESCAPED = 8, /* the string holds a backslash */
	JSON_COUNT_SHIFT = 4,
};
/* Keeps indexes and member counts within their bits. */
#define JSON_TOKENS_MAX (UINT32_C(1) << 27)

static inline enum json_type
json_token_type(const struct json_token *t)
{
	return (enum json_type)(t->info & JSON_TYPE_MASK);
}

static inline size_t
json_token_count(const struct json_token *t)
{
	return t->info >> JSON_COUNT_SHIFT;
}

/* What stands between a string's quotes, as received. */
static inline struct str
json_token_body(struct str text, const struct json_token *t)
{
	return (struct str){ text.ptr + t->start + 1, t->end - t->start - 2 };
}

/* Unescapes a checked string body to out, which holds body.len bytes; returns the bytes written. */
size_t json_unescape(struct str body, char *out);

/* The first key of a closed object that repeats an earlier one; 0 when all differ (index 0 is the
 * root, never a key). Costs O(n log n) at worst, whatever the keys. */
uint32_t json_find_duplicate(struct str text, const struct json_token *tokens, uint32_t object);
/* Any function of the unescaped key that is quick and equal for equal keys. */
uint32_t json_key_hash(struct str key);

/* One step of a path: ".name" (no dot at its start), or ["na me"] as received when name is no plain
 * word; raw_key has its quotes. */
void json_path_key(struct buf *path, struct str raw_key);
void json_path_index(struct buf *path, size_t index);
/* Shortens a long path in its middle, so that the sentence behind it survives. */
void json_path_clip(struct buf *path);

/* A byte that may stand in a string as it is, and is ASCII. */
static inline bool
json_is_plain(char c)
{
	return (signed char)c >= 0x20 && c != '"' && c != '\\';
}

/* The first byte from at that is a quote, a backslash, a control character or not ASCII; else end. */
static inline const char *
json_skip_plain(const char *at, const char *end)
{
#ifdef __SSE2__
	const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\');
	const __m128i space = _mm_set1_epi8(' ');

	for (; end - at >= 16; at += 16) {
		__m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)at);
		/* Signed: a byte of 0x80 and above is negative and so below the space as well. */
		__m128i special = _mm_or_si128(_mm_cmplt_epi8(bytes, space),
					       _mm_or_si128(_mm_cmpeq_epi8(bytes, quote),
							    _mm_cmpeq_epi8(bytes, backslash)));
		int mask = _mm_movemask_epi8(special);
		if (mask != 0)
			return at + __builtin_ctz((unsigned)mask);
	}
#endif
	while (at < end && json_is_plain(*at))
		at++;
	return at;
}

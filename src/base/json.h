/* json - a strict reader: bytes in, a tape of tokens out, nothing converted until asked for.
 *
 * Accepts exactly RFC 8259 in UTF-8, and refuses on top of it: duplicate keys (compared after
 * unescaping), \u0000, lone surrogates, a byte order mark, trailing bytes, and anything beyond the
 * limits. Numbers are checked for form and kept verbatim. Every error names the path and the byte
 * offset: `source.chat_id (offset 17): ...`.
 *
 * The tape points into the text, so the text must outlive the document. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

enum json_type {
	JSON_NULL,
	JSON_FALSE,
	JSON_TRUE,
	JSON_NUMBER,
	JSON_STRING,
	JSON_ARRAY,
	JSON_OBJECT,
};

struct json_limits {
	size_t bytes, depth, tokens; /* inclusive: a document of exactly this size passes */
};
/* 8 MiB, 64 levels, 1,000,000 tokens. bytes never exceeds UINT32_MAX. */
extern const struct json_limits JSON_LIMITS_DEFAULT;

struct json_token; /* one 16-byte entry of the tape */

struct json_doc {
	struct str text;
	struct json_token *tokens;
	size_t token_count; /* keys and values, each counted once */
};

/* One value of a document. The zero value means absent (json_is_set). */
struct json {
	const struct json_doc *doc;
	uint32_t at;
};

/* Parses the whole text; tokens live in a, at most 16 bytes for each two of the text. On error *out
 * is untouched: ERR_TOO_LARGE beyond the limits on bytes and tokens, else ERR_INVALID. */
NODISCARD int json_parse(struct arena *a, struct str text, const struct json_limits *limits,
			 struct json_doc *out, struct err *e);
struct json json_root(const struct json_doc *doc);

static inline bool
json_is_set(struct json v)
{
	return v.doc != NULL;
}

enum json_type json_type(struct json v);
/* "null", "boolean", "number", "string", "array", "object"; for messages. */
const char *json_type_name(struct json v);
/* The value's bytes as received, quotes and brackets included. */
struct str json_raw(struct json v);
/* Members of an object or elements of an array; 0 for anything else. */
size_t json_count(struct json v);

/* The member of that name; false when v is no object or has none. name is compared unescaped. */
bool json_find(struct json v, struct str name, struct json *out);

/* struct json_iter it = json_iter(v); while (json_next(&it)) ... it.key, it.value */
struct json_iter {
	struct json key; /* a string token; absent in arrays */
	struct json value;
	size_t index; /* of value in its container, from 0 */
	uint32_t next_at, end_at;
	const struct json_doc *doc;
	bool in_object, started;
};
struct json_iter json_iter(struct json v);
bool json_next(struct json_iter *it);

/* A string's text, unescaped: a view of the document when it has no escapes, else a copy in a. It
 * never holds a NUL.
 * The empty view when v is no string. */
struct str json_str(struct json v, struct arena *a);
/* True when v is a string whose unescaped text equals s; allocates nothing. */
bool json_str_eq(struct json v, struct str s);
/* False when v is no number or does not fit. Integers are exact, and 1.0 and 1e2 are integers;
 * doubles are the nearest there is. */
bool json_int(struct json v, int64_t *out);
bool json_double(struct json v, double *out);

/* Where v stands in its document: "rules[2].action", "" for the root; a key that is no plain word
 * stands in brackets as received: aliases["a b"]. Walks from the root: for messages, not for hot
 * paths. */
void json_path(struct json v, struct buf *out);
/* err_set with v's path before the sentence: "rules[2].action: must be ...". */
int json_fail(struct json v, struct err *e, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* What a field may be; combine with |. JSON_WANT_ANY accepts all. */
enum json_want {
	JSON_WANT_NULL =
		1 << 0, /* without it an explicit null is refused, with it null means absent */
	JSON_WANT_BOOL = 1 << 1,
	JSON_WANT_NUMBER = 1 << 2,
	JSON_WANT_STRING = 1 << 3,
	JSON_WANT_ARRAY = 1 << 4,
	JSON_WANT_OBJECT = 1 << 5,
	JSON_WANT_ANY = (1 << 6) - 1,
};
struct json_field {
	const char *name;
	unsigned want;
	bool required;
	struct json *out; /* left absent when the field is missing, or null under JSON_WANT_NULL
			   * (but JSON_WANT_ANY hands out the null itself) */
};
/* Takes an object apart in one pass: every named field into its out, a wrong type, a missing
 * required field or an unknown one refused with its path (the nearest known name is offered).
 * At most 64 fields. */
NODISCARD int
json_fields(struct json v, const struct json_field *fields, size_t count, struct err *e);
/* Typed conversions of a field that may be absent: *out keeps its value then. Errors name the path. */
NODISCARD int json_take_bool(struct json v, bool *out, struct err *e);
NODISCARD int json_take_int(struct json v, int64_t min, int64_t max, int64_t *out, struct err *e);
NODISCARD int json_take_str(struct json v, struct arena *a, struct str *out, struct err *e);
/* One of count words; *out is its index. The error lists the words. */
NODISCARD int
json_take_word(struct json v, const char *const *words, size_t count, size_t *out, struct err *e);

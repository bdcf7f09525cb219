/* query - what does the text after '?' say, and what does a percent-encoded segment mean?
 * Strict: a broken escape, a NUL or ill-formed UTF-8 is refused, never repaired. */
#pragma once
#include <stdbool.h>
#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

enum { QUERY_PAIRS_MAX = 128 };

struct query_pair {
	struct str name, value; /* decoded; name[] is called name */
};
struct query {
	const struct query_pair *pairs;
	size_t count;
};

/* "a=1&b[]=x&b[]=y"; '+' is a blank; a pair without '=' has an empty value. The texts live in a, or
 * are views of text where nothing had to be decoded. */
NODISCARD int query_parse(struct arena *a, struct str text, struct query *out, struct err *e);
/* The value of a parameter that may stand once: ptr NULL when it is absent, ERR_INVALID when it is
 * repeated. */
NODISCARD int query_one(const struct query *q, struct str name, struct str *out, struct err *e);
/* for (size_t at = 0; query_next(&q, name, &at, &value);)  all of one name, in order. */
bool query_next(const struct query *q, struct str name, size_t *at, struct str *value);

/* One segment of a path: as above, but '+' is a plus. */
NODISCARD int
query_decode_segment(struct arena *a, struct str text, struct str *out, struct err *e);

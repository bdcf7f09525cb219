/* canonical_json - the one spelling of a JSON value, so that equal values have equal bytes.
 * Object members sorted by the bytes of their unescaped names, no blanks, strings escaped only
 * where JSON demands it. Numbers stay verbatim: 1 and 1.0 are different spellings, and whoever
 * approved one has not approved the other. */
#pragma once
#include "base/arena.h"
#include "base/buf.h"
#include "base/json.h"

/* Writes v; an absent value is written as null. a holds the sorted member lists and unescaped
 * texts. Overflow: see buf_check. Recursion is as deep as the parser's depth limit let v be. */
void canonical_json_write(struct json v, struct arena *a, struct buf *out);
/* The same as text in a; never longer than the value was as received. */
struct str canonical_json_str(struct json v, struct arena *a);

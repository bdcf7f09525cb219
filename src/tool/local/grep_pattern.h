/* grep_pattern - the regular expression a model writes, as POSIX has it: \d \D \t and the other
 * control characters, quotes that are escaped, and within brackets what a backslash means elsewhere.
 * POSIX knows no escapes in a set: there its special characters must stand at certain places. */
#pragma once
#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

enum {
	GREP_PATTERN_GROWTH = 8,       /* out is at most so many times as long, and a byte, */
	GREP_PATTERN_WIDE = 64 * 1024, /* and 4 bytes for each character of ranges beyond ASCII */
};

/* Puts the expression for regcomp(REG_EXTENDED), ending with NUL. ERR_INVALID: a set that has no
 * POSIX form, with a sentence about what to write instead. */
NODISCARD int grep_pattern_put(struct str pattern, struct buf *out, struct err *e);

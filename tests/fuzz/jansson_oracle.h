/* jansson_oracle - what jansson makes of a text, as canonical bytes to compare with ours. In a file
 * of its own because jansson.h and base/json.h claim the same names. */
#pragma once
#include "base/buf.h"

enum oracle_verdict {
	ORACLE_ACCEPTS,
	ORACLE_REFUSES,
	ORACLE_OUT_OF_RANGE, /* a number beyond int64 or double, which we keep verbatim */
};

/* Accepted values go to out: n t f, i<decimal>; r<hex float>; s<length>:<bytes> [values] {pairs}. */
enum oracle_verdict jansson_oracle(struct str text, struct buf *out);

/* jansson_parse - the baseline of bench_json. In a file of its own because jansson.h and base/json.h
 * claim the same names. */
#pragma once
#include "base/str.h"

/* Parses, builds the tree and frees it; a refused text is a broken benchmark and aborts. */
void jansson_parse(struct str text);

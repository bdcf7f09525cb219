/* glob_match - does a path match a pattern?
 *   *  anything within a name      ?  one character      [a-z] [!a-z]  one of them
 *   **  any folders, also none     {a,b}  either         \x  x itself
 * A name that begins with a dot is matched only by a pattern that says the dot, as in a shell. */
#pragma once
#include <stdbool.h>
#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

enum { GLOB_ALTERNATIVES_MAX = 256 };

struct glob_pattern {
	struct str *ptr; /* without braces; a path matches when one of them does */
	size_t count;
};

NODISCARD int
glob_pattern_parse(struct arena *a, struct str text, struct glob_pattern *out, struct err *e);
/* path: names separated by single slashes. Time is at most pattern length times path length, for
 * each alternative. */
bool glob_match(const struct glob_pattern *p, struct str path);

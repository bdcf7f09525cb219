/* route - which row of a table does this method and path mean?
 * Patterns are paths whose segments are words or {names}: "/v1/things/{id}/parts". A word wins over
 * a name in the same place; a path whose last segment is empty is another path. */
#pragma once
#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

enum { ROUTE_SEGMENTS_MAX = 16, ROUTE_CAPTURES_MAX = 6 };

/* First member of the caller's rows. */
struct route {
	const char *method, *pattern;
};

struct route_tree;

enum route_result {
	ROUTE_FOUND,
	ROUTE_NO_PATH,   /* 404 */
	ROUTE_NO_METHOD, /* 405, and allow says what would do */
	ROUTE_BAD_PATH   /* 400: a segment cannot be decoded; the error says why */
};

struct route_match {
	const struct route *route;               /* the row, when found */
	struct str captures[ROUTE_CAPTURES_MAX]; /* decoded, in the pattern's order */
	unsigned capture_count;
	struct str allow; /* "GET, HEAD, POST" */
};

/* rows: count rows of stride bytes, each beginning with a struct route; they outlive the tree, which
 * lives in a. Two rows for one method and path, or a pattern without '/', are a bug and abort. */
const struct route_tree *
route_tree_new(struct arena *a, const void *rows, size_t count, size_t stride);
/* path: percent-encoded, without the query. HEAD finds the row of GET where it has none itself.
 * Segments "." and ".." match nothing, however they are written. Texts made live in a. */
NODISCARD enum route_result
route_find(const struct route_tree *tree, struct arena *a, struct str method, struct str path,
	   struct route_match *out, struct err *e);

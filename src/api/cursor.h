/* cursor - the opaque text of next_page: where a page goes on. A client may not make one: it is
 * versioned, names its list and carries a check, so that garbage, a cursor of another list or with
 * other filters is a 400 and never a wrong page. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

struct cursor {
	char list;        /* which list: 's' sessions, 'e' events, 'r' records, 'm' messages, … */
	bool backwards;   /* of a list that goes both ways: towards newer rows */
	int64_t a, b;     /* numbers that name the last row */
	struct str id;    /* and its id; empty: none */
	uint32_t filters; /* a hash of the query it belongs to */
};

struct str cursor_format(struct arena *a, const struct cursor *c);
/* ERR_INVALID: not a cursor, or not one of this list and these filters. */
NODISCARD int cursor_parse(struct arena *a, struct str text, char list, uint32_t filters,
			   struct cursor *out, struct err *e);
/* A hash of the parameters of a query, less page and limit. */
struct query;
uint32_t cursor_filters(const struct query *query);

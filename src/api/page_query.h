/* page_query - what the query of a list says, in the words that all lists share. Errors name the
 * parameter; what is absent keeps its value. */
#pragma once
#include "api/cursor.h"
#include "api/exchange.h"

/* name[gt], name[gte], name[lt], name[lte] as an inclusive range of instants. */
NODISCARD int page_query_range(struct exchange *x, const char *name, int64_t *from_ms,
			       int64_t *until_ms, struct err *e);
/* order=asc|desc */
NODISCARD int page_query_order(struct exchange *x, bool *descending, struct err *e);
/* Types of events as a bit set of 1 << enum event_kind, out of those allowed. */
NODISCARD int page_query_kinds(struct exchange *x, const char *name, uint64_t allowed,
			       uint64_t *out, struct err *e);
/* page=: where the list goes on. out is ready for the next page either way. */
NODISCARD int
page_query_cursor(struct exchange *x, char list, struct cursor *out, bool *given, struct err *e);
/* A bracket and what follows the rows: ],"next_page":"..."|null} */
void page_query_close(struct exchange *x, struct buf *out, const struct cursor *next);

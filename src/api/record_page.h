/* record_page - records as the API shows them: one by its id, or a page of a list, newest first.
 * Rows are written on a thread of the store's, into memory of the job; the loop only sends them. */
#pragma once
#include "api/exchange.h"
#include "base/json_write.h"

/* Writes one object of the record's body. On a thread of the store's: nothing of the
 * exchange may be touched but what the view's prepare made. */
struct record_row {
	struct json body;
	const void *prepared;
	struct arena *scratch;
};
typedef void record_write_fn(struct jw *w, const struct record_row *row);

struct record_view {
	struct str kind;        /* of the records */
	char list;              /* of the cursors */
	const char *noun;       /* "agent", for messages */
	record_write_fn *write; /* NULL: the body as it is */
	/* On the loop, before anything is read; lives as long as the exchange. NULL: nothing is needed. */
	const void *(*prepare)(struct exchange *x);
	bool never_empty; /* a first page without rows means that their owner does not exist */
};

/* Answers with the record, or 404. replayed: see exchange_json. */
void
record_page_get(struct exchange *x, const struct record_view *view, struct str id, bool replayed);
/* Answers with {"data":[…],"next_page":…}: limit 1..100 (20), page, created_at[gte], created_at[lte],
 * include_archived, as far as the route takes them. owner empty: of all. session empty: of none. */
void record_page_list(struct exchange *x, const struct record_view *view, struct str owner,
		      struct str session);

/* x->call for a command about a record: when it is done, the record is read and sent as the answer,
 * so that a repeat of the request gets it as well. */
const struct engine_call *record_page_after(struct exchange *x, const struct record_view *view);
/* The same, answered with {"id":…,"type":type}. */
const struct engine_call *record_page_gone(struct exchange *x, const char *type);

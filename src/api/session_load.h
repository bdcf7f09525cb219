/* session_load - gathers what a session's view shows beside its row: the agent's snapshot, what it
 * has beyond its log, resources, participants, what it waits for, when it was archived. */
#pragma once
#include "api/exchange.h"
#include "api/session_json.h"

/* The views live in x->arena. On failure the exchange has been answered and this is not called. */
typedef void
session_load_fn(struct exchange *x, const struct session_view *views, size_t count, void *ctx);

/* One session by its id; absent, hidden and deleted are 404. */
void session_load_one(struct exchange *x, struct str id, session_load_fn *done, void *ctx);
/* Rows that were read and copied already. */
void session_load_rows(struct exchange *x, const struct store_session *rows, size_t count,
		       session_load_fn *done, void *ctx);
/* A row with all its texts in a. */
struct store_session session_load_copy(struct arena *a, const struct store_session *from);

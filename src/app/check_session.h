/* check_session - does one session's log hold together, and do its projections equal its replay?
 * Reads through the store's port, page by page; what it keeps is the replay of this one session.
 * Projections are compared only when the log itself replays: otherwise everything would differ. */
#pragma once
#include "app/check_report.h"
#include "base/err.h"
#include "store/store.h"

/* Problems go to the report. An error when the session could not be read for another reason than
 * being damaged. */
NODISCARD int
check_session(struct store *s, struct str id, struct check_report *report, struct err *e);

/* Reads one page and waits for it; for owners without a loop. */
NODISCARD int check_read(struct store *s, const struct store_query *q, store_row_fn *row, void *ctx,
			 bool *more, struct err *e);

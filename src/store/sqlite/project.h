/* project - what an event changes besides the log: the session's row, its transcript, its queue, the
 * calls of its open turn.
 * Equals core/replay, event by event: what a replay refuses is refused here (ERR_CONFLICT), and what
 * it folds stands in the rows. Checks come before changes, so that a refusal of a plain event leaves
 * no trace; project_is_plain tells for which kinds that holds. */
#pragma once
#include "base/json.h"
#include "store/sqlite/tx.h"

struct project_step {
	struct tx *t;
	struct head *head;
	const struct event *ev;  /* with its seq */
	struct json payload;     /* checked against its kind */
	int64_t processed_at_ms; /* out: 0 when it is an input that waits */
};

/* ev follows the head but is not in the log yet. Changes rows and head; seq and hash of the head are
 * the caller's. */
NODISCARD int project_event(struct project_step *s, struct err *e);
/* One event of this kind either is refused before anything was written or changes all it must. The
 * others consume lists: a refusal can come when part of the list is done. */
bool project_is_plain(enum event_kind kind);

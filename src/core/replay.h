/* replay - what does this log add up to?
 * Folds events, one at a time and in order, into the session's state, counters, queue, open calls
 * and transcript: the same projections a store keeps in its own way, so that `check` can compare.
 * A log that breaks a rule (a gap, an input consumed twice, a call closed twice, an illegal move)
 * is refused with ERR_CORRUPT and the seq at fault; the replay must not be used after that.
 *
 * Log order is not model order: an input stands in the transcript where it was consumed. Numbers in
 * parentheses below are the points of docs/EVENTS.md, "Inputs and turns". */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/err.h"
#include "base/str.h"
#include "core/projection.h"

struct replay;

struct replay *replay_new(void);
void replay_free(struct replay **r);
/* ev->seq must follow the last one. Text is copied; ev may go afterwards. */
NODISCARD int replay_apply(struct replay *r, const struct event *ev, struct err *e);

/* The log that r's session.forked names, replayed up to its at_seq and no further: its view is where r's
 * transcript begins. To be called before that event is applied, which takes a copy. Without it nothing
 * is inherited, and what r's own events say of inherited entries is believed. */
void replay_inherit(struct replay *r, struct replay *parent);

const struct session_row *replay_session(const struct replay *r);
/* The session's metadata: the JSON object as it was last written; empty: none. Good until the next
 * apply. */
struct str replay_metadata(const struct replay *r);
/* Every input of the log in seq order, processed ones too. */
const struct input_row *replay_inputs(const struct replay *r, size_t *count);
/* Every call of the open turn, closed ones too; none between turns. */
const struct call_row *replay_calls(const struct replay *r, size_t *count);
/* In the order the model sees them; rewound, archived and unplaced ones included and marked.
 * Sorted on demand: the pointer is good until the next apply. */
const struct item_row *replay_items(struct replay *r, size_t *count);
/* NULL when no input has that id. */
const struct input_row *replay_input_find(const struct replay *r, struct str id);

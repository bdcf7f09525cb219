/* schedule - turns that begin by the clock. A schedule is a record with a due time; when it is due it is
 * looked at, and what core/schedule_plan says is done: its trigger goes into the log of its session, in
 * the transaction that marks the slot as decided, so that a slot runs once whatever is killed.
 * Everything is rebuilt from the store: one timer for what is due next is all that is kept. */
#pragma once
#include "engine/engine_private.h"

/* What the ids of their sessions begin with, before a colon. */
#define SCHEDULE_NAMESPACE STR("schedule")

struct schedule *schedule_new(struct engine *en);
void schedule_free(struct schedule **s);
/* At the start: every schedule is looked at, by and by; what was missed is decided then. */
void schedule_start(struct engine *en);
/* Nothing begins any more. */
void schedule_drain(struct engine *en);
/* Committed: has the run of a schedule ended? */
void
schedule_on_events(struct engine *en, struct str session, const struct event *events, size_t count);

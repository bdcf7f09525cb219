/* schedule_plan - what is to be done about a schedule now, and when is it to be looked at again?
 * One run at a time: while one is open its slots wait, and what becomes of them is the missed-slot
 * policy's. A clock that was set back lowers what is decided, so that a schedule is not silent until
 * the old time comes again; that no slot runs twice is then the dedupe key's promise. Pure and total. */
#pragma once
#include "core/schedule_state.h"
#include "core/zone.h"

enum schedule_step {
	SCHEDULE_WAIT, /* until due_ms, or until something happens */
	SCHEDULE_FIRE, /* slot_ms */
	SCHEDULE_STOP, /* the open run: its time is over */
};

struct schedule_facts {
	const struct schedule_def *def;
	const struct zone *zone;
	const struct schedule_state *state;
	int64_t now_ms;
};

struct schedule_plan {
	enum schedule_step step;
	int64_t slot_ms;    /* SCHEDULE_FIRE */
	bool manual;        /* the same: the run that was asked for */
	int64_t decided_ms; /* to be stored with it */
	int64_t due_ms;     /* SCHEDULE_WAIT: look again then; 0: only when something happens */
};

struct schedule_plan schedule_plan_decide(const struct schedule_facts *f);
/* When it is to be looked at, if nothing happens before; 0: never. */
int64_t schedule_plan_due(const struct schedule_facts *f);
/* When the open run's time is over. */
int64_t schedule_plan_deadline(const struct schedule_def *def, const struct schedule_run *run);

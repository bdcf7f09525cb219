/* turn_history - what has an open turn used up, and what was asked and answered in it?
 * A fold over the turn's own events, from its first status_running on: everything that whoever goes on
 * with the turn needs besides the projections (core/replay has the states of its calls). */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/vec.h"
#include "core/turn_machine.h"

struct turn_history {
	struct arena *kept;
	struct arena scratch;
	bool begun;         /* its first status_running was there */
	int64_t steps;      /* requests that were answered */
	size_t parked_on;   /* calls that the last park named; 0: none */
	int64_t last_at_ms; /* of the last event */
	int64_t leased_ms;  /* of the finished spells; turn_history_leased_ms adds the last one */
	int64_t leased_since_ms; /* 0: not leased */
	struct loop_guard guard;
	unsigned continuations;     /* restarts and drains it has seen */
	bool marked;                /* rescheduled by one of them, and not running since ... */
	enum recover_reason reason; /* ... for this reason */
	VEC(struct str) wakes;      /* that started it */
	struct str trigger;         /* the first input it began with; empty: none */
	struct str model;           /* that its message asked for; empty: none */
	struct str open_request;    /* a span without its end; empty: none */
	struct str directive;       /* arguments of the last session_directive that was noted */
	VEC(struct turn_call) calls;
	VEC(struct turn_answer) answers;
};

/* Texts are kept in kept, which must outlive it. */
void turn_history_init(struct turn_history *h, struct arena *kept);
void turn_history_release(struct turn_history *h);
/* The kinds it looks at, as a bit set of 1 << enum event_kind; others may be left out. */
uint64_t turn_history_kinds(void);
/* Events in the order of the log; payloads that do not parse are passed over. */
void turn_history_add(struct turn_history *h, const struct event *ev);

int64_t turn_history_leased_ms(const struct turn_history *h);
/* The call of that id with the state of its row; false when the turn has none. */
bool
turn_history_call(const struct turn_history *h, const struct call_row *row, struct turn_call *out);
/* NULL: no such answer. */
const struct turn_answer *turn_history_answer(const struct turn_history *h, struct str id);

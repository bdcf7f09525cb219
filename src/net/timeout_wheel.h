/* timeout_wheel - which of thousands of timeouts are due? Coarse and cheap: one ring of slots.
 * Moving a timeout further away, which every request does, is one store: the wheel finds out when
 * it comes to the old slot. A timeout is due never early and at most two ticks late. Time is a
 * parameter: ms of any clock that does not go back. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/list.h"

enum { TIMEOUT_WHEEL_SLOTS = 512, TIMEOUT_WHEEL_TICK_MS = 16 };

struct timeout {
	struct list node;
	int64_t due_ms;
	int64_t tick; /* the tick at which the wheel looks at it; no later than due_ms asks for */
	void (*on_due)(struct timeout *t);
};

struct timeout_wheel {
	struct list slots[TIMEOUT_WHEEL_SLOTS];
	uint64_t filled[TIMEOUT_WHEEL_SLOTS / 64]; /* a bit per slot that may hold something */
	int64_t tick;                              /* looked at up to here */
};

void timeout_wheel_init(struct timeout_wheel *w, int64_t now_ms);
/* Not armed; on_due may arm it again, free its owner or touch any other timeout. */
void timeout_init(struct timeout *t, void (*on_due)(struct timeout *t));
/* Arms it, or moves it. */
void timeout_wheel_set(struct timeout_wheel *w, struct timeout *t, int64_t due_ms);
/* Harmless when it is not armed. */
void timeout_cancel(struct timeout *t);
/* Calls on_due of all that are due; each is disarmed before. */
void timeout_wheel_advance(struct timeout_wheel *w, int64_t now_ms);
/* When to advance next; false when nothing is armed. May be too early, never too late. */
bool timeout_wheel_next(const struct timeout_wheel *w, int64_t *at_ms);

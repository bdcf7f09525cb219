#include "net/timeout_wheel.h"

#include <assert.h>

static_assert((TIMEOUT_WHEEL_SLOTS & (TIMEOUT_WHEEL_SLOTS - 1)) == 0, "a power of two");

static unsigned
slot_of(int64_t tick)
{
	return (unsigned)(tick & (TIMEOUT_WHEEL_SLOTS - 1));
}

void
timeout_wheel_init(struct timeout_wheel *w, int64_t now_ms)
{
	*w = (struct timeout_wheel){ .tick = now_ms / TIMEOUT_WHEEL_TICK_MS };
	for (unsigned i = 0; i < TIMEOUT_WHEEL_SLOTS; i++)
		list_init(&w->slots[i]);
}

void
timeout_init(struct timeout *t, void (*on_due)(struct timeout *t))
{
	*t = (struct timeout){ .on_due = on_due };
	list_init(&t->node);
}

static void
place(struct timeout_wheel *w, struct timeout *t)
{
	int64_t tick = t->due_ms / TIMEOUT_WHEEL_TICK_MS + 1; /* the first tick wholly after it */
	unsigned slot;

	t->tick = tick > w->tick ? tick : w->tick + 1;
	slot = slot_of(t->tick);
	list_remove(&t->node);
	list_append(&w->slots[slot], &t->node);
	w->filled[slot / 64] |= UINT64_C(1) << slot % 64;
}

void
timeout_wheel_set(struct timeout_wheel *w, struct timeout *t, int64_t due_ms)
{
	bool armed = !list_is_empty(&t->node);

	t->due_ms = due_ms;
	if (!armed || due_ms / TIMEOUT_WHEEL_TICK_MS + 1 < t->tick)
		place(w, t);
}

void
timeout_cancel(struct timeout *t)
{
	list_remove(&t->node);
}

/* What stays in the slot belongs to a later round or was moved away in the meantime. */
static void
visit(struct timeout_wheel *w, unsigned slot, int64_t now_ms)
{
	struct list seen;

	list_init(&seen);
	w->filled[slot / 64] &= ~(UINT64_C(1) << slot % 64);
	while (!list_is_empty(&w->slots[slot])) { /* one by one: on_due may remove any other */
		struct timeout *t = LIST_OWNER(w->slots[slot].next, struct timeout, node);
		list_remove(&t->node);
		if (t->due_ms <= now_ms)
			t->on_due(t);
		else
			list_append(&seen, &t->node);
	}
	while (!list_is_empty(&seen))
		place(w, LIST_OWNER(seen.next, struct timeout, node));
}

void
timeout_wheel_advance(struct timeout_wheel *w, int64_t now_ms)
{
	int64_t last = now_ms / TIMEOUT_WHEEL_TICK_MS, steps = last - w->tick;
	int64_t first = w->tick + 1;

	if (steps <= 0)
		return;
	if (steps > TIMEOUT_WHEEL_SLOTS)
		first = last - TIMEOUT_WHEEL_SLOTS + 1; /* one whole round sees them all */
	for (int64_t tick = first; tick <= last; tick++) {
		unsigned slot = slot_of(tick);
		w->tick = tick;
		if (w->filled[slot / 64] >> slot % 64 & 1)
			visit(w, slot, now_ms);
	}
}

bool
timeout_wheel_next(const struct timeout_wheel *w, int64_t *at_ms)
{
	for (int64_t tick = w->tick + 1; tick <= w->tick + TIMEOUT_WHEEL_SLOTS; tick++) {
		unsigned slot = slot_of(tick);
		if (!w->filled[slot / 64]) { /* none of the 64: on to the next word */
			tick |= 63;
			continue;
		}
		if (w->filled[slot / 64] >> slot % 64 & 1 && !list_is_empty(&w->slots[slot])) {
			*at_ms = tick * TIMEOUT_WHEEL_TICK_MS;
			return true;
		}
	}
	return false;
}

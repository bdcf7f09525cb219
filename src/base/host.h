/* host - what a layer without sockets asks of the program around it: the time, timers, and something
 * to do next. The loop in production, a virtual clock in tests and the simulator.
 *
 * One thread. Callbacks never run inside the call that registered them. */
#pragma once
#include <stdint.h>
#include "base/list.h"

struct host;
struct host_timer; /* belongs to the host that made it */

/* Something to do once the callbacks of this turn are through. Lives in its owner; init node with
 * list_init. Asking twice before it runs is asking once. */
struct host_task {
	struct list node;
	void (*fn)(struct host_task *task);
};

struct host_ops {
	int64_t (*now_ms)(struct host *h); /* ms since the epoch, UTC */
	struct host_timer *(*timer_new)(struct host *h, void (*fn)(void *ctx), void *ctx);
	/* Fires once, delay_ms from now; arming again replaces. A negative delay cancels. */
	void (*timer_set)(struct host_timer *t, int64_t delay_ms);
	void (*timer_free)(struct host_timer *t);
	void (*defer)(struct host *h, struct host_task *task);
};
struct host { /* first member of the implementation */
	const struct host_ops *ops;
};

static inline int64_t
host_now_ms(struct host *h)
{
	return h->ops->now_ms(h);
}

static inline void
host_defer(struct host *h, struct host_task *task)
{
	h->ops->defer(h, task);
}

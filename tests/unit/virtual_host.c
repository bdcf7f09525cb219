#include "virtual_host.h"

#include <stdlib.h>

#include "base/xalloc.h"

struct host_timer {
	struct list node;
	struct virtual_host *host;
	int64_t due_ms; /* -1: not armed */
	void (*fn)(void *ctx);
	void *ctx;
};

static int64_t
now_ms(struct host *h)
{
	return ((struct virtual_host *)h)->now_ms;
}

static struct host_timer *
timer_new(struct host *h, void (*fn)(void *ctx), void *ctx)
{
	struct virtual_host *vh = (struct virtual_host *)h;
	struct host_timer *t = xcalloc(1, sizeof *t);

	*t = (struct host_timer){ .host = vh, .due_ms = -1, .fn = fn, .ctx = ctx };
	list_init(&t->node);
	list_append(&vh->timers, &t->node);
	return t;
}

static void
timer_set(struct host_timer *t, int64_t delay_ms)
{
	t->due_ms = delay_ms < 0 ? -1 : t->host->now_ms + delay_ms;
}

static void
timer_free(struct host_timer *t)
{
	list_remove(&t->node);
	free(t);
}

static void
defer(struct host *h, struct host_task *task)
{
	struct virtual_host *vh = (struct virtual_host *)h;

	if (list_is_empty(&task->node))
		list_append(&vh->tasks, &task->node);
}

static const struct host_ops OPS = { now_ms, timer_new, timer_set, timer_free, defer };

void
virtual_host_init(struct virtual_host *h, int64_t now)
{
	*h = (struct virtual_host){ .host = { &OPS }, .now_ms = now };
	list_init(&h->tasks);
	list_init(&h->timers);
}

static bool
run_task(struct virtual_host *h)
{
	struct host_task *task;

	if (list_is_empty(&h->tasks))
		return false;
	task = LIST_OWNER(h->tasks.next, struct host_task, node);
	list_remove(&task->node);
	task->fn(task);
	return true;
}

/* A store with threads takes as long as the disk does; when all is answered there is no waiting. */
static bool
hear_store(struct virtual_host *h)
{
	enum { ANSWER_MS = 60 * 1000 };

	if (!h->store)
		return false;
	return store_dispatch(h->store) > 0 ||
	       (store_wait(h->store, ANSWER_MS) && store_dispatch(h->store) > 0);
}

void
virtual_host_settle(struct virtual_host *h)
{
	while (run_task(h) || hear_store(h))
		;
}

static struct host_timer *
next_due(struct virtual_host *h, int64_t until_ms)
{
	struct host_timer *first = NULL;

	list_for_each (at, &h->timers) {
		struct host_timer *t = LIST_OWNER(at, struct host_timer, node);

		if (t->due_ms >= 0 && t->due_ms <= until_ms &&
		    (!first || t->due_ms < first->due_ms))
			first = t;
	}
	return first;
}

void
virtual_host_advance(struct virtual_host *h, int64_t ms)
{
	int64_t until = h->now_ms + ms;
	struct host_timer *t;

	virtual_host_settle(h);
	while ((t = next_due(h, until))) {
		if (t->due_ms > h->now_ms)
			h->now_ms = t->due_ms;
		t->due_ms = -1;
		t->fn(t->ctx);
		virtual_host_settle(h);
	}
	h->now_ms = until;
	virtual_host_settle(h);
}

void
virtual_host_set_clock(struct virtual_host *h, int64_t now)
{
	list_for_each (at, &h->timers) {
		struct host_timer *t = LIST_OWNER(at, struct host_timer, node);

		if (t->due_ms >= 0)
			t->due_ms += now - h->now_ms;
	}
	h->now_ms = now;
}

size_t
virtual_host_armed(const struct virtual_host *h)
{
	size_t count = 0;

	list_for_each (at, (struct list *)&h->timers)
		count += LIST_OWNER(at, struct host_timer, node)->due_ms >= 0;
	return count;
}

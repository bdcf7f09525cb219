#include "sim_host.h"

#include <stdlib.h>

#include "base/xalloc.h"

struct host_timer {
	struct list node;
	struct sim_host *host;
	int64_t due_ms; /* INT64_MAX: not armed */
	void (*fn)(void *ctx);
	void *ctx;
};

static int64_t
now_ms(struct host *h)
{
	const struct sim_clock *clock = ((struct sim_host *)h)->clock;

	return clock->steady_ms + clock->skew_ms;
}

static struct host_timer *
timer_new(struct host *h, void (*fn)(void *ctx), void *ctx)
{
	struct sim_host *sh = (struct sim_host *)h;
	struct host_timer *t = xcalloc(1, sizeof *t);

	*t = (struct host_timer){ .host = sh, .due_ms = INT64_MAX, .fn = fn, .ctx = ctx };
	list_init(&t->node);
	list_append(&sh->timers, &t->node);
	return t;
}

static void
timer_set(struct host_timer *t, int64_t delay_ms)
{
	t->due_ms = delay_ms < 0 ? INT64_MAX : t->host->clock->steady_ms + delay_ms;
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
	if (list_is_empty(&task->node))
		list_append(&((struct sim_host *)h)->tasks, &task->node);
}

void
sim_host_init(struct sim_host *h, struct sim_clock *clock)
{
	static const struct host_ops OPS = { now_ms, timer_new, timer_set, timer_free, defer };

	*h = (struct sim_host){ .host = { &OPS }, .clock = clock };
	list_init(&h->tasks);
	list_init(&h->timers);
}

bool
sim_host_has_task(const struct sim_host *h)
{
	return !list_is_empty(&h->tasks);
}

void
sim_host_run_task(struct sim_host *h)
{
	struct host_task *task = LIST_OWNER(h->tasks.next, struct host_task, node);

	list_remove(&task->node);
	task->fn(task);
}

static struct host_timer *
first_timer(const struct sim_host *h)
{
	struct host_timer *first = NULL;

	list_for_each (at, (struct list *)&h->timers) {
		struct host_timer *t = LIST_OWNER(at, struct host_timer, node);

		if (t->due_ms != INT64_MAX && (!first || t->due_ms < first->due_ms))
			first = t;
	}
	return first;
}

int64_t
sim_host_due_ms(const struct sim_host *h)
{
	const struct host_timer *t = first_timer(h);

	return t ? t->due_ms : INT64_MAX;
}

void
sim_host_fire(struct sim_host *h)
{
	struct host_timer *t = first_timer(h);

	t->due_ms = INT64_MAX;
	t->fn(t->ctx);
}

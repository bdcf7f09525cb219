#include "app/host_loop.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/xalloc.h"

struct host_loop {
	struct host host; /* first */
	struct loop *loop;
	struct list tasks;
	struct loop_task runner;
};

struct host_timer {
	struct loop *loop;
	struct timeout timeout;
	void (*fn)(void *ctx);
	void *ctx;
};

static int64_t
now_ms(struct host *h)
{
	(void)h;
	return clock_now_ms();
}

static void
on_due(struct timeout *timeout)
{
	struct host_timer *t = LIST_OWNER(timeout, struct host_timer, timeout);

	t->fn(t->ctx);
}

static struct host_timer *
timer_new(struct host *h, void (*fn)(void *ctx), void *ctx)
{
	struct host_timer *t = xcalloc(1, sizeof *t);

	t->loop = ((struct host_loop *)h)->loop;
	t->fn = fn;
	t->ctx = ctx;
	timeout_init(&t->timeout, on_due);
	return t;
}

static void
timer_set(struct host_timer *t, int64_t delay_ms)
{
	if (delay_ms < 0)
		timeout_cancel(&t->timeout);
	else
		loop_timeout_set(t->loop, &t->timeout, delay_ms);
}

static void
timer_free(struct host_timer *t)
{
	timeout_cancel(&t->timeout);
	free(t);
}

/* Tasks that come while tasks run wait for the next turn, so that sockets get theirs. */
static void
run_tasks(struct loop_task *runner)
{
	struct host_loop *h = LIST_OWNER(runner, struct host_loop, runner);
	struct list now;

	if (list_is_empty(&h->tasks))
		return;
	now = h->tasks; /* the whole ring moves */
	now.next->prev = &now;
	now.prev->next = &now;
	list_init(&h->tasks);
	while (!list_is_empty(&now)) {
		struct host_task *task = LIST_OWNER(now.next, struct host_task, node);

		list_remove(&task->node);
		task->fn(task);
	}
}

static void
defer(struct host *host, struct host_task *task)
{
	struct host_loop *h = (struct host_loop *)host;

	if (!list_is_empty(&task->node))
		return;
	list_append(&h->tasks, &task->node);
	loop_defer(h->loop, &h->runner);
}

static const struct host_ops OPS = { now_ms, timer_new, timer_set, timer_free, defer };

struct host *
host_loop_new(struct loop *loop)
{
	struct host_loop *h = xcalloc(1, sizeof *h);

	h->host.ops = &OPS;
	h->loop = loop;
	list_init(&h->tasks);
	loop_task_init(&h->runner, run_tasks);
	return &h->host;
}

void
host_loop_free(struct host **host)
{
	struct host_loop *h = (struct host_loop *)*host;

	if (!h)
		return;
	loop_task_cancel(&h->runner);
	free(h);
	*host = NULL;
}

#include "app/host_loop.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/xalloc.h"

enum { LOOK_MS = 10 };

struct host_loop {
	struct host host; /* first */
	struct loop *loop;
	struct list tasks;
	struct loop_task runner;
};

struct host_timer {
	struct loop *loop;
	int64_t due_ms; /* by timers_now_ms */
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

/* ---- timers ---- */

/* A test lets time pass: then it is looked for every few milliseconds. */
static int64_t
passed_ms(void)
{
#ifdef PERDURE_TEST_HOOKS
	return clock_test_passed_ms();
#else
	return -1;
#endif
}

static int64_t
timers_now_ms(struct loop *loop)
{
	int64_t passed = passed_ms();

	return loop_now_ms(loop) + (passed > 0 ? passed : 0);
}

static void
wait_on(struct host_timer *t)
{
	int64_t left_ms = t->due_ms - timers_now_ms(t->loop);

	if (left_ms > LOOK_MS && passed_ms() >= 0)
		left_ms = LOOK_MS;
	loop_timeout_set(t->loop, &t->timeout, left_ms);
}

static void
on_due(struct timeout *timeout)
{
	struct host_timer *t = LIST_OWNER(timeout, struct host_timer, timeout);

	if (t->due_ms > timers_now_ms(t->loop))
		wait_on(t);
	else
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
	if (delay_ms < 0) {
		timeout_cancel(&t->timeout);
		return;
	}
	t->due_ms = timers_now_ms(t->loop) + delay_ms;
	wait_on(t);
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

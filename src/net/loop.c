#include "net/loop.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <uv.h>

#include "base/xalloc.h"

static const int64_t NS_PER_MS = 1000000;

struct loop {
	uv_loop_t uv;
	uv_prepare_t turn; /* before the loop waits: the tasks */
	uv_idle_t busy;    /* active while tasks wait, so that the loop does not */
	uv_timer_t wheel_timer;
	uv_async_t alive; /* keeps loop_run running while nothing else does */
	struct timeout_wheel wheel;
	int64_t wheel_at_ms; /* when wheel_timer fires; INT64_MAX: it is not armed */
	bool runs;
	struct list tasks;
	struct loop_turns turns;
	uint64_t turn_at_ns; /* when the last one ended; 0: there was none */
	uint64_t idle_ns;    /* waited by then */
};

/* What timers, wakes and signals share: a libuv handle first, the callback behind it. */
struct handle {
	union {
		uv_handle_t any;
		uv_timer_t timer;
		uv_poll_t poll;
		uv_signal_t signal;
	} uv;
	struct loop *loop;
	void (*fn)(void *context);
	void *context;
};

struct loop_timer {
	struct handle handle;
};
/* An eventfd of our own instead of uv_async: that one makes the loop spin when it is faster than the
 * sender, who is usually preempted right then. */
struct loop_wake {
	struct handle handle;
	int fd;
	atomic_bool sent;
};
struct loop_signal {
	struct handle handle;
};

/* libuv refuses these calls only when used wrongly or when the machine is out of descriptors at
 * start: neither leaves anything to go on with. */
static void
must(int uv_status)
{
	if (uv_status < 0)
		abort();
}

/* libuv reads its clock once a turn, so it stands still while the loop does not run or one of its
 * callbacks takes long. A delay counted from there is too short: after a minute at a prompt, one of
 * 10 s is over at once. Whatever sets a timer therefore reads the clock first. */
static void
loop_read_clock(struct loop *loop)
{
	uv_update_time(&loop->uv);
}

static void
count_turn(struct loop *loop)
{
	uint64_t now_ns = uv_hrtime(), idle_ns = uv_metrics_idle_time(&loop->uv);
	int64_t took_ns = (int64_t)(now_ns - loop->turn_at_ns - (idle_ns - loop->idle_ns));

	if (loop->turn_at_ns > 0 && took_ns > loop->turns.longest_ns)
		loop->turns.longest_ns = took_ns;
	if (loop->turn_at_ns > 0 && took_ns > LOOP_STALL_MS * NS_PER_MS)
		loop->turns.stalls++;
	loop->turn_at_ns = now_ns;
	loop->idle_ns = idle_ns;
}

static void
run_tasks(uv_prepare_t *turn)
{
	struct loop *loop = turn->data;
	struct list now;

	uv_idle_stop(&loop->busy);
	list_init(&now);
	while (!list_is_empty(&loop->tasks)) {
		struct list *node = loop->tasks.next;
		list_remove(node);
		list_append(&now, node);
	}
	while (!list_is_empty(&now)) {
		struct loop_task *task = LIST_OWNER(now.next, struct loop_task, node);
		list_remove(&task->node);
		task->fn(task);
	}
	count_turn(loop);
}

static void
on_busy(uv_idle_t *busy)
{
	(void)busy;
}

static void
on_alive(uv_async_t *alive)
{
	(void)alive;
}

static void
arm_wheel(struct loop *loop, uv_timer_cb fn, int64_t at_ms)
{
	int64_t now_ms = loop_now_ms(loop);

	if (at_ms >= loop->wheel_at_ms)
		return;
	loop->wheel_at_ms = at_ms;
	must(uv_timer_start(&loop->wheel_timer, fn, at_ms > now_ms ? (uint64_t)(at_ms - now_ms) : 0,
			    0));
}

static void
on_wheel(uv_timer_t *timer)
{
	struct loop *loop = timer->data;
	int64_t next_ms;

	loop->wheel_at_ms = INT64_MAX;
	timeout_wheel_advance(&loop->wheel, loop_now_ms(loop));
	if (timeout_wheel_next(&loop->wheel, &next_ms))
		arm_wheel(loop, on_wheel, next_ms);
}

struct loop *
loop_new(void)
{
	struct loop *loop = xcalloc(1, sizeof *loop);

	signal(SIGPIPE, SIG_IGN);
	must(uv_loop_init(&loop->uv));
	must(uv_loop_configure(&loop->uv, UV_METRICS_IDLE_TIME));
	must(uv_prepare_init(&loop->uv, &loop->turn));
	must(uv_idle_init(&loop->uv, &loop->busy));
	must(uv_timer_init(&loop->uv, &loop->wheel_timer));
	must(uv_async_init(&loop->uv, &loop->alive, on_alive));
	loop->turn.data = loop->wheel_timer.data = loop;
	loop->wheel_at_ms = INT64_MAX;
	list_init(&loop->tasks);
	timeout_wheel_init(&loop->wheel, loop_now_ms(loop));
	must(uv_prepare_start(&loop->turn, run_tasks));
	return loop;
}

void
loop_free(struct loop **out)
{
	struct loop *loop = *out;

	*out = NULL;
	if (!loop)
		return;
	loop_settle(loop);
	uv_close((uv_handle_t *)&loop->turn, NULL);
	uv_close((uv_handle_t *)&loop->busy, NULL);
	uv_close((uv_handle_t *)&loop->wheel_timer, NULL);
	uv_close((uv_handle_t *)&loop->alive, NULL);
	uv_run(&loop->uv, UV_RUN_NOWAIT);
	must(uv_loop_close(&loop->uv));
	free(loop);
}

void
loop_run(struct loop *loop)
{
	loop->runs = true;
	uv_run(&loop->uv, UV_RUN_DEFAULT);
	loop->runs = false;
}

void
loop_stop(struct loop *loop)
{
	uv_stop(&loop->uv);
}

/* Closing, or a child that was killed and is not reaped yet (net/child). */
static void
note_closing(uv_handle_t *handle, void *found)
{
	bool dying = handle->type == UV_PROCESS && !uv_has_ref(handle);

	*(bool *)found |= uv_is_closing(handle) != 0 || dying;
}

void
loop_settle(struct loop *loop)
{
	bool closing;

	do {
		uv_run(&loop->uv, UV_RUN_NOWAIT);
		closing = false;
		uv_walk(&loop->uv, note_closing, &closing);
	} while (closing || !list_is_empty(&loop->tasks));
}

int64_t
loop_now_ms(struct loop *loop)
{
	if (!loop->runs)
		loop_read_clock(loop);
	return (int64_t)uv_now(&loop->uv);
}

struct loop_turns
loop_turns(const struct loop *loop)
{
	return loop->turns;
}

struct uv_loop_s *
loop_uv(struct loop *loop)
{
	return &loop->uv;
}

static void
on_closed(uv_handle_t *uv)
{
	free(uv->data);
}

/* The owner's pointer is cleared and the callback silenced now; the memory follows. */
static void
close_handle(struct handle *h)
{
	h->fn = NULL;
	uv_close(&h->uv.any, on_closed);
}

static void
call(struct handle *h)
{
	if (h->fn)
		h->fn(h->context);
}

static void *
handle_new(struct loop *loop, void (*fn)(void *), void *context)
{
	struct handle *h = xcalloc(1, sizeof *h);

	h->loop = loop;
	h->fn = fn;
	h->context = context;
	return h;
}

static void
on_timer(uv_timer_t *uv)
{
	call(uv->data);
}

struct loop_timer *
loop_timer_new(struct loop *loop, void (*fn)(void *context), void *context)
{
	struct loop_timer *t = handle_new(loop, fn, context);

	must(uv_timer_init(&loop->uv, &t->handle.uv.timer));
	t->handle.uv.any.data = t;
	return t;
}

void
loop_timer_set(struct loop_timer *t, int64_t delay_ms)
{
	loop_read_clock(t->handle.loop);
	must(uv_timer_start(&t->handle.uv.timer, on_timer, delay_ms > 0 ? (uint64_t)delay_ms : 0,
			    0));
}

void
loop_timer_cancel(struct loop_timer *t)
{
	must(uv_timer_stop(&t->handle.uv.timer));
}

void
loop_timer_free(struct loop_timer **t)
{
	if (*t)
		close_handle(&(*t)->handle);
	*t = NULL;
}

void
loop_timeout_set(struct loop *loop, struct timeout *t, int64_t delay_ms)
{
	loop_read_clock(loop);
	timeout_wheel_set(&loop->wheel, t, loop_now_ms(loop) + (delay_ms > 0 ? delay_ms : 0));
	arm_wheel(loop, on_wheel, t->tick * TIMEOUT_WHEEL_TICK_MS);
}

void
loop_task_init(struct loop_task *task, void (*fn)(struct loop_task *task))
{
	task->fn = fn;
	list_init(&task->node);
}

void
loop_defer(struct loop *loop, struct loop_task *task)
{
	if (!list_is_empty(&task->node))
		return;
	list_append(&loop->tasks, &task->node);
	uv_idle_start(&loop->busy, on_busy);
}

void
loop_task_cancel(struct loop_task *task)
{
	list_remove(&task->node);
}

static void
on_wake(uv_poll_t *uv, int status, int events)
{
	struct loop_wake *w = uv->data;
	eventfd_t count;

	(void)status, (void)events;
	IGNORE(eventfd_read(w->fd, &count)); /* nothing to read: it was read already */
	atomic_store(&w->sent, false);       /* whoever sends from now on is heard again */
	call(&w->handle);
}

struct loop_wake *
loop_wake_new(struct loop *loop, void (*fn)(void *context), void *context)
{
	struct loop_wake *w = xcalloc(1, sizeof *w);

	w->handle.loop = loop;
	w->handle.fn = fn;
	w->handle.context = context;
	w->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	must(w->fd);
	must(uv_poll_init(&loop->uv, &w->handle.uv.poll, w->fd));
	w->handle.uv.any.data = w;
	must(uv_poll_start(&w->handle.uv.poll, UV_READABLE, on_wake));
	return w;
}

void
loop_wake_send(struct loop_wake *w)
{
	if (!atomic_exchange(&w->sent, true))
		must(eventfd_write(w->fd, 1));
}

void
loop_wake_free(struct loop_wake **w)
{
	if (*w) {
		close_handle(&(*w)->handle);
		close((*w)->fd);
	}
	*w = NULL;
}

static void
on_signal(uv_signal_t *uv, int signum)
{
	(void)signum;
	call(uv->data);
}

struct loop_signal *
loop_signal_new(struct loop *loop, int signum, void (*fn)(void *context), void *context)
{
	struct loop_signal *s = handle_new(loop, fn, context);

	must(uv_signal_init(&loop->uv, &s->handle.uv.signal));
	s->handle.uv.any.data = s;
	must(uv_signal_start(&s->handle.uv.signal, on_signal, signum));
	return s;
}

void
loop_signal_free(struct loop_signal **s)
{
	if (*s)
		close_handle(&(*s)->handle);
	*s = NULL;
}

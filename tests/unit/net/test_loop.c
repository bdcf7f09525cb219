#include "net/loop.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#include "base/clock.h"
#include "harness.h"

struct note {
	struct loop *loop;
	struct loop_timer *timer;
	struct loop_wake *wake;
	struct loop_task task;
	struct timeout timeout;
	unsigned calls;
	int64_t at_ms;
	atomic_uint sent;
};

static void
note_and_stop(void *context)
{
	struct note *n = context;

	n->calls++;
	n->at_ms = loop_now_ms(n->loop);
	loop_stop(n->loop);
}

static void
timer_fires_once_and_not_early(void **state)
{
	struct note n = { .loop = loop_new() };
	int64_t begun_ms = loop_now_ms(n.loop);

	(void)state;
	n.timer = loop_timer_new(n.loop, note_and_stop, &n);
	loop_timer_set(n.timer, 1000000);
	loop_timer_set(n.timer, 20); /* replaces */
	loop_run(n.loop);
	assert_true(n.at_ms >= begun_ms + 20);
	loop_settle(n.loop);
	assert_int_equal(n.calls, 1);
	loop_timer_set(n.timer, -5);
	assert_int_equal(n.calls, 1); /* never inside the call */
	loop_run(n.loop);
	assert_int_equal(n.calls, 2);
	loop_timer_free(&n.timer);
	loop_timer_free(&n.timer);
	loop_free(&n.loop);
}

static void
cancelled_and_freed_timers_are_silent(void **state)
{
	struct note n = { .loop = loop_new() };
	struct note freed = { .loop = n.loop }, last = { .loop = n.loop };

	(void)state;
	n.timer = loop_timer_new(n.loop, note_and_stop, &n);
	freed.timer = loop_timer_new(n.loop, note_and_stop, &freed);
	last.timer = loop_timer_new(n.loop, note_and_stop, &last);
	loop_timer_set(n.timer, 1);
	loop_timer_set(freed.timer, 1);
	loop_timer_set(last.timer, 20);
	loop_timer_cancel(n.timer);
	loop_timer_free(&freed.timer);
	assert_null(freed.timer);
	loop_run(n.loop);
	assert_int_equal(n.calls, 0);
	assert_int_equal(freed.calls, 0);
	assert_int_equal(last.calls, 1);
	loop_timer_free(&n.timer);
	loop_timer_free(&last.timer);
	loop_free(&n.loop);
}

static void
wait_outside(int64_t ms)
{
	IGNORE(poll(NULL, 0, (int)ms));
}

static void
on_timeout(struct timeout *t)
{
	note_and_stop(LIST_OWNER(t, struct note, timeout));
}

static void
timeout_fires_after_its_delay(void **state)
{
	struct note n = { .loop = loop_new() };
	int64_t begun_ms = loop_now_ms(n.loop);

	(void)state;
	timeout_init(&n.timeout, on_timeout);
	loop_timeout_set(n.loop, &n.timeout, 1);
	loop_timeout_set(n.loop, &n.timeout, 40); /* moved away */
	loop_run(n.loop);
	assert_int_equal(n.calls, 1);
	assert_true(n.at_ms >= begun_ms + 40);
	loop_timeout_set(n.loop, &n.timeout, 5000000);
	loop_timeout_set(n.loop, &n.timeout, 10); /* moved nearer */
	loop_run(n.loop);
	assert_int_equal(n.calls, 2);
	loop_free(&n.loop);
}

/* Whoever blocks between two runs still gets the whole delay, of a timer and of a timeout. */
static void
delays_count_from_now(void **state)
{
	enum { PAUSE_MS = 150, DELAY_MS = 100 };
	struct note n = { .loop = loop_new() };
	int64_t begun_ms = loop_now_ms(n.loop);

	(void)state;
	n.timer = loop_timer_new(n.loop, note_and_stop, &n);
	timeout_init(&n.timeout, on_timeout);
	wait_outside(PAUSE_MS);
	loop_timer_set(n.timer, DELAY_MS);
	loop_run(n.loop);
	assert_true(n.at_ms >= begun_ms + PAUSE_MS + DELAY_MS);
	begun_ms = n.at_ms;
	wait_outside(PAUSE_MS);
	loop_timeout_set(n.loop, &n.timeout, DELAY_MS);
	loop_run(n.loop);
	assert_true(n.at_ms >= begun_ms + PAUSE_MS + DELAY_MS);
	begun_ms = n.at_ms;
	wait_outside(PAUSE_MS);
	assert_true(loop_now_ms(n.loop) >= begun_ms + PAUSE_MS);
	loop_timer_free(&n.timer);
	loop_free(&n.loop);
}

static void
on_task(struct loop_task *task)
{
	struct note *n = LIST_OWNER(task, struct note, task);

	if (++n->calls < 3)
		loop_defer(n->loop, &n->task); /* the next turn */
	else
		loop_stop(n->loop);
}

static void
tasks_run_in_the_next_turn_once(void **state)
{
	struct note n = { .loop = loop_new() }, cancelled = { .loop = n.loop };

	(void)state;
	loop_task_init(&n.task, on_task);
	loop_task_init(&cancelled.task, on_task);
	loop_defer(n.loop, &n.task);
	loop_defer(n.loop, &n.task);
	loop_defer(n.loop, &cancelled.task);
	loop_task_cancel(&cancelled.task);
	loop_task_cancel(&cancelled.task);
	assert_int_equal(n.calls, 0);
	loop_run(n.loop);
	assert_int_equal(n.calls, 3);
	assert_int_equal(cancelled.calls, 0);
	loop_free(&n.loop);
}

enum { SENDS = 1000 };

static void *
send_many(void *context)
{
	struct note *n = context;

	for (int i = 0; i < SENDS; i++) {
		atomic_fetch_add(&n->sent, 1);
		loop_wake_send(n->wake);
	}
	return NULL;
}

static void
on_wake(void *context)
{
	struct note *n = context;

	n->calls++;
	if (atomic_load(&n->sent) == SENDS)
		loop_stop(n->loop);
}

/* Wakes may melt into one, but the last is never lost. */
static void
another_thread_wakes_the_loop(void **state)
{
	struct note n = { .loop = loop_new() };
	pthread_t thread;

	(void)state;
	n.wake = loop_wake_new(n.loop, on_wake, &n);
	assert_int_equal(pthread_create(&thread, NULL, send_many, &n), 0);
	loop_run(n.loop);
	pthread_join(thread, NULL);
	assert_true(n.calls >= 1 && n.calls <= SENDS);
	loop_wake_free(&n.wake);
	loop_free(&n.loop);
}

static void
signals_arrive_on_the_loop(void **state)
{
	struct note n = { .loop = loop_new() };
	struct loop_signal *s = loop_signal_new(n.loop, SIGHUP, note_and_stop, &n);

	(void)state;
	raise(SIGHUP);
	assert_int_equal(n.calls, 0);
	loop_run(n.loop);
	assert_int_equal(n.calls, 1);
	loop_signal_free(&s);
	loop_free(&n.loop);
}

static void
writing_to_nobody_is_no_signal(void **state)
{
	struct loop *loop = loop_new();

	(void)state;
	raise(SIGPIPE); /* would end the process */
	loop_free(&loop);
	loop_free(&loop);
}

static void
spin(struct loop_task *task)
{
	struct note *n = LIST_OWNER(task, struct note, task);
	int64_t until_ns = clock_monotonic_ns() + (LOOP_STALL_MS + 10) * INT64_C(1000000);

	while (clock_monotonic_ns() < until_ns)
		;
	n->calls++;
}

static void
A14_the_longest_turn_is_measured_without_the_waiting(void **state)
{
	struct note n = { .loop = loop_new() };
	struct loop_turns turns;
	uint64_t stalls;

	(void)state;
	n.timer = loop_timer_new(n.loop, note_and_stop, &n);
	loop_timer_set(n.timer, 5 * LOOP_STALL_MS);
	loop_run(n.loop);
	turns = loop_turns(n.loop);
	stalls = turns.stalls; /* 0, where nobody else keeps the machine busy */
	assert_true(turns.longest_ns < 5 * LOOP_STALL_MS * INT64_C(1000000));
	loop_task_init(&n.task, spin);
	loop_defer(n.loop, &n.task);
	loop_settle(n.loop);
	turns = loop_turns(n.loop);
	assert_true(turns.stalls > stalls);
	assert_true(turns.longest_ns > LOOP_STALL_MS * INT64_C(1000000));
	loop_timer_free(&n.timer);
	loop_free(&n.loop);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, timer_fires_once_and_not_early);
	SUITE_TEST(&s, delays_count_from_now);
	SUITE_TEST(&s, cancelled_and_freed_timers_are_silent);
	SUITE_TEST(&s, timeout_fires_after_its_delay);
	SUITE_TEST(&s, tasks_run_in_the_next_turn_once);
	SUITE_TEST(&s, another_thread_wakes_the_loop);
	SUITE_TEST(&s, signals_arrive_on_the_loop);
	SUITE_TEST(&s, writing_to_nobody_is_no_signal);
	SUITE_TEST(&s, A14_the_longest_turn_is_measured_without_the_waiting);
	return suite_run(&s, "net/loop");
}

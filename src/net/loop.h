/* loop - the one thread that owns the sockets: timers, things to do next turn, wake-ups from other
 * threads, signals. libuv behind a small interface.
 *
 * Callbacks never run inside the call that registered them. Everything here belongs to the thread
 * that runs the loop, except loop_wake_send. What *_free is given is gone for the caller at once;
 * its memory goes when libuv says so. */
#pragma once
#include <stdint.h>
#include "base/list.h"
#include "net/timeout_wheel.h"

struct loop;

/* Also makes the process ignore SIGPIPE: a peer that hangs up must not end it. */
struct loop *loop_new(void);
/* After its timers, signals, wakes and servers are freed; one that is left is a bug and aborts. */
void loop_free(struct loop **loop);
/* Until loop_stop; may be run again. */
void loop_run(struct loop *loop);
/* The turn that runs now is finished first. */
void loop_stop(struct loop *loop);
/* Closing something takes a turn or two: runs until what was freed is really gone, without waiting
 * for anything else. */
void loop_settle(struct loop *loop);
/* Monotonic. While the loop runs it is read once a turn and whenever a timer is set. */
int64_t loop_now_ms(struct loop *loop);
/* How long others had to wait: a turn lasts from one wait for events to the next. */
enum { LOOP_STALL_MS = 50 };
struct loop_turns {
	int64_t longest_ns;
	uint64_t stalls; /* turns longer than LOOP_STALL_MS */
};
struct loop_turns loop_turns(const struct loop *loop);
/* For the files of net that hand sockets to libuv. */
struct uv_loop_s;
struct uv_loop_s *loop_uv(struct loop *loop);

/* A timer of its own: exact to the millisecond, for what there is one of. */
struct loop_timer;
struct loop_timer *loop_timer_new(struct loop *loop, void (*fn)(void *context), void *context);
/* Fires once, delay_ms from now; arming again replaces. */
void loop_timer_set(struct loop_timer *t, int64_t delay_ms);
void loop_timer_cancel(struct loop_timer *t);
void loop_timer_free(struct loop_timer **t);

/* A timeout among thousands (net/timeout_wheel): coarse, lives in its owner, costs no system call. */
void loop_timeout_set(struct loop *loop, struct timeout *t, int64_t delay_ms);

/* Something to do once the callbacks of this turn are through. Lives in its owner. */
struct loop_task {
	struct list node;
	void (*fn)(struct loop_task *task);
};
void loop_task_init(struct loop_task *task, void (*fn)(struct loop_task *task));
/* Once, however often it is asked for before it runs; asked for while tasks run: the next turn. */
void loop_defer(struct loop *loop, struct loop_task *task);
/* Harmless when it is not waiting. */
void loop_task_cancel(struct loop_task *task);

/* Several sends before the loop gets to it may become one call of fn. */
struct loop_wake;
struct loop_wake *loop_wake_new(struct loop *loop, void (*fn)(void *context), void *context);
void loop_wake_send(struct loop_wake *w); /* from any thread */
void loop_wake_free(struct loop_wake **w);

struct loop_signal;
struct loop_signal *
loop_signal_new(struct loop *loop, int signum, void (*fn)(void *context), void *context);
void loop_signal_free(struct loop_signal **s);

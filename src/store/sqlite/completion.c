#include "store/sqlite/completion.h"

#include "base/clock.h"

enum { NS_PER_MS = 1000000 };
static const int64_t NS_PER_S = 1000 * NS_PER_MS;

void
completion_queue_init(struct completion_queue *q, struct store_owner owner)
{
	pthread_condattr_t attr;

	*q = (struct completion_queue){ .owner = owner };
	pthread_mutex_init(&q->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&q->filled, &attr);
	pthread_condattr_destroy(&attr);
}

void
completion_queue_release(struct completion_queue *q)
{
	pthread_cond_destroy(&q->filled);
	pthread_mutex_destroy(&q->lock);
}

void
completion_push(struct completion_queue *q, struct completion_list *l)
{
	bool was_empty;

	if (!l->first)
		return;
	pthread_mutex_lock(&q->lock);
	was_empty = !q->ready.first;
	if (was_empty)
		q->ready = *l;
	else
		q->ready.last->next = l->first;
	q->ready.last = l->last;
	if (was_empty) {
		pthread_cond_signal(&q->filled);
		if (q->owner.wakeup) /* under the lock: no answer is seen before its wake-up */
			q->owner.wakeup(q->owner.ctx);
	}
	pthread_mutex_unlock(&q->lock);
	*l = (struct completion_list){ 0 };
}

size_t
completion_deliver(struct completion_queue *q)
{
	struct completion_list taken;
	size_t count = 0;

	pthread_mutex_lock(&q->lock);
	taken = q->ready;
	q->ready = (struct completion_list){ 0 };
	pthread_mutex_unlock(&q->lock);
	for (struct completion *c = taken.first, *next; c; c = next) {
		next = c->next;
		c->deliver(c);
		count++;
	}
	return count;
}

static struct timespec
deadline_in(int timeout_ms)
{
	int64_t at = clock_monotonic_ns() + (int64_t)timeout_ms * NS_PER_MS;

	return (struct timespec){ .tv_sec = at / NS_PER_S, .tv_nsec = at % NS_PER_S };
}

bool
completion_wait(struct completion_queue *q, int timeout_ms)
{
	struct timespec until = deadline_in(timeout_ms);
	bool ready;
	int rc = 0;

	pthread_mutex_lock(&q->lock);
	while (!q->ready.first && rc == 0)
		rc = pthread_cond_timedwait(&q->filled, &q->lock, &until);
	ready = q->ready.first != NULL;
	pthread_mutex_unlock(&q->lock);
	return ready;
}

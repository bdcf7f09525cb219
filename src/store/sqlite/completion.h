/* completion - answers on their way from the store's threads to the thread that owns it.
 * Threads push whole lists; the owner takes them all at once and delivers them. The owner is woken
 * only when the queue was empty: one wake-up for a batch, however large. */
#pragma once
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include "store/store.h"

/* The first member of a job. deliver runs on the owner's thread and frees the job. */
struct completion {
	struct completion *next;
	void (*deliver)(struct completion *c);
};

struct completion_list {
	struct completion *first, *last;
};

struct completion_queue {
	pthread_mutex_t lock;
	pthread_cond_t filled;
	struct completion_list ready;
	struct store_owner owner;
};

static inline void
completion_list_add(struct completion_list *l, struct completion *c)
{
	c->next = NULL;
	if (l->last)
		l->last->next = c;
	else
		l->first = c;
	l->last = c;
}

void completion_queue_init(struct completion_queue *q, struct store_owner owner);
/* Must be empty. */
void completion_queue_release(struct completion_queue *q);

/* From any thread: all of l, in its order; l is empty afterwards. */
void completion_push(struct completion_queue *q, struct completion_list *l);
/* On the owner's thread: delivers what is there now; returns how many. */
size_t completion_deliver(struct completion_queue *q);
/* On the owner's thread: is there something, or will there be within timeout_ms? */
bool completion_wait(struct completion_queue *q, int timeout_ms);

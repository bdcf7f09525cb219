#include "net/lookup.h"

#include <errno.h>
#include <netdb.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "base/xalloc.h"

/* Shared with the threads: the last of them and the pool frees it. */
struct desk {
	pthread_mutex_t mutex;
	struct list waiting, asking, answered;
	unsigned threads, threads_max;
	bool closed; /* the pool is gone: nobody to wake */
	struct loop_wake *wake;
	lookup_fn fn;
};

struct lookup_pool {
	struct desk *desk;
};

enum lookup_state { WAITING, ASKING, ANSWERED, ABANDONED };

/* State and lists belong to the desk's mutex. While it is ASKING, name and answer belong to the
 * thread; else all of it belongs to the loop. */
struct lookup {
	struct list node;
	struct desk *desk;
	enum lookup_state state;
	lookup_done_fn done;
	void *context;
	int rc;
	struct lookup_found found;
	struct err err;
	char name[];
};

/* --- the system's resolver --- */

static int
fail_resolver(int gai, int os_errno, const char *name, struct err *e)
{
	switch (gai) {
	case EAI_NONAME:
	case EAI_NODATA:
		return err_set(e, ERR_UNAVAILABLE, "cannot look up %s: there is no such host",
			       name);
	case EAI_AGAIN:
		return err_set(e, ERR_UNAVAILABLE, "cannot look up %s: no name server answers",
			       name);
	case EAI_SYSTEM:
		return err_set(e, ERR_IO, "cannot look up %s: %s", name, strerror(os_errno));
	default:
		return err_set(e, ERR_UNAVAILABLE, "cannot look up %s: %s", name,
			       gai_strerror(gai));
	}
}

int
lookup_system(const char *name, struct lookup_found *out, struct err *e)
{
	struct addrinfo hints = { .ai_family = AF_UNSPEC,
				  .ai_socktype = SOCK_STREAM,
				  .ai_flags = AI_ADDRCONFIG };
	struct addrinfo *list = NULL;
	int gai = getaddrinfo(name, NULL, &hints, &list);
	struct lookup_found found = { .count = 0 };

	if (gai != 0)
		return fail_resolver(gai, errno, name, e);
	for (struct addrinfo *at = list; at && found.count < LOOKUP_ADDRESSES_MAX; at = at->ai_next)
		if (net_address_of_socket(at->ai_addr, &found.addresses[found.count]))
			found.count++;
	freeaddrinfo(list);
	if (found.count == 0)
		return fail_resolver(EAI_NODATA, 0, name, e);
	*out = found;
	return 0;
}

/* --- the threads --- */

static void
leave_desk(struct desk *desk)
{
	bool last = desk->closed && desk->threads == 0;

	pthread_mutex_unlock(&desk->mutex);
	if (!last)
		return;
	pthread_mutex_destroy(&desk->mutex);
	free(desk);
}

/* With the mutex held: hands the answer over, or drops it when nobody wants it. */
static void
answer(struct desk *desk, struct lookup *l)
{
	list_remove(&l->node);
	if (l->state == ABANDONED) {
		free(l);
		return;
	}
	l->state = ANSWERED;
	list_append(&desk->answered, &l->node);
	loop_wake_send(desk->wake);
}

static void *
work(void *context)
{
	struct desk *desk = context;

	pthread_mutex_lock(&desk->mutex);
	while (!list_is_empty(&desk->waiting)) {
		struct lookup *l = LIST_OWNER(desk->waiting.next, struct lookup, node);
		list_remove(&l->node);
		list_append(&desk->asking, &l->node);
		l->state = ASKING;
		pthread_mutex_unlock(&desk->mutex);
		l->rc = desk->fn(l->name, &l->found, &l->err);
		pthread_mutex_lock(&desk->mutex);
		answer(desk, l);
	}
	desk->threads--;
	leave_desk(desk);
	return NULL;
}

/* With the mutex held. Signals are for the loop's thread. */
static bool
start_thread(struct desk *desk)
{
	pthread_t thread;
	sigset_t all, old;
	int status;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	status = pthread_create(&thread, NULL, work, desk);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (status != 0)
		return false;
	pthread_detach(thread);
	desk->threads++;
	return true;
}

/* --- the loop's side --- */

/* One a call: the callback may do anything, up to freeing the pool. */
static void
on_answer(void *context)
{
	struct desk *desk = context;
	struct lookup *l = NULL;

	pthread_mutex_lock(&desk->mutex);
	if (!list_is_empty(&desk->answered)) {
		l = LIST_OWNER(desk->answered.next, struct lookup, node);
		list_remove(&l->node);
		if (!list_is_empty(&desk->answered))
			loop_wake_send(desk->wake);
	}
	pthread_mutex_unlock(&desk->mutex);
	if (!l)
		return;
	l->done(l->context, l->rc, &l->found, &l->err);
	free(l);
}

struct lookup_pool *
lookup_pool_new(struct loop *loop, lookup_fn fn, unsigned threads)
{
	struct lookup_pool *pool = xcalloc(1, sizeof *pool);
	struct desk *desk = xcalloc(1, sizeof *desk);

	pthread_mutex_init(&desk->mutex, NULL);
	list_init(&desk->waiting);
	list_init(&desk->asking);
	list_init(&desk->answered);
	desk->threads_max = threads;
	desk->fn = fn;
	desk->wake = loop_wake_new(loop, on_answer, desk);
	pool->desk = desk;
	return pool;
}

struct lookup *
lookup_new(struct lookup_pool *pool, struct str name, lookup_done_fn fn, void *context)
{
	struct desk *desk = pool->desk;
	struct lookup *l = xcalloc(1, sizeof *l + name.len + 1);

	memcpy(l->name, name.ptr, name.len);
	l->desk = desk;
	l->done = fn;
	l->context = context;
	list_init(&l->node);
	pthread_mutex_lock(&desk->mutex);
	list_append(&desk->waiting, &l->node);
	if (desk->threads < desk->threads_max && !start_thread(desk) && desk->threads == 0) {
		l->rc = err_set(&l->err, ERR_UNAVAILABLE,
				"cannot look up %s: the system gives no more threads", l->name);
		answer(desk, l);
	}
	pthread_mutex_unlock(&desk->mutex);
	return l;
}

/* With the mutex held. */
static void
drop(struct lookup *l)
{
	list_remove(&l->node);
	if (l->state == ASKING)
		l->state = ABANDONED; /* its thread frees it */
	else
		free(l);
}

void
lookup_cancel(struct lookup **out)
{
	struct lookup *l = TAKE(*out);
	struct desk *desk;

	if (!l)
		return;
	desk = l->desk;
	pthread_mutex_lock(&desk->mutex);
	drop(l);
	pthread_mutex_unlock(&desk->mutex);
}

void
lookup_pool_free(struct lookup_pool **out)
{
	struct lookup_pool *pool = TAKE(*out);
	struct desk *desk;

	if (!pool)
		return;
	desk = pool->desk;
	pthread_mutex_lock(&desk->mutex);
	list_for_each (at, &desk->waiting)
		drop(LIST_OWNER(at, struct lookup, node));
	list_for_each (at, &desk->asking)
		drop(LIST_OWNER(at, struct lookup, node));
	list_for_each (at, &desk->answered)
		drop(LIST_OWNER(at, struct lookup, node));
	loop_wake_free(&desk->wake);
	desk->closed = true;
	leave_desk(desk);
	free(pool);
}

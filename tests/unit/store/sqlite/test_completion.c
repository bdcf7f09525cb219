#include "store/sqlite/completion.h"

#include "base/xalloc.h"
#include "harness.h"

enum { THREADS = 4, LISTS = 500, LIST_LEN = 3 };

struct job {
	struct completion completion;
	int thread, number;
	int *next; /* per thread: the number that must come now */
};

static void
deliver(struct completion *c)
{
	struct job *job = (struct job *)c;

	assert_int_equal(job->number, job->next[job->thread]++);
	free(job);
}

struct pusher {
	struct completion_queue *q;
	int thread, *next;
};

static void *
push_lists(void *arg)
{
	const struct pusher *p = arg;

	for (int i = 0; i < LISTS; i++) {
		struct completion_list l = { 0 };
		for (int k = 0; k < LIST_LEN; k++) {
			struct job *job = xcalloc(1, sizeof *job);
			job->completion.deliver = deliver;
			job->thread = p->thread;
			job->number = i * LIST_LEN + k;
			job->next = p->next;
			completion_list_add(&l, &job->completion);
		}
		completion_push(p->q, &l);
	}
	return NULL;
}

static void
count_wakeup(void *ctx)
{
	__atomic_add_fetch((int *)ctx, 1, __ATOMIC_RELAXED);
}

static void
S1_every_answer_arrives_once_and_in_order(void **state)
{
	struct completion_queue q;
	struct pusher pushers[THREADS];
	pthread_t threads[THREADS];
	int next[THREADS] = { 0 }, wakeups = 0;
	size_t delivered = 0;

	(void)state;
	completion_queue_init(&q, (struct store_owner){ .wakeup = count_wakeup, .ctx = &wakeups });
	for (int i = 0; i < THREADS; i++) {
		pushers[i] = (struct pusher){ &q, i, next };
		assert_int_equal(pthread_create(&threads[i], NULL, push_lists, &pushers[i]), 0);
	}
	while (delivered < THREADS * LISTS * LIST_LEN) {
		assert_true(completion_wait(&q, 10000));
		delivered += completion_deliver(&q);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(completion_deliver(&q), 0);
	assert_in_range(__atomic_load_n(&wakeups, __ATOMIC_RELAXED), 1, THREADS * LISTS);
	completion_queue_release(&q);
}

static void
S1_waiting_ends_without_an_answer_too(void **state)
{
	struct completion_queue q;
	struct completion_list none = { 0 };

	(void)state;
	completion_queue_init(&q, (struct store_owner){ 0 });
	completion_push(&q, &none);
	assert_false(completion_wait(&q, 0));
	assert_false(completion_wait(&q, 1));
	completion_queue_release(&q);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, S1_every_answer_arrives_once_and_in_order);
	SUITE_TEST(&s, S1_waiting_ends_without_an_answer_too);
	return suite_run(&s, "completion");
}

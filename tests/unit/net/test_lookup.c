#include "net/lookup.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#include "harness.h"

enum { BOUND_MS = 10000 };

struct asked {
	struct loop *loop;
	struct loop_timer *bound;
	struct lookup *lookup;
	struct lookup_pool **frees; /* freed by the callback */
	int calls, rc;
	struct lookup_found found;
	struct err err;
};

static void
on_bound(void *context)
{
	(void)context;
	fail_msg("no answer within %d ms", BOUND_MS);
}

static void
on_done(void *context, int rc, const struct lookup_found *found, const struct err *e)
{
	struct asked *a = context;

	a->calls++;
	a->rc = rc;
	a->lookup = NULL;
	if (rc == 0)
		a->found = *found;
	else
		a->err = *e;
	if (a->frees)
		lookup_pool_free(a->frees);
	loop_stop(a->loop);
}

static void
run(struct asked *a)
{
	a->bound = loop_timer_new(a->loop, on_bound, NULL);
	loop_timer_set(a->bound, BOUND_MS);
	loop_run(a->loop);
	loop_timer_free(&a->bound);
}

static void
the_system_knows_localhost(void **state)
{
	struct asked a = { .loop = loop_new() };
	struct lookup_pool *pool = lookup_pool_new(a.loop, lookup_system, 2);

	(void)state;
	a.lookup = lookup_new(pool, STR("localhost"), on_done, &a);
	assert_int_equal(a.calls, 0);
	run(&a);
	assert_int_equal(a.calls, 1);
	assert_int_equal(a.rc, 0);
	assert_true(a.found.count >= 1);
	for (size_t i = 0; i < a.found.count; i++)
		assert_int_equal(net_address_kind(&a.found.addresses[i]), NET_ADDRESS_LOOPBACK);
	lookup_pool_free(&pool);
	lookup_pool_free(&pool);
	loop_free(&a.loop);
}

/* Nothing leaves the machine: the resolver refuses a name with an empty label itself. */
static void
a_name_nobody_has_is_told(void **state)
{
	struct lookup_found found;
	struct err e;

	(void)state;
	assert_int_equal(lookup_system("a..invalid", &found, &e), ERR_UNAVAILABLE);
	assert_non_null(strstr(e.text, "cannot look up a..invalid: "));
}

static sem_t gate; /* slow names wait here */
static atomic_int begun, ended;

static int
fake(const char *name, struct lookup_found *out, struct err *e)
{
	atomic_fetch_add(&begun, 1);
	if (strncmp(name, "slow", 4) == 0)
		sem_wait(&gate);
	atomic_fetch_add(&ended, 1);
	if (strcmp(name, "bad") == 0)
		return err_set(e, ERR_UNAVAILABLE, "no %s", name);
	*out = (struct lookup_found){ .count = 1 };
	return 0;
}

static void
wait_for(const atomic_int *number, int least)
{
	for (int i = 0; i < BOUND_MS && atomic_load(number) < least; i++)
		usleep(1000);
	assert_true(atomic_load(number) >= least);
}

static void
begin(void)
{
	assert_int_equal(sem_init(&gate, 0, 0), 0);
	atomic_store(&begun, 0);
	atomic_store(&ended, 0);
}

static void
failure_has_its_sentence(void **state)
{
	struct asked a = { .loop = loop_new() };
	struct lookup_pool *pool = lookup_pool_new(a.loop, fake, 1);

	(void)state;
	begin();
	a.lookup = lookup_new(pool, STR("bad"), on_done, &a);
	run(&a);
	assert_int_equal(a.rc, ERR_UNAVAILABLE);
	assert_string_equal(a.err.text, "no bad");
	lookup_pool_free(&pool);
	loop_free(&a.loop);
}

/* One thread hangs in the resolver; cancelling does not wait for it, others go on. */
static void
slow_lookup_is_cancelled_at_once(void **state)
{
	struct asked slow = { .loop = loop_new() }, quick = { .loop = slow.loop };
	struct lookup_pool *pool = lookup_pool_new(slow.loop, fake, 2);

	(void)state;
	begin();
	slow.lookup = lookup_new(pool, STR("slow"), on_done, &slow);
	wait_for(&begun, 1);
	lookup_cancel(&slow.lookup);
	lookup_cancel(&slow.lookup);
	assert_null(slow.lookup);
	quick.lookup = lookup_new(pool, STR("quick"), on_done, &quick);
	run(&quick);
	assert_int_equal(quick.calls, 1);
	sem_post(&gate);
	wait_for(&ended, 2);
	loop_settle(slow.loop);
	assert_int_equal(slow.calls, 0);
	lookup_pool_free(&pool);
	loop_free(&slow.loop);
}

/* The pool and the loop end while a thread is still in the resolver. */
static void
pool_does_not_wait_for_its_threads(void **state)
{
	struct asked a[3] = { { .loop = loop_new() } };
	struct lookup_pool *pool = lookup_pool_new(a[0].loop, fake, 1);
	struct loop *loop = a[0].loop;

	(void)state;
	begin();
	for (size_t i = 0; i < ARRAY_LEN(a); i++) {
		a[i].loop = loop;
		a[i].lookup = lookup_new(pool, STR("slow"), on_done, &a[i]);
	}
	wait_for(&begun, 1);
	lookup_pool_free(&pool);
	loop_free(&loop);
	sem_post(&gate);
	wait_for(&ended, 1);
	for (size_t i = 0; i < ARRAY_LEN(a); i++)
		assert_int_equal(a[i].calls, 0);
	assert_int_equal(atomic_load(&begun), 1); /* those that waited were never asked */
}

static void
those_that_wait_and_those_that_are_answered_can_be_cancelled(void **state)
{
	struct asked a = { .loop = loop_new() }, b = { .loop = a.loop }, c = { .loop = a.loop };
	struct lookup_pool *pool = lookup_pool_new(a.loop, fake, 1);

	(void)state;
	begin();
	a.lookup = lookup_new(pool, STR("slow"), on_done, &a);
	wait_for(&begun, 1);
	b.lookup = lookup_new(pool, STR("b"), on_done, &b);
	c.lookup = lookup_new(pool, STR("c"), on_done, &c);
	lookup_cancel(&b.lookup); /* waits */
	sem_post(&gate);
	wait_for(&ended, 2);
	lookup_cancel(&c.lookup); /* is answered, or nearly */
	run(&a);
	loop_settle(a.loop);
	assert_int_equal(a.calls, 1);
	assert_int_equal(b.calls + c.calls, 0);
	lookup_pool_free(&pool);
	loop_free(&a.loop);
}

static void
callback_may_free_the_pool(void **state)
{
	struct asked a = { .loop = loop_new() }, b = { .loop = a.loop };
	struct lookup_pool *pool = lookup_pool_new(a.loop, fake, 1);

	(void)state;
	begin();
	a.frees = b.frees = &pool;
	a.lookup = lookup_new(pool, STR("a"), on_done, &a);
	b.lookup = lookup_new(pool, STR("b"), on_done, &b);
	wait_for(&ended, 2);
	run(&a);
	loop_settle(a.loop);
	assert_int_equal(a.calls + b.calls, 1);
	assert_null(pool);
	loop_free(&a.loop);
}

static void
hundreds_share_a_few_threads(void **state)
{
	enum { MANY = 300 };
	static struct asked all[MANY];
	struct loop *loop = loop_new();
	struct lookup_pool *pool = lookup_pool_new(loop, fake, 4);
	int answered = 0;

	(void)state;
	begin();
	for (int i = 0; i < MANY; i++) {
		all[i] = (struct asked){ .loop = loop };
		all[i].lookup = lookup_new(pool, STR("many"), on_done, &all[i]);
	}
	while (answered < MANY) {
		run(&all[0]);
		answered = 0;
		for (int i = 0; i < MANY; i++)
			answered += all[i].calls;
	}
	assert_int_equal(answered, MANY);
	lookup_pool_free(&pool);
	loop_free(&loop);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, the_system_knows_localhost);
	SUITE_TEST(&s, a_name_nobody_has_is_told);
	SUITE_TEST(&s, failure_has_its_sentence);
	SUITE_TEST(&s, slow_lookup_is_cancelled_at_once);
	SUITE_TEST(&s, pool_does_not_wait_for_its_threads);
	SUITE_TEST(&s, those_that_wait_and_those_that_are_answered_can_be_cancelled);
	SUITE_TEST(&s, callback_may_free_the_pool);
	SUITE_TEST(&s, hundreds_share_a_few_threads);
	return suite_run(&s, "net/lookup");
}

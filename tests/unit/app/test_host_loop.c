#include "app/host_loop.h"

#include "base/buf.h"
#include "base/clock.h"
#include "harness.h"

struct stage {
	struct loop *loop;
	struct host *host;
	struct buf order;
};

struct step {
	struct host_task task;
	struct stage *stage;
	char name;
	struct step *then; /* deferred when it runs */
	bool stops;
};

static void
stage_init(struct stage *g)
{
	g->loop = loop_new();
	g->host = host_loop_new(g->loop);
	buf_init(&g->order, 1000);
}

static void
stage_release(struct stage *g)
{
	host_loop_free(&g->host);
	assert_null(g->host);
	host_loop_free(&g->host);
	loop_free(&g->loop);
	buf_release(&g->order);
}

static void
run_step(struct host_task *task)
{
	struct step *s = LIST_OWNER(task, struct step, task);

	buf_printf(&s->stage->order, "%c", s->name);
	if (s->then)
		host_defer(s->stage->host, &s->then->task);
	if (s->stops)
		loop_stop(s->stage->loop);
}

static void
step_init(struct step *s, struct stage *g, char name)
{
	*s = (struct step){ .stage = g, .name = name };
	s->task.fn = run_step;
	list_init(&s->task.node);
}

static void
tasks_run_in_order_and_once(void **state)
{
	struct stage g;
	struct step a, b, c;

	(void)state;
	stage_init(&g);
	step_init(&a, &g, 'a');
	step_init(&b, &g, 'b');
	step_init(&c, &g, 'c');
	a.then = &c; /* comes while tasks run: the next turn */
	c.stops = true;
	host_defer(g.host, &a.task);
	host_defer(g.host, &b.task);
	host_defer(g.host, &a.task);
	check_str("not inside the call", buf_str(&g.order), STR(""));
	loop_run(g.loop);
	check_str("order", buf_str(&g.order), STR("abc"));
	stage_release(&g);
}

/* One that asks for itself again and again lets others have their turn. */
static void
a_task_that_returns_starves_nobody(void **state)
{
	struct stage g;
	struct step a, b;

	(void)state;
	stage_init(&g);
	step_init(&a, &g, 'a');
	step_init(&b, &g, 'b');
	a.then = &a;
	b.stops = true;
	host_defer(g.host, &a.task);
	host_defer(g.host, &b.task);
	loop_run(g.loop);
	check_str("order", buf_str(&g.order), STR("ab"));
	list_remove(&a.task.node); /* it still waits: the host goes first here */
	stage_release(&g);
}

struct alarm {
	struct stage *stage;
	int fired;
};

static void
on_alarm(void *ctx)
{
	struct alarm *a = ctx;

	a->fired++;
	loop_stop(a->stage->loop);
}

static void
timers_fire_once_are_replaced_and_cancelled(void **state)
{
	struct stage g;
	struct alarm one = { .stage = &g }, other = { .stage = &g };
	struct host_timer *t, *u;
	int64_t begun;

	(void)state;
	stage_init(&g);
	t = g.host->ops->timer_new(g.host, on_alarm, &one);
	u = g.host->ops->timer_new(g.host, on_alarm, &other);
	g.host->ops->timer_set(u, 1);
	g.host->ops->timer_set(u, -1);
	g.host->ops->timer_set(t, 3600000);
	begun = clock_monotonic_ns() / 1000000;
	g.host->ops->timer_set(t, 30);
	loop_run(g.loop);
	assert_int_equal(one.fired, 1);
	assert_int_equal(other.fired, 0);
	assert_true(clock_monotonic_ns() / 1000000 - begun >= 29);
	assert_true(clock_monotonic_ns() / 1000000 - begun < 5000);
	g.host->ops->timer_free(t);
	g.host->ops->timer_free(u);
	stage_release(&g);
}

static void
its_time_is_the_clocks(void **state)
{
	struct stage g;
	int64_t before = clock_now_ms();

	(void)state;
	stage_init(&g);
	assert_true(host_now_ms(g.host) >= before);
	assert_true(host_now_ms(g.host) <= clock_now_ms());
	stage_release(&g);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, tasks_run_in_order_and_once);
	SUITE_TEST(&s, a_task_that_returns_starves_nobody);
	SUITE_TEST(&s, timers_fire_once_are_replaced_and_cancelled);
	SUITE_TEST(&s, its_time_is_the_clocks);
	return suite_run(&s, "app/host_loop");
}

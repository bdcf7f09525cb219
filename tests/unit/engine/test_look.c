#include "engine/look.h"

#include "engine/turn.h"
#include "turn_rig.h"

struct heard {
	bool done;
	int rc;
};

static void
on_looked(void *ctx, int rc, const struct err *err)
{
	struct heard *h = ctx;

	(void)err;
	*h = (struct heard){ true, rc };
}

static struct look *
look_at(struct rig *r, const char *session, bool running_here)
{
	struct heard h = { 0 };
	struct look *l = look_start(r->en, str_of(session), running_here, on_looked, &h);

	assert_false(h.done);
	rig_settle_until(r, &h.done);
	assert_int_equal(h.rc, 0);
	return l;
}

static void
Q2_nothing_there_is_nothing_found(void **state)
{
	struct rig r;
	struct look *l;

	(void)state;
	rig_init(&r, true);
	l = look_at(&r, "absent", false);
	assert_false(l->found);
	look_free(&l);
	assert_null(l);
	look_free(&l);
	rig_session(&r, "s", "main");
	l = look_at(&r, "s", false);
	assert_true(l->found);
	assert_int_equal(l->pending.len, 0);
	assert_false(l->has_history);
	look_free(&l);
	rig_release(&r);
}

static void
Q1_the_queue_is_the_pending_triggers_in_order(void **state)
{
	struct rig r;
	struct look *l;
	struct queue_input *queue;
	struct str_list consumed;
	size_t count;

	(void)state;
	rig_init(&r, true);
	rig_session(&r, "s", "main");
	rig_post(&r, "s", "wait 60");
	rig_post(&r, "s", "say b");
	rig_send(
		&r, "s",
		"[{\"type\":\"user.message\",\"content\":[{\"type\":\"text\",\"text\":\"say c\"}]},"
		"{\"type\":\"system.message\",\"content\":[{\"type\":\"text\",\"text\":\"s\"}]}]");
	l = look_at(&r, "s", true);
	queue = look_queue(l, &l->arena, &count);
	assert_int_equal(count, 2);
	assert_true(queue[0].seq < queue[1].seq);
	consumed = look_consumes(l, &l->arena, 0, 1);
	assert_int_equal(consumed.len, 1);
	consumed = look_consumes(l, &l->arena, 1, 1); /* with what is bound to it */
	assert_int_equal(consumed.len, 2);
	consumed = look_consumes(l, &l->arena, 0, 2);
	assert_int_equal(consumed.len, 3);
	look_free(&l);
	rig_release(&r);
}

static void
Q5_interrupts_and_steers_are_for_the_open_turn(void **state)
{
	struct rig r;
	struct look *l;
	struct turn_inputs in;

	(void)state;
	rig_init(&r, true);
	rig_session(&r, "s", "main");
	rig_post(&r, "s", "wait 60");
	rig_post_busy(&r, "s", "left", BUSY_STEER);
	rig_post(&r, "s", "say later");
	l = look_at(&r, "s", true);
	in = look_inputs(l, &l->arena, r.host.now_ms);
	assert_int_equal(in.steers.len, 1);
	assert_int_equal(in.interrupts.len, 0);
	assert_false(l->has_history); /* whoever runs it knows it */
	look_free(&l);
	rig_release(&r);
}

static void
H5_an_open_turn_that_nobody_runs_comes_with_its_history(void **state)
{
	struct rig r;
	struct look *l;
	struct arena taken;
	struct str id;

	(void)state;
	rig_init(&r, true);
	rig_session(&r, "s", "main");
	rig_post(&r, "s", "wait 60");
	rig_put(&r, RECORD_PARTIAL, "s", "another-turn", "{\"text\":\"x\"}");
	l = look_at(&r, "s", false);
	assert_true(l->has_history);
	assert_true(l->has_partial);
	assert_int_equal(l->partial_text.len, 0); /* another turn's: of no use */
	id = l->session.row.turn;
	assert_true(id.len > 0);
	taken = look_take_arena(l);
	look_free(&l);
	assert_true(str_starts(id, STR("turn_"))); /* lives on with the arena */
	arena_release(&taken);
	rig_release(&r);
}

static void
Q2_more_pending_than_a_page_holds(void **state)
{
	enum { MANY = 1200 };
	struct rig r;
	struct look *l;
	size_t count;

	(void)state;
	rig_init(&r, true);
	rig_session(&r, "s", "main");
	engine_reload(r.en, &(struct engine_settings){ .default_model = STR("demo"),
						       .queue_depth = MANY });
	rig_post(&r, "s", "wait 60");
	for (int i = 0; i < MANY; i++)
		rig_post(&r, "s", "x");
	l = look_at(&r, "s", true);
	look_queue(l, &l->arena, &count);
	assert_int_equal(count, MANY);
	for (size_t i = 1; i < l->pending.len; i++)
		assert_true(l->pending.ptr[i - 1].seq < l->pending.ptr[i].seq);
	look_free(&l);
	rig_release(&r);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, Q2_nothing_there_is_nothing_found);
	SUITE_TEST(&s, Q1_the_queue_is_the_pending_triggers_in_order);
	SUITE_TEST(&s, Q5_interrupts_and_steers_are_for_the_open_turn);
	SUITE_TEST(&s, H5_an_open_turn_that_nobody_runs_comes_with_its_history);
	SUITE_TEST(&s, Q2_more_pending_than_a_page_holds);
	return suite_run(&s, "engine/look");
}

/* Who waits for an item, and gets it. */
#include "work_world.h"

static void
T11_a_poll_waits_for_what_comes(void **state)
{
	struct world w;
	struct heard first, second, late;

	world_init(&w, *state != NULL);
	poll_for(&w, &first, 10000);
	poll_for(&w, &second, 20000);
	virtual_host_advance(&w.r.host, 9999);
	assert_false(first.answer.done);
	park(&w, "s");
	rig_expect(&first.answer, 0, NULL);
	assert_true(first.answer.id.len > 0);
	assert_false(second.answer.done);
	assert_int_equal(acknowledge(&w, &w.key, first.answer.id), 0);
	virtual_host_advance(&w.r.host, 20001 - 9999);
	rig_expect(&second.answer, 0, NULL);
	assert_int_equal(second.answer.id.len, 0);
	poll_for(&w, &late, 1);
	virtual_host_advance(&w.r.host, 1);
	rig_expect(&late.answer, 0, NULL);
	engine_rig_release(&w.r);
}

static void
T11_many_polls_share_what_there_is(void **state)
{
	enum { POLLS = 50, ITEMS = 20 };
	struct world w;
	struct heard h[POLLS];
	size_t got = 0;

	world_init(&w, *state != NULL);
	for (size_t i = 0; i < POLLS; i++)
		poll_for(&w, &h[i], 60000);
	for (size_t i = 0; i < ITEMS; i++)
		park(&w, arena_printf(&w.r.arena, "s%zu", i).ptr);
	for (size_t i = 0; i < POLLS; i++)
		if (h[i].answer.done)
			got++;
	assert_int_equal(got, ITEMS);
	for (size_t i = 0; i < ITEMS; i++) /* first come, first served; nobody's twice */
		for (size_t k = 0; k < i; k++)
			assert_false(str_eq(h[i].answer.id, h[k].answer.id));
	engine_rig_drain(&w.r, w.r.en);
	for (size_t i = ITEMS; i < POLLS; i++)
		rig_expect(&h[i].answer, ERR_UNAVAILABLE, "shutting down");
	engine_rig_release(&w.r);
}

static void
T11_nothing_goes_to_one_who_left(void **state)
{
	struct world w;
	struct heard gone, there;

	world_init(&w, *state != NULL);
	poll_for(&w, &gone, 60000);
	poll_for(&w, &there, 60000);
	gone.gone = true;
	park(&w, "s");
	rig_expect(&there.answer, 0, NULL);
	assert_true(there.answer.id.len > 0);
	rig_expect(&gone.answer, 0, NULL);
	assert_int_equal(gone.answer.id.len, 0);
	engine_rig_release(&w.r);
}

static void
T11_what_nobody_acknowledged_is_handed_out_again(void **state)
{
	struct world w;
	struct rig_answer first;
	struct heard second;
	struct engine_caller former, holder;

	world_init(&w, *state != NULL);
	park(&w, "s");
	first = poll(&w);
	poll_for(&w, &second, 60000);
	virtual_host_advance(&w.r.host, WORK_RECLAIM_MS_DEFAULT - 1);
	assert_false(second.answer.done);
	virtual_host_advance(&w.r.host, 1);
	rig_expect(&second.answer, 0, NULL);
	check_str("the same item", second.answer.id, first.id);
	former = engine_rig_caller(&w.r, first.secret);
	holder = engine_rig_caller(&w.r, second.answer.secret);
	assert_true(former.who.lease_lost);
	assert_int_equal(acknowledge(&w, &former, first.id), ERR_CONFLICT);
	assert_int_equal(acknowledge(&w, &holder, first.id), 0);
	assert_int_equal(beat(&w, &former, first.id, 0), ERR_PRECONDITION);
	assert_int_equal(beat(&w, &holder, first.id, 0), 0);
	assert_int_equal(stop(&w, &former, first.id, true), ERR_CONFLICT);
	engine_rig_release(&w.r);
}

static void
T11_one_who_waited_gets_what_the_first_did_not_acknowledge(void **state)
{
	struct world w;
	struct heard first, second;

	world_init(&w, *state != NULL);
	poll_for(&w, &first, 60000);
	poll_for(&w, &second, 60000);
	park(&w, "s");
	rig_expect(&first.answer, 0, NULL);
	virtual_host_advance(&w.r.host, WORK_RECLAIM_MS_DEFAULT - 1);
	assert_false(second.answer.done);
	virtual_host_advance(&w.r.host, 1);
	rig_expect(&second.answer, 0, NULL);
	check_str("the same item", second.answer.id, first.answer.id);
	engine_rig_release(&w.r);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, T11_a_poll_waits_for_what_comes);
	SUITE_TEST(&s, T11_many_polls_share_what_there_is);
	SUITE_TEST(&s, T11_nothing_goes_to_one_who_left);
	SUITE_TEST(&s, T11_what_nobody_acknowledged_is_handed_out_again);
	SUITE_TEST(&s, T11_one_who_waited_gets_what_the_first_did_not_acknowledge);
	return suite_run(&s, "engine/work_poll");
}

#include "engine/lane.h"

#include "lane_rig.h"

#define DM "{'source':{'platform':'telegram','chat_id':'1','user_id':'u','user_name':'Ann'}}"

static void
K5_a_lane_is_found_by_its_session(void **state)
{
	struct engine_rig r;
	struct rig_answer *a;
	struct changed_lane found;

	engine_rig_init(&r, *state != NULL);
	a = resolve(&r, DM);
	resolve(&r, "{'source':{'platform':'telegram','chat_id':'2'}}");
	found = (struct changed_lane){ .rig = &r };
	lane_find_by_session(r.en, a->id, on_changed_lane, &found);
	engine_rig_await(&r, &found.done);
	assert_int_equal(found.rc, 0);
	check_str("lane", found.lane.id, a->lane);
	check_str("session", found.lane.entry.session_id, a->id);
	found = (struct changed_lane){ .rig = &r };
	lane_find_by_session(r.en, STR("nobody's"), on_changed_lane, &found);
	engine_rig_await(&r, &found.done);
	assert_int_equal(found.rc, 0);
	assert_int_equal(found.lane.version, 0);
	engine_rig_release(&r);
}

static bool
count_up(void *ctx, struct lane_entry *entry)
{
	(void)ctx;
	entry->last_prompt_tokens++;
	return true;
}

/* Of many changes at once none is lost: who was slower decides again. */
static void
K7_changes_at_once_are_all_made(void **state)
{
	enum { CHANGES = 8 };
	struct changed_lane changed[CHANGES];
	struct engine_rig r;
	struct rig_answer *a;

	engine_rig_init(&r, *state != NULL);
	a = resolve(&r, DM);
	for (int i = 0; i < CHANGES; i++) {
		changed[i] = (struct changed_lane){ .rig = &r };
		lane_change(r.en, &(struct lane_change){ .session = a->id,
							 .decide = count_up,
							 .done = on_changed_lane,
							 .ctx = &changed[i] });
	}
	for (int i = 0; i < CHANGES; i++) {
		engine_rig_await(&r, &changed[i].done);
		assert_int_equal(changed[i].rc, 0);
	}
	assert_int_equal(stored_entry(&r, a->lane).last_prompt_tokens, CHANGES);
	engine_rig_release(&r);
}

static void
K2_lanes_differ_by_workspace_and_parts(void **state)
{
	struct session_key thread = { .platform = STR("x"), .thread_id = STR("7") };
	struct session_key person = { .platform = STR("x"), .participant = STR("7") };
	struct surface_key one = { .surface = STR("chat"), .surface_id = STR("1") };
	struct surface_key main = one;
	struct arena a;

	(void)state;
	arena_init(&a);
	assert_false(str_eq(lane_id_of_source(&a, STR("main"), &thread),
			    lane_id_of_source(&a, STR("main"), &person)));
	assert_false(str_eq(lane_id_of_source(&a, STR("main"), &thread),
			    lane_id_of_source(&a, STR("other"), &thread)));
	check_str("the same", lane_id_of_source(&a, STR("main"), &thread),
		  lane_id_of_source(&a, STR("main"), &thread));
	main.workspace_id = STR("main");
	assert_false(str_eq(lane_id_of_surface(&a, &one), lane_id_of_surface(&a, &main)));
	assert_int_equal(lane_id_of_surface(&a, &one).len, strlen("lane_") + 32);
	arena_release(&a);
}

/* The next instant at which somebody must look: the earlier of idleness and the boundary. */
static void
R5_a_lane_is_due_when_its_policy_may_expire_it(void **state)
{
	struct lane_entry entry = { .updated_ms = INT64_C(3) * 3600 * 1000 };
	struct engine_rig r;

	(void)state;
	engine_rig_init(&r, false);
	assert_int_equal(lane_due_ms(r.en, &entry), 0);
	r.en->config.policies.reset = reset_soon;
	assert_int_equal(lane_due_ms(r.en, &entry), entry.updated_ms + 60 * 1000 + 1);
	entry.updated_ms = INT64_C(4) * 3600 * 1000 - 1;
	assert_int_equal(lane_due_ms(r.en, &entry), INT64_C(4) * 3600 * 1000);
	entry.expiry_finalized = true;
	assert_int_equal(lane_due_ms(r.en, &entry), 0);
	engine_rig_release(&r);
}

int
main(void)
{
	struct suite s = { 0 };

	suite_add(&s, "K5 found by its session, in memory", K5_a_lane_is_found_by_its_session,
		  NULL);
	suite_add(&s, "K5 found by its session, on disk", K5_a_lane_is_found_by_its_session, "");
	suite_add(&s, "K7 changes at once are all made, in memory", K7_changes_at_once_are_all_made,
		  NULL);
	suite_add(&s, "K7 changes at once are all made, on disk", K7_changes_at_once_are_all_made,
		  "");
	SUITE_TEST(&s, K2_lanes_differ_by_workspace_and_parts);
	SUITE_TEST(&s, R5_a_lane_is_due_when_its_policy_may_expire_it);
	return suite_run(&s, "lane");
}

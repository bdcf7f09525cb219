#include "lane_rig.h"

#define DM "{'source':{'platform':'telegram','chat_id':'1','user_id':'u','user_name':'Ann'}}"

static struct rig_answer *
move(struct engine_rig *r, rig_change_fn *fn, struct str lane, const char *body)
{
	return rig_change(r, fn, (struct rig_call){ .id = lane, .body = body });
}

static struct rig_answer *
switch_to(struct engine_rig *r, struct str lane, struct str session)
{
	return move(r, engine_lane_switch, lane,
		    arena_printf(&r->arena, "{'session_id':'" STR_FMT "'}", STR_ARG(session)).ptr);
}

static enum lifecycle
lifecycle_of(struct engine_rig *r, struct str session)
{
	return engine_rig_session(r, session.ptr)->row.state.lifecycle;
}

static void
K7_reset_opens_a_new_session_and_says_so(void **state)
{
	struct lane_entry entry;
	struct engine_rig r;
	struct rig_answer *a, *b;

	engine_rig_init(&r, *state != NULL);
	a = resolve(&r, DM);
	b = move(&r, engine_lane_reset, a->lane, "{'display_name':'Anew'}");
	rig_expect(b, 0, NULL);
	assert_true(str_starts(b->id, STR("telegram:")));
	entry = stored_entry(&r, a->lane);
	check_str("current", entry.session_id, b->id);
	check_str("name", entry.display_name, STR("Anew"));
	assert_true(entry.is_fresh_reset);
	assert_false(entry.reset.was_auto_reset);
	check_str("previous", entry.previous_session_id, a->id);
	assert_int_equal(lifecycle_of(&r, a->id), LIFECYCLE_ARCHIVED);
	check_str("its log", engine_rig_log(&r, a->id.ptr, 1), STR("created reset"));
	check_str("key", engine_rig_session(&r, b->id.ptr)->lane_key,
		  STR("agent:main:telegram:dm:1"));
	check_str("goes on", resolve(&r, DM)->id, b->id);
	engine_rig_release(&r);
}

static void
K7_switch_goes_back_to_an_earlier_session(void **state)
{
	struct lane_entry entry;
	struct engine_rig r;
	struct rig_answer *a, *b;

	engine_rig_init(&r, *state != NULL);
	a = resolve(&r, DM);
	b = move(&r, engine_lane_reset, a->lane, "{}");
	rig_expect(switch_to(&r, a->lane, a->id), 0, NULL);
	entry = stored_entry(&r, a->lane);
	check_str("current", entry.session_id, a->id);
	check_str("previous", entry.previous_session_id, b->id);
	assert_false(entry.is_fresh_reset);
	assert_int_equal(lifecycle_of(&r, a->id), LIFECYCLE_ACTIVE);
	assert_int_equal(lifecycle_of(&r, b->id), LIFECYCLE_ARCHIVED);
	check_str("goes on", resolve(&r, DM)->id, a->id);
	rig_expect(switch_to(&r, a->lane, a->id), 0, NULL); /* it is there already */
	rig_expect(switch_to(&r, a->lane, STR("sesn_none")), ERR_NOT_FOUND, NULL);
	engine_rig_release(&r);
}

static void
K7_switch_takes_no_session_of_another_lane(void **state)
{
	struct engine_rig r;
	struct rig_answer *a, *b;

	(void)state;
	engine_rig_init(&r, false);
	a = resolve(&r, DM);
	b = resolve(&r, "{'source':{'platform':'telegram','chat_id':'2'}}");
	rig_expect(switch_to(&r, a->lane, b->id), ERR_CONFLICT, "another conversation");
	check_str("stays", resolve(&r, DM)->id, a->id);
	engine_rig_release(&r);
}

/* P7 */
static void
P7_nobody_switches_to_the_session_of_others(void **state)
{
	const struct engine_caller *ann, *bob;
	struct rig_answer *anns, *bobs, *room;
	struct engine_rig r;
	struct str own;

	(void)state;
	engine_rig_init(&r, false);
	ann = rig_person(&r, "ann");
	bob = rig_person(&r, "bob");
	anns = resolve_as(&r, ann, "{'key':{'surface':'chat','surface_id':'1'}}");
	bobs = resolve_as(&r, bob, "{'key':{'surface':'chat','surface_id':'1'}}");
	rig_expect(rig_change(&r, engine_lane_switch,
			      (struct rig_call){
				      .caller = bob,
				      .id = bobs->lane,
				      .body = arena_printf(&r.arena, "{'session_id':'" STR_FMT "'}",
							   STR_ARG(anns->id))
						      .ptr }),
		   ERR_NOT_FOUND, NULL);
	room = resolve_as(&r, bob, "{'key':{'surface':'group','surface_id':'room'}}");
	own = rig_open(&r, bob, "cli:bob");
	rig_expect(rig_change(&r, engine_lane_switch,
			      (struct rig_call){
				      .caller = bob,
				      .id = room->lane,
				      .body = arena_printf(&r.arena, "{'session_id':'" STR_FMT "'}",
							   STR_ARG(own))
						      .ptr }),
		   ERR_NOT_FOUND, NULL);
	engine_rig_release(&r);
}

static void
A10_a_repeated_reset_is_one(void **state)
{
	struct rig_call call = { .key = "k", .body = "{}" };
	struct engine_rig r;
	struct rig_answer *a, *b;

	engine_rig_init(&r, *state != NULL);
	call.id = resolve(&r, DM)->lane;
	a = rig_change(&r, engine_lane_reset, call);
	b = rig_change(&r, engine_lane_reset, call);
	rig_expect(b, 0, NULL);
	assert_true(b->replayed);
	check_str("session", b->id, a->id);
	engine_rig_release(&r);
}

int
main(void)
{
	static const struct {
		const char *name;
		CMUnitTestFunction fn;
	} ON_BOTH[] = {
		{ "K7 reset", K7_reset_opens_a_new_session_and_says_so },
		{ "K7 switch", K7_switch_goes_back_to_an_earlier_session },
		{ "A10 a repeated reset is one", A10_a_repeated_reset_is_one },
	};
	struct suite s = { 0 };

	for (size_t i = 0; i < ARRAY_LEN(ON_BOTH); i++) {
		suite_add(&s, ON_BOTH[i].name, ON_BOTH[i].fn, NULL);
		suite_add(&s, ON_BOTH[i].name, ON_BOTH[i].fn, "on disk");
	}
	SUITE_TEST(&s, K7_switch_takes_no_session_of_another_lane);
	SUITE_TEST(&s, P7_nobody_switches_to_the_session_of_others);
	return suite_run(&s, "lane_move");
}

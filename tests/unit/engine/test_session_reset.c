#include "engine/rollover.h"
#include "lane_rig.h"

#define DM "{'source':{'platform':'telegram','chat_id':'1','user_id':'u'}}"

static struct rig_answer *
reset(struct engine_rig *r, const struct engine_caller *who, const char *key, struct str session)
{
	return rig_end(r, engine_session_reset,
		       (struct rig_call){ .caller = who, .key = key, .id = session });
}

static struct rig_answer *
undo(struct engine_rig *r, const struct engine_caller *who, struct str session)
{
	return rig_end(r, engine_session_undo_reset,
		       (struct rig_call){ .caller = who, .id = session });
}

static struct rig_answer *
say(struct engine_rig *r, struct str session, const char *text)
{
	return rig_say(r, &(struct engine_message){ .text = str_of(text) },
		       (struct rig_call){ .id = session });
}

static void
R4_new_opens_a_dated_session_linked_to_the_old_one(void **state)
{
	struct engine_rig r;
	struct rig_answer *a;
	const struct store_session *now;

	engine_rig_init(&r, *state != NULL);
	rig_open(&r, NULL, "cli:a");
	rig_expect(say(&r, STR("cli:a"), "wait 60"), 0, NULL);
	rig_expect(say(&r, STR("cli:a"), "say queued"), 0, NULL);
	a = reset(&r, NULL, NULL, STR("cli:a"));
	rig_expect(a, 0, NULL);
	assert_true(a->created);
	assert_true(str_starts(a->id, STR("cli:19700112_")));
	now = engine_rig_session(&r, a->id.ptr);
	check_str("previous", now->previous_id, STR("cli:a"));
	assert_int_equal(engine_rig_session(&r, "cli:a")->row.state.lifecycle, LIFECYCLE_INACTIVE);
	assert_int_equal(engine_rig_session(&r, "cli:a")->row.state.phase, TURN_NONE);
	engine_rig_release(&r);
}

static void
R4_who_takes_part_does_so_in_the_new_one(void **state)
{
	struct engine_rig r;
	const struct engine_caller *ann, *bob;
	struct rig_answer *a;

	(void)state;
	engine_rig_init(&r, false);
	ann = rig_person(&r, "ann");
	bob = rig_person(&r, "bob");
	rig_open(&r, ann, "cli:a");
	rig_open(&r, bob, "cli:ab"); /* stands right behind it, and is another's */
	rig_expect(reset(&r, bob, NULL, STR("cli:a")), ERR_NOT_FOUND, "there is no session cli:a");
	a = reset(&r, ann, NULL, STR("cli:a"));
	rig_expect(a, 0, NULL);
	rig_expect(rig_say(&r, &(struct engine_message){ .text = STR("say x") },
			   (struct rig_call){ .caller = ann, .id = a->id }),
		   0, NULL);
	rig_expect(rig_say(&r, &(struct engine_message){ .text = STR("say x") },
			   (struct rig_call){ .caller = bob, .id = a->id }),
		   ERR_NOT_FOUND, NULL);
	engine_rig_release(&r);
}

static void
R4_overrides_end_and_metadata_stays(void **state)
{
	struct engine_rig r;
	struct rig_answer *a;

	(void)state;
	engine_rig_init(&r, false);
	rig_expect(rig_make(&r, engine_session_open,
			    (struct rig_call){
				    .body = "{'id':'cli:a','metadata':{'team':'red'},'agent':{"
					    "'type':'agent_with_overrides','id':'main','system':'"
					    "hush'},"
					    "'vault_ids':['vlt_1']}" }),
		   0, NULL);
	rig_expect(rig_change(&r, engine_session_update,
			      (struct rig_call){ .id = STR("cli:a"),
						 .body = "{'agent':{'model':{'id':'demo','effort':"
							 "{'type':'high'}}}}" }),
		   0, NULL);
	a = reset(&r, NULL, NULL, STR("cli:a"));
	rig_expect(a, 0, NULL);
	check_str("metadata", engine_rig_session(&r, a->id.ptr)->metadata,
		  STR("{\"team\":\"red\"}"));
	check_str("extra", engine_rig_record(&r, RECORD_SESSION_EXTRA, a->id),
		  STR("{\"vault_ids\":[\"vlt_1\"]}"));
	engine_rig_release(&r);
}

static void
A10_a_repeated_reset_makes_one_session(void **state)
{
	struct engine_rig r;
	struct rig_answer *first, *again;

	engine_rig_init(&r, *state != NULL);
	rig_open(&r, NULL, "cli:a");
	first = reset(&r, NULL, "k", STR("cli:a"));
	rig_expect(first, 0, NULL);
	again = reset(&r, NULL, "k", STR("cli:a"));
	rig_expect(again, 0, NULL);
	assert_true(again->replayed);
	check_str("id", again->id, first->id);
	engine_rig_release(&r);
}

static void
R3_undo_goes_back_and_archives_the_newer_one(void **state)
{
	struct engine_rig r;
	struct rig_answer *a, *b;

	engine_rig_init(&r, *state != NULL);
	rig_open(&r, NULL, "cli:a");
	rig_expect(undo(&r, NULL, STR("cli:a")), ERR_CONFLICT, "nothing to undo");
	a = reset(&r, NULL, NULL, STR("cli:a"));
	rig_expect(a, 0, NULL);
	rig_expect(say(&r, a->id, "wait 60"), 0, NULL);
	b = undo(&r, NULL, a->id);
	rig_expect(b, 0, NULL);
	check_str("back", b->id, STR("cli:a"));
	assert_int_equal(engine_rig_session(&r, "cli:a")->row.state.lifecycle, LIFECYCLE_ACTIVE);
	assert_int_equal(engine_rig_session(&r, a->id.ptr)->row.state.lifecycle,
			 LIFECYCLE_ARCHIVED);
	b = say(&r, a->id, "say x");
	rig_expect(b, ERR_CONFLICT, "goes on in cli:a");
	check_str("current", b->current, STR("cli:a"));
	b = undo(&r, NULL, a->id); /* it is done: whoever asks again is told where it goes on */
	rig_expect(b, ERR_CONFLICT, NULL);
	check_str("current", b->current, STR("cli:a"));
	engine_rig_release(&r);
}

static void
R4_posting_to_an_archived_one_names_the_end_of_the_chain(void **state)
{
	struct engine_rig r;
	struct str ids[3];
	struct rig_answer *a;

	(void)state;
	engine_rig_init(&r, false);
	rig_open(&r, NULL, "cli:0");
	ids[0] = STR("cli:0");
	for (int i = 0; i < 2; i++) {
		engine_rig_append(&r, ids[i].ptr, EVENT_SESSION_UPDATED,
				  "{'type':'session.updated','title':'x'}");
		a = reset(&r, NULL, NULL, ids[i]);
		rig_expect(a, 0, NULL);
		ids[i + 1] = a->id;
		rig_expect(rig_end(&r, engine_session_archive, (struct rig_call){ .id = ids[i] }),
			   0, NULL);
	}
	a = say(&r, ids[0], "say x");
	rig_expect(a, ERR_CONFLICT, "goes on in");
	check_str("current", a->current, ids[2]);
	engine_rig_release(&r);
}

/* ---- on a lane ---- */

static void
R4_on_a_lane_the_old_one_is_archived_and_the_lane_moves(void **state)
{
	struct engine_rig r;
	struct rig_answer *lane, *a, *b;
	struct lane_entry entry;

	engine_rig_init(&r, *state != NULL);
	lane = resolve(&r, DM);
	a = reset(&r, NULL, NULL, lane->id);
	rig_expect(a, 0, NULL);
	assert_int_equal(engine_rig_session(&r, lane->id.ptr)->row.state.lifecycle,
			 LIFECYCLE_ARCHIVED);
	check_str("lane key", engine_rig_session(&r, a->id.ptr)->lane_key,
		  STR("agent:main:telegram:dm:1"));
	entry = stored_entry(&r, lane->lane);
	check_str("current", entry.session_id, a->id);
	check_str("previous", entry.previous_session_id, lane->id);
	assert_true(entry.is_fresh_reset);
	assert_false(entry.reset.was_auto_reset);
	b = resolve(&r, DM);
	check_str("the next message", b->id, a->id);
	b = reset(&r, NULL, NULL, lane->id); /* it is done, by name of the old one */
	rig_expect(b, ERR_CONFLICT, "archived");
	check_str("current", b->current, a->id);
	engine_rig_release(&r);
}

static void
R3_undo_on_a_lane_moves_it_back(void **state)
{
	struct engine_rig r;
	struct rig_answer *lane, *a, *b;
	struct lane_entry entry;

	engine_rig_init(&r, *state != NULL);
	lane = resolve(&r, DM);
	a = reset(&r, NULL, NULL, lane->id);
	b = reset(&r, NULL, NULL, a->id);
	rig_expect(b, 0, NULL);
	rig_expect(undo(&r, NULL, b->id), 0, NULL);
	entry = stored_entry(&r, lane->lane);
	check_str("current", entry.session_id, a->id);
	check_str("previous", entry.previous_session_id, lane->id);
	assert_false(entry.is_fresh_reset);
	rig_expect(undo(&r, NULL, a->id), 0, NULL);
	check_str("the first", resolve(&r, DM)->id, lane->id);
	a = say(&r, b->id, "say x");
	rig_expect(a, ERR_CONFLICT, "goes on in");
	check_str("current", a->current, lane->id);
	engine_rig_release(&r);
}

static int
move_lane(void *ctx, const struct rollover_step *step, struct err *e)
{
	struct lane *lane = ctx;

	(void)e;
	rollover_move_lane(&lane->entry, step, RIG_NOW_MS);
	lane_put(step->ending, lane);
	return 0;
}

static void
on_over(void *ctx, const struct rollover_over *over)
{
	struct lane *lane = ctx;

	assert_int_equal(over->rc, 0);
	lane->version = 0; /* done */
}

static void
on_lane(void *ctx, int rc, const struct err *err, const struct lane *lane)
{
	struct changed_lane *c = ctx;

	on_changed_lane(c, rc, err, lane);
}

static void
R3_the_marks_are_set_and_taken_by_the_first_turn(void **state)
{
	struct engine_rig r;
	struct changed_lane found = { .rig = &r };
	struct rig_answer *lane;
	struct lane_entry entry;
	struct rollover how = { .cause = ROLLOVER_IDLE, .add = move_lane, .notify = true };

	(void)state;
	engine_rig_init(&r, false);
	lane = resolve(&r, DM);
	rig_expect(say(&r, lane->id, "say a"), 0, NULL);
	virtual_host_settle(&r.host);
	lane_find(r.en, lane->lane, on_lane, &found);
	engine_rig_await(&r, &found.done);
	how.old = lane->id;
	rollover_run(r.en, &how, on_over, &found.lane);
	virtual_host_settle(&r.host);
	assert_int_equal(found.lane.version, 0);
	entry = stored_entry(&r, lane->lane);
	assert_true(entry.reset.was_auto_reset);
	assert_true(entry.reset.had_activity);
	assert_int_equal(entry.reset.reason, RESET_IDLE);
	engine_rig_restart(&r); /* nothing has run yet: they are still there */
	assert_true(stored_entry(&r, lane->lane).reset.was_auto_reset);
	rig_expect(say(&r, entry.session_id, "say b"), 0, NULL);
	virtual_host_settle(&r.host);
	entry = stored_entry(&r, lane->lane);
	assert_false(entry.reset.was_auto_reset);
	assert_int_equal(entry.reset.reason, RESET_NONE);
	engine_rig_release(&r);
}

int
main(void)
{
	struct suite s = { 0 };
	static const int SQLITE = 1;

	SUITE_TEST(&s, R4_new_opens_a_dated_session_linked_to_the_old_one);
	suite_add(&s, "R4 new opens a dated session in sqlite",
		  R4_new_opens_a_dated_session_linked_to_the_old_one, &SQLITE);
	SUITE_TEST(&s, R4_who_takes_part_does_so_in_the_new_one);
	SUITE_TEST(&s, R4_overrides_end_and_metadata_stays);
	SUITE_TEST(&s, A10_a_repeated_reset_makes_one_session);
	suite_add(&s, "A10 a repeated reset in sqlite", A10_a_repeated_reset_makes_one_session,
		  &SQLITE);
	SUITE_TEST(&s, R3_undo_goes_back_and_archives_the_newer_one);
	suite_add(&s, "R3 undo goes back in sqlite", R3_undo_goes_back_and_archives_the_newer_one,
		  &SQLITE);
	SUITE_TEST(&s, R4_posting_to_an_archived_one_names_the_end_of_the_chain);
	SUITE_TEST(&s, R4_on_a_lane_the_old_one_is_archived_and_the_lane_moves);
	suite_add(&s, "R4 on a lane the old one is archived in sqlite",
		  R4_on_a_lane_the_old_one_is_archived_and_the_lane_moves, &SQLITE);
	SUITE_TEST(&s, R3_undo_on_a_lane_moves_it_back);
	SUITE_TEST(&s, R3_the_marks_are_set_and_taken_by_the_first_turn);
	return suite_run(&s, "engine/session_reset");
}

#include "engine/lane_command.h"

#include "lane_rig.h"

#define DM "{'source':{'platform':'telegram','chat_id':'1','user_id':'u','user_name':'Ann'}}"

static struct rig_answer *
change_lane(struct engine_rig *r, rig_change_fn *fn, struct str lane, const char *body)
{
	struct rig_answer *a = rig_change(r, fn, (struct rig_call){ .id = lane, .body = body });

	rig_expect(a, 0, NULL);
	check_str("lane", a->lane, lane);
	return a;
}

static void
end_lane(struct engine_rig *r, rig_end_fn *fn, struct str lane)
{
	rig_expect(rig_end(r, fn, (struct rig_call){ .id = lane }), 0, NULL);
}

static void
K7_update_bumps_updated_at_and_notes_tokens(void **state)
{
	struct lane_entry entry;
	struct engine_rig r;
	struct str lane;

	engine_rig_init(&r, *state != NULL);
	lane = resolve(&r, DM)->lane;
	virtual_host_advance(&r.host, 5000);
	change_lane(&r, engine_lane_update, lane, "{'last_prompt_tokens':17,'display_name':'A'}");
	entry = stored_entry(&r, lane);
	assert_int_equal(entry.updated_ms, RIG_NOW_MS + 5000);
	assert_int_equal(entry.last_prompt_tokens, 17);
	check_str("name", entry.display_name, STR("A"));
	virtual_host_advance(&r.host, 5000);
	change_lane(&r, engine_lane_update, lane, "{}");
	entry = stored_entry(&r, lane);
	assert_int_equal(entry.updated_ms, RIG_NOW_MS + 10000);
	assert_int_equal(entry.last_prompt_tokens, 17);
	rig_expect(rig_change(&r, engine_lane_update,
			      (struct rig_call){ .id = lane, .body = "{'last_prompt_tokens':-1}" }),
		   ERR_INVALID, "last_prompt_tokens");
	engine_rig_release(&r);
}

static void
K7_suspend_sets_the_flag(void **state)
{
	struct engine_rig r;
	struct str lane;

	engine_rig_init(&r, *state != NULL);
	lane = resolve(&r, DM)->lane;
	end_lane(&r, engine_lane_suspend, lane);
	assert_true(stored_entry(&r, lane).recover.suspended);
	end_lane(&r, engine_lane_suspend, lane);
	assert_true(stored_entry(&r, lane).recover.suspended);
	engine_rig_release(&r);
}

static void
K7_mark_resume_pending_says_why_and_when(void **state)
{
	struct lane_entry entry;
	struct engine_rig r;
	struct str lane;

	engine_rig_init(&r, *state != NULL);
	lane = resolve(&r, DM)->lane;
	change_lane(&r, engine_lane_mark_resume, lane, "{'reason':'shutdown_timeout'}");
	entry = stored_entry(&r, lane);
	assert_true(entry.recover.resume_pending);
	assert_int_equal(entry.recover.reason, RECOVER_SHUTDOWN_TIMEOUT);
	assert_int_equal(entry.recover.marked_at_ms, RIG_NOW_MS);
	rig_expect(rig_change(&r, engine_lane_mark_resume,
			      (struct rig_call){ .id = lane, .body = "{'reason':'boredom'}" }),
		   ERR_INVALID, "reason");
	engine_rig_release(&r);
}

static void
K7_mark_resume_pending_never_overrides_suspended(void **state)
{
	struct engine_rig r;
	struct str lane;

	(void)state;
	engine_rig_init(&r, false);
	lane = resolve(&r, DM)->lane;
	end_lane(&r, engine_lane_suspend, lane);
	change_lane(&r, engine_lane_mark_resume, lane, "{}");
	assert_false(stored_entry(&r, lane).recover.resume_pending);
	engine_rig_release(&r);
}

static void
K7_clear_resume_pending_takes_the_mark_away(void **state)
{
	struct engine_rig r;
	struct str lane;

	engine_rig_init(&r, *state != NULL);
	lane = resolve(&r, DM)->lane;
	change_lane(&r, engine_lane_mark_resume, lane, "{}");
	end_lane(&r, engine_lane_clear_resume, lane);
	assert_false(stored_entry(&r, lane).recover.resume_pending);
	engine_rig_release(&r);
}

static void
say(struct engine_rig *r, struct str session, const char *text)
{
	rig_expect(rig_say(r, &(struct engine_message){ .text = str_of(text) },
			   (struct rig_call){ .id = session }),
		   0, NULL);
	virtual_host_advance(&r->host, 1000);
	virtual_host_settle(&r->host);
}

/* H5: the mark stays until a turn ends well. */
static void
K7_clear_resume_pending_comes_with_a_turn_that_ends_well(void **state)
{
	struct engine_rig r;
	struct rig_answer *a;

	(void)state;
	engine_rig_init(&r, false);
	a = resolve(&r, DM);
	change_lane(&r, engine_lane_mark_resume, a->lane, "{}");
	say(&r, a->id, "wait 600");
	assert_true(stored_entry(&r, a->lane).recover.resume_pending);
	rig_events(&r, (struct rig_call){ .id = a->id, .body = "[{'type':'user.interrupt'}]" });
	virtual_host_advance(&r.host, 1000);
	assert_int_equal(engine_rig_session(&r, a->id.ptr)->row.last_stop, STOP_INTERRUPTED);
	assert_true(stored_entry(&r, a->lane).recover.resume_pending);
	say(&r, a->id, "say hi");
	assert_int_equal(engine_rig_session(&r, a->id.ptr)->row.last_stop, STOP_END_TURN);
	assert_false(stored_entry(&r, a->lane).recover.resume_pending);
	engine_rig_release(&r);
}

static void
P2_who_may_not_see_the_session_has_no_lane(void **state)
{
	const struct engine_caller *ann, *bob;
	struct engine_rig r;
	struct str lane;

	(void)state;
	engine_rig_init(&r, false);
	ann = rig_person(&r, "ann");
	bob = rig_person(&r, "bob");
	lane = resolve_as(&r, ann, "{'key':{'surface':'chat','surface_id':'1'}}")->lane;
	rig_expect(rig_end(&r, engine_lane_suspend, (struct rig_call){ .caller = ann, .id = lane }),
		   0, NULL);
	rig_expect(rig_end(&r, engine_lane_suspend, (struct rig_call){ .caller = bob, .id = lane }),
		   ERR_NOT_FOUND, "there is no lane");
	rig_expect(rig_end(&r, engine_lane_suspend, (struct rig_call){ .id = STR("lane_x") }),
		   ERR_NOT_FOUND, "there is no lane lane_x");
	engine_rig_release(&r);
}

static void
A10_a_repeated_change_is_made_once(void **state)
{
	struct rig_call call = { .key = "k", .body = "{}" };
	struct engine_rig r;
	struct rig_answer *a;

	(void)state;
	engine_rig_init(&r, false);
	call.id = resolve(&r, DM)->lane;
	rig_expect(rig_change(&r, engine_lane_update, call), 0, NULL);
	virtual_host_advance(&r.host, 5000);
	a = rig_change(&r, engine_lane_update, call);
	rig_expect(a, 0, NULL);
	assert_true(a->replayed);
	assert_int_equal(stored_entry(&r, call.id).updated_ms, RIG_NOW_MS);
	engine_rig_release(&r);
}

/* ---- showing ---- */

struct shown {
	bool done;
	int rc;
	int64_t total_tokens;
};

static void
on_shown(void *ctx, int rc, const struct err *err, struct str lane, const struct lane_entry *entry)
{
	struct shown *s = ctx;

	(void)err, (void)lane;
	*s = (struct shown){ true, rc, rc == 0 ? entry->total_tokens : 0 };
}

static void
K5_a_lane_is_shown_with_the_counters_of_its_log(void **state)
{
	struct shown shown = { 0 };
	struct engine_rig r;
	struct rig_answer *a;

	engine_rig_init(&r, *state != NULL);
	a = resolve(&r, DM);
	rig_say(&r, &(struct engine_message){ .text = STR("say hi") },
		(struct rig_call){ .id = a->id });
	virtual_host_advance(&r.host, 1000);
	virtual_host_advance(&r.host, 1000);
	engine_lane_get(r.en, &r.owner, a->lane, on_shown, &shown);
	engine_rig_await(&r, &shown.done);
	assert_int_equal(shown.rc, 0);
	assert_int_equal(shown.total_tokens,
			 engine_rig_session(&r, a->id.ptr)->row.counters.total_tokens);
	assert_true(shown.total_tokens > 0);
	engine_rig_release(&r);
}

int
main(void)
{
	static const struct {
		const char *name;
		CMUnitTestFunction fn;
	} ON_BOTH[] = {
		{ "K7 update", K7_update_bumps_updated_at_and_notes_tokens },
		{ "K7 suspend", K7_suspend_sets_the_flag },
		{ "K7 mark resume_pending", K7_mark_resume_pending_says_why_and_when },
		{ "K7 clear resume_pending", K7_clear_resume_pending_takes_the_mark_away },
		{ "K5 shown with the counters of its log",
		  K5_a_lane_is_shown_with_the_counters_of_its_log },
	};
	struct suite s = { 0 };

	for (size_t i = 0; i < ARRAY_LEN(ON_BOTH); i++) {
		suite_add(&s, ON_BOTH[i].name, ON_BOTH[i].fn, NULL);
		suite_add(&s, ON_BOTH[i].name, ON_BOTH[i].fn, "on disk");
	}
	SUITE_TEST(&s, K7_mark_resume_pending_never_overrides_suspended);
	SUITE_TEST(&s, K7_clear_resume_pending_comes_with_a_turn_that_ends_well);
	SUITE_TEST(&s, P2_who_may_not_see_the_session_has_no_lane);
	SUITE_TEST(&s, A10_a_repeated_change_is_made_once);
	return suite_run(&s, "lane_command");
}

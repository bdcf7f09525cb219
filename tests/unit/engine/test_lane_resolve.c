#include "lane_rig.h"

#define DM    "{'source':{'platform':'telegram','chat_id':'1','user_id':'u','user_name':'Ann'}}"
#define KEY   "{'key':{'surface':'chat','surface_id':'1'}}"
#define GROUP "{'key':{'surface':'group','surface_id':'room'}}"

static void
A8_a_source_has_one_session(void **state)
{
	const struct store_session *session;
	struct lane_entry entry;
	struct engine_rig r;
	struct rig_answer *a, *b;

	engine_rig_init(&r, *state != NULL);
	a = resolve(&r, DM);
	assert_true(a->created);
	assert_true(str_starts(a->id, STR("telegram:19700112_")));
	check_str("reason", a->reset_reason, STR(""));
	session = engine_rig_session(&r, a->id.ptr);
	check_str("lane key", session->lane_key, STR("agent:main:telegram:dm:1"));
	check_str("workspace", session->workspace_id, STR("main"));
	assert_false(session->group);
	b = resolve(&r, DM);
	assert_false(b->created);
	check_str("session", b->id, a->id);
	check_str("lane", b->lane, a->lane);
	entry = stored_entry(&r, a->lane);
	check_str("origin", entry.origin.user_name, STR("Ann"));
	check_str("platform", entry.platform, STR("telegram"));
	check_str("key", entry.session_key, STR("agent:main:telegram:dm:1"));
	assert_int_equal(entry.created_ms, RIG_NOW_MS);
	engine_rig_release(&r);
}

static void
A8_a_key_has_one_session_per_user(void **state)
{
	const struct engine_caller *ann, *bob;
	struct engine_rig r;
	struct rig_answer *a, *b, *c;

	engine_rig_init(&r, *state != NULL);
	ann = rig_person(&r, "ann");
	bob = rig_person(&r, "bob");
	a = resolve_as(&r, ann, KEY);
	b = resolve_as(&r, bob, KEY);
	rig_expect(a, 0, NULL);
	rig_expect(b, 0, NULL);
	assert_true(str_starts(a->id, STR("sesn_")));
	assert_false(str_eq(a->id, b->id));
	c = resolve_as(&r, NULL,
		       arena_printf(&r.arena,
				    "{'key':{'surface':'chat','surface_id':'1',"
				    "'user_id':'" STR_FMT "'}}",
				    STR_ARG(ann->who.user_id))
			       .ptr);
	rig_expect(c, 0, NULL);
	check_str("the owner names Ann", c->id, a->id);
	rig_expect(resolve_as(&r, bob,
			      arena_printf(&r.arena,
					   "{'key':{'surface':'chat','surface_id':'1',"
					   "'user_id':'" STR_FMT "'}}",
					   STR_ARG(ann->who.user_id))
				      .ptr),
		   ERR_INVALID, "only an owner");
	engine_rig_release(&r);
}

/* P2: a session that an owner resolves for somebody is theirs to use. */
static void
P2_whom_a_lane_is_for_takes_part(void **state)
{
	const struct engine_caller *ann;
	struct engine_rig r;
	struct rig_answer *a;

	(void)state;
	engine_rig_init(&r, false);
	ann = rig_person(&r, "ann");
	a = resolve(&r, arena_printf(&r.arena,
				     "{'key':{'surface':'chat','surface_id':'1',"
				     "'user_id':'" STR_FMT "'}}",
				     STR_ARG(ann->who.user_id))
				.ptr);
	rig_expect(rig_say(&r, &(struct engine_message){ .text = STR("say hi") },
			   (struct rig_call){ .caller = ann, .id = a->id }),
		   0, NULL);
	engine_rig_release(&r);
}

static void
A8_surface_group_ignores_the_user(void **state)
{
	const struct engine_caller *ann, *bob;
	struct engine_rig r;
	struct rig_answer *a, *b;

	engine_rig_init(&r, *state != NULL);
	ann = rig_person(&r, "ann");
	bob = rig_person(&r, "bob");
	a = resolve_as(&r, ann, GROUP);
	b = resolve_as(&r, bob, GROUP);
	rig_expect(b, 0, NULL);
	check_str("the same", b->id, a->id);
	assert_true(engine_rig_session(&r, a->id.ptr)->group);
	assert_int_equal(engine_rig_count(&r, RECORD_PARTICIPANT), 2);
	rig_expect(rig_say(&r, &(struct engine_message){ .text = STR("hi") },
			   (struct rig_call){ .caller = bob, .id = a->id }),
		   0, NULL);
	engine_rig_release(&r);
}

static void
A8_no_workspace_is_a_value_of_its_own(void **state)
{
	struct engine_rig r;
	struct rig_answer *none, *main;

	(void)state;
	engine_rig_init(&r, false);
	none = resolve(&r, KEY);
	main = resolve(&r, "{'key':{'surface':'chat','surface_id':'1','workspace_id':'main'}}");
	assert_false(str_eq(none->id, main->id));
	check_str("again", resolve(&r, KEY)->id, none->id);
	check_str("null",
		  resolve(&r, "{'key':{'surface':'chat','surface_id':'1',"
			      "'workspace_id':null}}")
			  ->id,
		  none->id);
	engine_rig_release(&r);
}

static void
K3_a_thread_is_shared_and_a_group_is_not(void **state)
{
	static const char GROUP_OF[] = "{'source':{'platform':'discord','chat_type':'group',"
				       "'chat_id':'9','user_id':'%s'%s}}";
	struct engine_rig r;
	struct rig_answer *a, *b;

	(void)state;
	engine_rig_init(&r, false);
	r.en->config.settings.group_per_user = true;
	a = resolve(&r, arena_printf(&r.arena, GROUP_OF, "a", ",'thread_id':'t'").ptr);
	b = resolve(&r, arena_printf(&r.arena, GROUP_OF, "b", ",'thread_id':'t'").ptr);
	check_str("thread", a->id, b->id);
	assert_true(engine_rig_session(&r, a->id.ptr)->group);
	a = resolve(&r, arena_printf(&r.arena, GROUP_OF, "a", "").ptr);
	b = resolve(&r, arena_printf(&r.arena, GROUP_OF, "b", "").ptr);
	assert_false(str_eq(a->id, b->id));
	assert_false(engine_rig_session(&r, a->id.ptr)->group);
	engine_rig_release(&r);
}

static void
P2_the_lane_of_others_is_not_found(void **state)
{
	const struct engine_caller *ann, *bob;
	struct engine_rig r;
	struct rig_answer *a;

	(void)state;
	engine_rig_init(&r, false);
	ann = rig_person(&r, "ann");
	bob = rig_person(&r, "bob");
	a = resolve_as(&r, ann, "{'source':{'platform':'web','chat_id':'1'}}");
	rig_expect(a, 0, NULL);
	rig_expect(resolve_as(&r, bob, "{'source':{'platform':'web','chat_id':'1'}}"),
		   ERR_NOT_FOUND, "no such conversation");
	rig_expect(resolve_as(&r, bob, DM), ERR_INVALID, "source.platform");
	engine_rig_release(&r);
}

static void
P3_a_channel_resolves_its_own(void **state)
{
	const struct engine_caller *telegram;
	struct engine_rig r;
	struct rig_answer *a;

	(void)state;
	engine_rig_init(&r, false);
	telegram = rig_channel(&r, "telegram");
	a = resolve_as(&r, telegram, DM);
	rig_expect(a, 0, NULL);
	rig_expect(resolve_as(&r, telegram, DM), 0, NULL);
	rig_expect(resolve_as(&r, telegram, "{'source':{'platform':'slack'}}"), ERR_INVALID, NULL);
	engine_rig_release(&r);
}

static void
A8_an_agent_that_is_not_there(void **state)
{
	struct engine_rig r;

	(void)state;
	engine_rig_init(&r, false);
	rig_expect(resolve_as(&r, NULL,
			      "{'key':{'surface':'chat','surface_id':'1','agent_id':'nobody'}}"),
		   ERR_NOT_FOUND, "agent_id");
	assert_int_equal(engine_rig_count(&r, RECORD_LANE), 0);
	engine_rig_release(&r);
}

/* ---- single flight ---- */

static struct rig_answer *
ask_at_once(struct engine_rig *r, const struct engine_caller *who, struct engine_call *call,
	    const char *body)
{
	struct rig_answer *a = ARENA_NEW(&r->arena, struct rig_answer);

	a->rig = r;
	*call = (struct engine_call){ .caller = who, .done = rig_answered, .ctx = a };
	engine_session_resolve(r->en, call, engine_rig_json(r, body));
	return a;
}

static void
K6_of_many_at_once_one_is_made(void **state)
{
	enum { CALLS = 64 };
	struct engine_call calls[CALLS];
	struct rig_answer *answers[CALLS];
	struct engine_rig r;
	size_t created = 0;

	engine_rig_init(&r, *state != NULL);
	for (size_t i = 0; i < CALLS; i++)
		answers[i] = ask_at_once(&r, &r.owner, &calls[i], DM);
	for (size_t i = 0; i < CALLS; i++) {
		engine_rig_await(&r, &answers[i]->done);
		rig_expect(answers[i], 0, NULL);
		check_str("session", answers[i]->id, answers[0]->id);
		created += answers[i]->created;
	}
	assert_int_equal(created, 1);
	assert_int_equal(engine_rig_count(&r, RECORD_LANE), 1);
	assert_int_equal(r.en->flights.count, 0);
	engine_rig_release(&r);
}

/* Who waits behind another user is asked for in person. */
static void
K6_who_waits_is_judged_alone(void **state)
{
	const struct engine_caller *who[4];
	struct engine_call calls[4];
	struct rig_answer *answers[4];
	struct engine_rig r;

	(void)state;
	engine_rig_init(&r, false);
	who[0] = who[3] = rig_person(&r, "ann");
	who[1] = rig_person(&r, "bob");
	who[2] = &r.owner;
	for (size_t i = 0; i < 4; i++)
		answers[i] = ask_at_once(&r, who[i], &calls[i],
					 "{'source':{'platform':'web','chat_id':'1'}}");
	for (size_t i = 0; i < 4; i++) {
		engine_rig_await(&r, &answers[i]->done);
		rig_expect(answers[i], i == 1 ? ERR_NOT_FOUND : 0, NULL);
	}
	check_str("owner", answers[2]->id, answers[0]->id);
	check_str("ann", answers[3]->id, answers[0]->id);
	engine_rig_release(&r);
}

/* ---- what is there already ---- */

static void
K6_activity_is_noted_and_continues(void **state)
{
	struct engine_rig r;
	struct rig_answer *a;

	engine_rig_init(&r, *state != NULL);
	a = resolve(&r, DM);
	virtual_host_advance(&r.host, 500);
	resolve(&r, DM);
	assert_int_equal(stored_entry(&r, a->lane).updated_ms, RIG_NOW_MS);
	virtual_host_advance(&r.host, 500);
	resolve(&r, DM);
	assert_int_equal(stored_entry(&r, a->lane).updated_ms, RIG_NOW_MS + 1000);
	assert_int_equal(stored_entry(&r, a->lane).created_ms, RIG_NOW_MS);
	engine_rig_release(&r);
}

static bool
mark_pending(void *ctx, struct lane_entry *entry)
{
	(void)ctx;
	return recover_mark_set(&entry->recover, RECOVER_SHUTDOWN_TIMEOUT, RIG_NOW_MS);
}

static void
K6_a_pending_resume_comes_before_the_policy(void **state)
{
	struct changed_lane changed;
	struct engine_rig r;
	struct rig_answer *a;

	(void)state;
	engine_rig_init(&r, false);
	r.en->config.policies.reset = reset_soon;
	a = resolve(&r, DM);
	changed = (struct changed_lane){ .rig = &r };
	lane_change(r.en, &(struct lane_change){ .id = a->lane,
						 .decide = mark_pending,
						 .done = on_changed_lane,
						 .ctx = &changed });
	engine_rig_await(&r, &changed.done);
	virtual_host_advance(&r.host, 10 * 60 * 1000);
	check_str("the same", resolve(&r, DM)->id, a->id);
	assert_true(stored_entry(&r, a->lane).recover.resume_pending);
	engine_rig_release(&r);
}

static void
K6_a_suspended_lane_is_reset_before_anything_else(void **state)
{
	struct lane_entry entry;
	struct engine_rig r;
	struct rig_answer *a, *b;

	engine_rig_init(&r, *state != NULL);
	a = resolve(&r, DM);
	rig_change(&r, engine_lane_mark_resume, (struct rig_call){ .id = a->lane, .body = "{}" });
	rig_end(&r, engine_lane_suspend, (struct rig_call){ .id = a->lane });
	b = resolve(&r, DM);
	assert_true(b->created);
	check_str("reason", b->reset_reason, STR("suspended"));
	entry = stored_entry(&r, a->lane);
	check_str("current", entry.session_id, b->id);
	check_str("previous", entry.previous_session_id, a->id);
	assert_false(entry.recover.suspended);
	assert_false(entry.recover.resume_pending);
	assert_true(entry.reset.was_auto_reset);
	assert_int_equal(entry.reset.reason, RESET_SUSPENDED);
	assert_int_equal(engine_rig_session(&r, a->id.ptr)->row.state.lifecycle,
			 LIFECYCLE_ARCHIVED);
	check_str("linked", engine_rig_session(&r, b->id.ptr)->previous_id, a->id);
	check_str("goes on", resolve(&r, DM)->id, b->id);
	engine_rig_release(&r);
}

/* R1: strictly after the idle time; idle is named before daily. */
static void
K6_an_idle_lane_gets_a_new_session(void **state)
{
	struct engine_rig r;
	struct rig_answer *a, *b;

	engine_rig_init(&r, *state != NULL);
	r.en->config.policies.reset = reset_soon;
	a = resolve(&r, DM);
	virtual_host_advance(&r.host, 60 * 1000);
	check_str("at the limit", resolve(&r, DM)->id, a->id);
	virtual_host_advance(&r.host, 60 * 1000 + 1);
	b = resolve(&r, DM);
	assert_true(b->created);
	check_str("reason", b->reset_reason, STR("idle"));
	assert_false(stored_entry(&r, a->lane).reset.had_activity);
	engine_rig_release(&r);
}

static struct reset_settings
reset_at_four(void *ctx, const struct engine_lane *lane)
{
	(void)ctx, (void)lane;
	return (struct reset_settings){ RESET_MODE_DAILY, 4, 0, true };
}

static const struct zone *
an_hour_east(void *ctx, struct str agent)
{
	static const struct zone EAST = { .first_offset_s = 3600 };

	(void)ctx, (void)agent;
	return &EAST;
}

/* The hour is the agent's own: here four o'clock is three in UTC. */
static void
K6_a_lane_of_yesterday_gets_a_new_session(void **state)
{
	static const int64_t HOUR_MS = 3600 * 1000;
	int64_t three = (RIG_NOW_MS / (24 * HOUR_MS) + 1) * 24 * HOUR_MS + 3 * HOUR_MS;
	struct engine_rig r;
	struct rig_answer *a, *b;

	(void)state;
	engine_rig_init(&r, false);
	r.en->config.policies.reset = reset_at_four;
	r.en->config.policies.zone = an_hour_east;
	a = resolve(&r, DM);
	virtual_host_advance(&r.host, three - 1 - r.host.now_ms);
	check_str("just before", resolve(&r, DM)->id, a->id);
	virtual_host_advance(&r.host, 1);
	b = resolve(&r, DM);
	check_str("reason", b->reset_reason, STR("daily"));
	assert_false(str_eq(a->id, b->id));
	check_str("once", resolve(&r, DM)->id, b->id);
	engine_rig_release(&r);
}

/* R2: what waits or runs is not put away. */
static void
K6_a_busy_session_goes_on(void **state)
{
	struct engine_rig r;
	struct rig_answer *a;

	engine_rig_init(&r, *state != NULL);
	r.en->config.policies.reset = reset_soon;
	a = resolve(&r, DM);
	engine_rig_append(&r, a->id.ptr, EVENT_STATUS_RUNNING,
			  "{'type':'session.status_running','turn_id':'t','consumes':[],"
			  "'wakes':['wake_1']}");
	virtual_host_advance(&r.host, 10 * 60 * 1000);
	check_str("the same", resolve(&r, DM)->id, a->id);
	engine_rig_release(&r);
}

static void
on_put(void *ctx, const struct commit_result *result)
{
	assert_int_equal(result->store->rc, 0);
	*(bool *)ctx = true;
}

/* R2: the session's row is at rest, but the rollover finds a wake that is queued. */
static void
K6_a_session_that_will_wake_goes_on(void **state)
{
	struct engine_rig r;
	struct rig_answer *a;
	struct commit *c;
	bool done = false;

	(void)state;
	engine_rig_init(&r, false);
	r.en->config.policies.reset = reset_soon;
	a = resolve(&r, DM);
	c = commit_new(r.en, STR(""));
	commit_put(c, &(struct store_put){
			      .record = { .kind = RECORD_WAKE,
					  .id = STR("wake_1"),
					  .owner = a->id,
					  .due_at_ms = INT64_C(1) << 50,
					  .body = STR("{\"id\":\"wake_1\",\"type\":\"wake\","
						      "\"reason\":\"r\",\"priority\":"
						      "\"normal\",\"attempt\":0,"
						      "\"created_at\":\"1970-01-12T00:00:00Z\","
						      "\"due_at\":\"2970-01-12T00:00:00Z\"}") },
			      .if_version = STORE_VERSION_ABSENT });
	commit_submit(c, on_put, &done);
	engine_rig_await(&r, &done);
	virtual_host_advance(&r.host, 10 * 60 * 1000);
	check_str("the same", resolve(&r, DM)->id, a->id);
	engine_rig_release(&r);
}

static void
K6_force_new_makes_one_regardless(void **state)
{
	struct engine_rig r;
	struct rig_answer *a, *b;

	engine_rig_init(&r, *state != NULL);
	a = resolve(&r, DM);
	rig_change(&r, engine_lane_mark_resume, (struct rig_call){ .id = a->lane, .body = "{}" });
	b = resolve(&r, "{'source':{'platform':'telegram','chat_id':'1'},'force_new':true}");
	assert_true(b->created);
	check_str("reason", b->reset_reason, STR("manual"));
	assert_false(str_eq(a->id, b->id));
	assert_true(stored_entry(&r, a->lane).is_fresh_reset);
	assert_false(stored_entry(&r, a->lane).reset.was_auto_reset);
	engine_rig_release(&r);
}

/* Many at once, of which each finds the lane due: one of them resets it. */
static void
K6_of_many_resets_at_once_one_is_made(void **state)
{
	enum { CALLS = 32 };
	struct engine_call calls[CALLS];
	struct rig_answer *answers[CALLS];
	struct engine_rig r;
	size_t created = 0;

	engine_rig_init(&r, *state != NULL);
	r.en->config.policies.reset = reset_soon;
	resolve(&r, DM);
	virtual_host_advance(&r.host, 10 * 60 * 1000);
	for (size_t i = 0; i < CALLS; i++)
		answers[i] = ask_at_once(&r, &r.owner, &calls[i], DM);
	for (size_t i = 0; i < CALLS; i++) {
		engine_rig_await(&r, &answers[i]->done);
		rig_expect(answers[i], 0, NULL);
		check_str("session", answers[i]->id, answers[0]->id);
		created += answers[i]->created;
	}
	assert_int_equal(created, 1);
	engine_rig_release(&r);
}

/* P2: whoever takes part goes along, also when a key's session is replaced. */
static void
K6_a_reset_keeps_whom_the_lane_is_for(void **state)
{
	const struct engine_caller *ann;
	struct engine_rig r;
	struct rig_answer *a;

	(void)state;
	engine_rig_init(&r, false);
	ann = rig_person(&r, "ann");
	resolve_as(&r, ann, KEY);
	a = resolve_as(&r, ann, "{'key':{'surface':'chat','surface_id':'1'},'force_new':true}");
	rig_expect(a, 0, NULL);
	assert_true(str_starts(a->id, STR("sesn_")));
	rig_expect(rig_say(&r, &(struct engine_message){ .text = STR("say hi") },
			   (struct rig_call){ .caller = ann, .id = a->id }),
		   0, NULL);
	engine_rig_release(&r);
}

static void
K6_an_archived_session_is_followed_by_a_new_one(void **state)
{
	struct engine_rig r;
	struct rig_answer *a, *b;

	engine_rig_init(&r, *state != NULL);
	a = resolve(&r, DM);
	rig_expect(rig_end(&r, engine_session_archive, (struct rig_call){ .id = a->id }), 0, NULL);
	b = resolve(&r, DM);
	assert_true(b->created);
	assert_false(str_eq(a->id, b->id));
	check_str("previous", engine_rig_session(&r, b->id.ptr)->previous_id, a->id);
	check_str("entry", stored_entry(&r, a->lane).previous_session_id, a->id);
	rig_expect(rig_end(&r, engine_session_delete, (struct rig_call){ .id = b->id }), 0, NULL);
	assert_true(resolve(&r, DM)->created);
	engine_rig_release(&r);
}

static void
A10_a_repeat_is_told_the_same(void **state)
{
	struct engine_rig r;
	struct rig_answer *a, *b;

	engine_rig_init(&r, *state != NULL);
	a = rig_make(&r, engine_session_resolve, (struct rig_call){ .key = "k", .body = DM });
	b = rig_make(&r, engine_session_resolve, (struct rig_call){ .key = "k", .body = DM });
	rig_expect(b, 0, NULL);
	assert_true(b->replayed);
	assert_true(b->created);
	check_str("session", b->id, a->id);
	a = rig_make(&r, engine_session_resolve, (struct rig_call){ .key = "l", .body = DM });
	assert_false(a->created);
	b = rig_make(&r, engine_session_resolve, (struct rig_call){ .key = "l", .body = DM });
	assert_true(b->replayed);
	assert_false(b->created);
	engine_rig_release(&r);
}

int
main(void)
{
	static const struct {
		const char *name;
		CMUnitTestFunction fn;
	} ON_BOTH[] = {
		{ "A8 a source has one session", A8_a_source_has_one_session },
		{ "A8 a key has one session per user", A8_a_key_has_one_session_per_user },
		{ "A8 surface group ignores the user", A8_surface_group_ignores_the_user },
		{ "K6 of many at once one is made", K6_of_many_at_once_one_is_made },
		{ "K6 activity is noted and continues", K6_activity_is_noted_and_continues },
		{ "K6 suspended comes first", K6_a_suspended_lane_is_reset_before_anything_else },
		{ "K6 an idle lane gets a new session", K6_an_idle_lane_gets_a_new_session },
		{ "K6 a busy session goes on", K6_a_busy_session_goes_on },
		{ "K6 force_new makes one regardless", K6_force_new_makes_one_regardless },
		{ "K6 of many resets at once one is made", K6_of_many_resets_at_once_one_is_made },
		{ "K6 an archived session is followed by a new one",
		  K6_an_archived_session_is_followed_by_a_new_one },
		{ "A10 a repeat is told the same", A10_a_repeat_is_told_the_same },
	};
	struct suite s = { 0 };

	for (size_t i = 0; i < ARRAY_LEN(ON_BOTH); i++) {
		suite_add(&s, ON_BOTH[i].name, ON_BOTH[i].fn, NULL);
		suite_add(&s, ON_BOTH[i].name, ON_BOTH[i].fn, "on disk");
	}
	SUITE_TEST(&s, P2_whom_a_lane_is_for_takes_part);
	SUITE_TEST(&s, A8_no_workspace_is_a_value_of_its_own);
	SUITE_TEST(&s, K3_a_thread_is_shared_and_a_group_is_not);
	SUITE_TEST(&s, P2_the_lane_of_others_is_not_found);
	SUITE_TEST(&s, P3_a_channel_resolves_its_own);
	SUITE_TEST(&s, A8_an_agent_that_is_not_there);
	SUITE_TEST(&s, K6_who_waits_is_judged_alone);
	SUITE_TEST(&s, K6_a_pending_resume_comes_before_the_policy);
	SUITE_TEST(&s, K6_a_session_that_will_wake_goes_on);
	SUITE_TEST(&s, K6_a_lane_of_yesterday_gets_a_new_session);
	SUITE_TEST(&s, K6_a_reset_keeps_whom_the_lane_is_for);
	return suite_run(&s, "lane_resolve");
}

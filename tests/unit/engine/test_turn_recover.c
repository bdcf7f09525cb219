#include "engine/turn_recover.h"

#include "engine/access.h"
#include "engine/recover.h"
#include "lane_rig.h"

static const int64_t HOUR_MS = INT64_C(3600) * 1000;

static void
begin_long_turn(struct engine_rig *r, const struct engine_caller *who, struct str session)
{
	rig_expect(rig_say(r, &(struct engine_message){ .text = STR("wait 500\nsay x") },
			   (struct rig_call){ .caller = who, .id = session }),
		   0, NULL);
}

static enum turn_phase
phase_of(struct engine_rig *r, struct str session)
{
	return engine_rig_session(r, session.ptr)->row.state.phase;
}

/* How the log goes on after a restart that comes so much later. */
static struct str
log_after(struct engine_rig *r, struct str session, int64_t later_ms)
{
	int64_t from;

	engine_rig_drain(r, r->en);
	virtual_host_advance(&r->host, later_ms);
	from = engine_rig_session(r, session.ptr)->row.head_seq + 1;
	engine_rig_restart(r);
	virtual_host_settle(&r->host);
	return engine_rig_log(r, session.ptr, from);
}

static void
H5_a_fresh_turn_goes_on_and_a_stale_one_does_not(void **state)
{
	struct engine_rig r;
	struct str session;

	engine_rig_init(&r, *state != NULL);
	session = rig_open(&r, NULL, "cli:a");
	begin_long_turn(&r, NULL, session);
	check_str("fresh", log_after(&r, session, HOUR_MS),
		  STR("status_running model_request_start"));
	check_str("stale", log_after(&r, session, HOUR_MS + 1), STR("error status_idle"));
	assert_int_equal(engine_rig_session(&r, session.ptr)->row.last_stop, STOP_INTERRUPTED);
	engine_rig_release(&r);
}

static void
H5_freshness_is_the_operators(void **state)
{
	struct engine_rig r;
	struct str session;

	(void)state;
	engine_rig_init(&r, false);
	session = rig_open(&r, NULL, "cli:a");
	begin_long_turn(&r, NULL, session);
	engine_rig_drain(&r, r.en);
	virtual_host_advance(&r.host, 2 * HOUR_MS);
	r.fresh_ms = 2 * HOUR_MS;
	engine_rig_restart(&r);
	virtual_host_settle(&r.host);
	assert_int_equal(phase_of(&r, session), TURN_RUNNING);
	engine_rig_release(&r);
}

static void
on_written(void *ctx, const struct store_result *result)
{
	assert_int_equal(result->rc, 0);
	*(bool *)ctx = true;
}

static void
H5_whoever_may_no_longer_speak_does_not_go_on(void **state)
{
	const struct engine_caller *ann;
	struct store_put gone = { .record = { .kind = RECORD_PARTICIPANT },
				  .if_version = STORE_VERSION_ANY,
				  .remove = true };
	struct engine_rig r;
	struct str session;
	bool removed = false;

	engine_rig_init(&r, *state != NULL);
	ann = rig_person(&r, "ann");
	session = rig_open(&r, ann, "cli:a");
	begin_long_turn(&r, ann, session);
	gone.record.id = access_participant_id(&r.arena, session, ann->who.user_id);
	check_str("she may", log_after(&r, session, 1000),
		  STR("status_running model_request_start"));
	store_append(r.store, &(struct store_item){ .puts = &gone, .put_count = 1 }, on_written,
		     &removed);
	engine_rig_await(&r, &removed);
	check_str("she may not", log_after(&r, session, 1000), STR("error status_idle"));
	assert_non_null(
		strstr(engine_rig_payload(&r, session.ptr,
					  engine_rig_session(&r, session.ptr)->row.head_seq - 1)
			       .ptr,
		       "may no longer"));
	engine_rig_release(&r);
}

static void
H5_a_suspended_session_does_not_go_on(void **state)
{
	struct rig_answer *lane;
	struct engine_rig r;

	engine_rig_init(&r, *state != NULL);
	lane = resolve(&r, "{'source':{'platform':'irc','chat_id':'a'}}");
	begin_long_turn(&r, NULL, lane->id);
	rig_end(&r, engine_lane_suspend, (struct rig_call){ .id = lane->lane });
	check_str("suspended", log_after(&r, lane->id, 1000), STR("error status_idle"));
	engine_rig_release(&r);
}

static void
H5_after_too_many_unclean_starts_turns_wait_to_be_asked_for(void **state)
{
	struct engine_rig r;
	struct str session;
	int64_t head;

	engine_rig_init(&r, *state != NULL);
	r.unclean = true;
	session = rig_open(&r, NULL, "cli:a");
	for (int starts = 1; starts <= 2;
	     starts++) { /* turns of others: each is tried twice at most */
		char name[16];

		snprintf(name, sizeof name, "cli:%d", starts);
		begin_long_turn(&r, NULL, rig_open(&r, NULL, name));
		log_after(&r, session, 1000);
		assert_int_equal(phase_of(&r, str_of(name)), TURN_RUNNING);
	}
	begin_long_turn(&r, NULL, session);
	check_str("held", log_after(&r, session, 1000), STR(""));
	assert_int_equal(phase_of(&r, session), TURN_RESCHEDULED);
	virtual_host_advance(&r.host, 60 * 1000);
	virtual_host_settle(&r.host);
	assert_int_equal(phase_of(&r, session), TURN_RESCHEDULED);
	head = engine_rig_session(&r, session.ptr)->row.head_seq;
	rig_expect(rig_end(&r, engine_wake, (struct rig_call){ .id = session }), 0, NULL);
	virtual_host_settle(&r.host);
	check_str("asked for", engine_rig_log(&r, session.ptr, head + 1),
		  STR("status_running model_request_start"));
	r.unclean = false; /* stopped in good order: nothing is held */
	check_str("clean", log_after(&r, session, 1000), STR("status_running model_request_start"));
	engine_rig_release(&r);
}

/* Another process, which finds that too many came to nothing before it. */
static void
restart_once_too_often(struct engine_rig *r)
{
	struct store_put starts = { .record = { .kind = RECORD_UNCLEAN_STARTS,
						.id = STR("server") },
				    .if_version = STORE_VERSION_ANY };
	bool written = false;

	engine_rig_drain(r, r->en);
	starts.record.body = arena_printf(&r->arena, "{\"at\":[%lld,%lld]}",
					  (long long)r->host.now_ms, (long long)r->host.now_ms);
	store_append(r->store, &(struct store_item){ .puts = &starts, .put_count = 1 }, on_written,
		     &written);
	engine_rig_await(r, &written);
	engine_rig_restart(r);
	virtual_host_settle(&r->host);
}

/* Also one that is not taken, or was taken before: it may wait behind what is held. */
static void
H5_a_message_asks_for_what_is_held_even_if_it_is_not_stored(void **state)
{
	static const char *const KEYS[] = { "first", "second" };
	struct engine_rig r;
	struct str session;

	engine_rig_init(&r, *state != NULL);
	r.unclean = true;
	session = rig_open(&r, NULL, "cli:a");
	r.en->config.settings.queue_depth = 1;
	begin_long_turn(&r, NULL, session);
	rig_expect(rig_say(&r, &(struct engine_message){ .text = STR("say next") },
			   (struct rig_call){ .id = session, .key = "first" }),
		   0, NULL);
	for (size_t i = 0; i < ARRAY_LEN(KEYS); i++) {
		struct rig_answer *a;

		restart_once_too_often(&r);
		r.en->config.settings.queue_depth = 1;
		assert_int_equal(phase_of(&r, session), TURN_RESCHEDULED);
		a = rig_say(&r, &(struct engine_message){ .text = STR("say next") },
			    (struct rig_call){ .id = session, .key = KEYS[i] });
		rig_expect(a, i == 0 ? 0 : ERR_LIMIT, NULL);
		virtual_host_settle(&r.host);
		assert_int_equal(phase_of(&r, session), TURN_RUNNING);
	}
	engine_rig_release(&r);
}

/* Killed as often, by something else: turns get done meanwhile. */
static void
H5_starts_are_counted_since_the_last_turn_that_succeeded(void **state)
{
	struct engine_rig r;
	struct str other;

	engine_rig_init(&r, *state != NULL);
	r.unclean = true;
	other = rig_open(&r, NULL, "cli:other");
	for (int starts = 1; starts <= 4; starts++) {
		struct str session =
			rig_open(&r, NULL, arena_printf(&r.arena, "cli:%d", starts).ptr);

		begin_long_turn(&r, NULL, session);
		log_after(&r, other, 1000);
		assert_int_equal(phase_of(&r, session), TURN_RUNNING);
		rig_expect(rig_say(&r, &(struct engine_message){ .text = STR("say done") },
				   (struct rig_call){ .id = other }),
			   0, NULL);
		virtual_host_settle(&r.host);
		assert_int_equal(engine_rig_session(&r, other.ptr)->row.last_stop, STOP_END_TURN);
	}
	engine_rig_release(&r);
}

static const struct {
	const char *name;
	CMUnitTestFunction run;
} ROWS[] = {
	{ "H5_a_fresh_turn_goes_on_and_a_stale_one_does_not",
	  H5_a_fresh_turn_goes_on_and_a_stale_one_does_not },
	{ "H5_whoever_may_no_longer_speak_does_not_go_on",
	  H5_whoever_may_no_longer_speak_does_not_go_on },
	{ "H5_after_too_many_unclean_starts_turns_wait_to_be_asked_for",
	  H5_after_too_many_unclean_starts_turns_wait_to_be_asked_for },
	{ "H5_a_message_asks_for_what_is_held_even_if_it_is_not_stored",
	  H5_a_message_asks_for_what_is_held_even_if_it_is_not_stored },
	{ "H5_starts_are_counted_since_the_last_turn_that_succeeded",
	  H5_starts_are_counted_since_the_last_turn_that_succeeded },
	{ "H5_a_suspended_session_does_not_go_on", H5_a_suspended_session_does_not_go_on },
};

int
main(void)
{
	struct suite s = { 0 };

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) { /* in memory, and on disk */
		suite_add(&s, ROWS[i].name, ROWS[i].run, NULL);
		suite_add(&s, ROWS[i].name, ROWS[i].run, "");
	}
	SUITE_TEST(&s, H5_freshness_is_the_operators);
	return suite_run(&s, "engine/turn_recover");
}

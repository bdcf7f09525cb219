#include "engine/schedule.h"

#include "schedule_rig.h"

#define EVERY_10_MIN(prompt, more) \
	"{'name':'n','prompt':'" prompt "','rule':{'type':'every','every_ms':600000}" more "}"
#define CRON(expression, zone)                                                         \
	"{'name':'n','prompt':'say x','rule':{'type':'cron','expression':'" expression \
	"','time_zone':'" zone "'},'missed':{'type':'skip'}}"

/* ---- a slot ---- */

static void
H3_a_slot_is_a_turn_of_its_session(void **state)
{
	struct rig r;
	const char *id, *session;

	rig_init(&r, *state == NULL);
	id = schedule_make(&r, EVERY_10_MIN("say good morning", ""));
	session = schedule_session(&r, id);
	rig_advance(&r, 10 * MINUTE - 1);
	assert_int_equal(schedule_run_count(&r, id), 0);
	rig_advance(&r, 1);
	rig_await_log(&r, session, 1,
		      "created fired status_running model_request_start "
		      "message\"good morning\" model_request_end status_idle:end_turn");
	assert_true(str_contains(rig_event_at(&r, session, 1)->payload,
				 STR("\"kind\":\"schedule\",\"interactive\":false")));
	schedule_await(&r, id, "completed");
	schedule_last_has(&r, id, "'stop_reason':'end_turn','error':null,'turn_id':'turn_");
	rig_advance(&r, 10 * MINUTE);
	rig_await_log(&r, session, 8,
		      "fired status_running model_request_start "
		      "message\"good morning\" model_request_end status_idle:end_turn");
	rig_release(&r);
}

static void
H3_each_slot_runs_once(void **state)
{
	struct rig r;
	const char *id;

	(void)state;
	rig_init(&r, true);
	id = schedule_make(&r, EVERY_10_MIN("say x", ""));
	rig_advance(&r, DAY);
	assert_int_equal(schedule_fired(&r, id), 144);
	assert_int_equal(schedule_run_count(&r, id), 100); /* so many are kept */
	rig_release(&r);
}

static void
H3_at_runs_once(void **state)
{
	struct rig r;
	const char *id;

	(void)state;
	rig_init(&r, true);
	schedule_set_clock(&r, "2026-05-01T00:00:00Z");
	id = schedule_make(&r, "{'name':'n','prompt':'say x','rule':"
			       "{'type':'at','at':'2026-05-01T09:00:00+02:00'}}");
	rig_advance(&r, 7 * HOUR - 1);
	assert_int_equal(schedule_run_count(&r, id), 0);
	rig_advance(&r, DAY);
	schedule_went(&r, id, "completed");
	schedule_last_has(&r, id, "'slot':'2026-05-01T07:00:00Z'");
	rig_release(&r);
}

/* ---- killed ---- */

/* The dead process does not know it yet: both look at the same slot. */
static void
H3_a_slot_runs_once_whoever_is_killed(void **state)
{
	struct engine *dead[8];
	struct rig r;
	const char *id;

	(void)state;
	rig_init(&r, true);
	id = schedule_make(&r, EVERY_10_MIN("wait 5\\nsay x", ""));
	for (size_t i = 0; i < ARRAY_LEN(dead); i++) {
		rig_advance(&r, 10 * MINUTE - 2);
		dead[i] = rig_kill(&r);
		rig_advance(&r, 2 + (int64_t)i % 3); /* before, at and after the beginning */
	}
	for (size_t i = 0; i < ARRAY_LEN(dead); i++)
		rig_bury(&r, dead[i]);
	rig_advance(&r, MINUTE);
	assert_int_equal(schedule_fired(&r, id), ARRAY_LEN(dead));
	assert_int_equal(schedule_run_count(&r, id), ARRAY_LEN(dead));
	rig_release(&r);
}

static void
H3_a_disk_that_fails_costs_no_slot(void **state)
{
	struct rig r;
	const char *id;

	(void)state;
	rig_init(&r, true);
	id = schedule_make(&r, EVERY_10_MIN("say x", ""));
	for (int i = 0; i < 4; i++) {
		r.fail_appends = i == 0 ? 1 : 0;
		r.unsure_appends = i == 1 ? 1 : 0;
		r.fail_reads = i == 2 ? 2 : 0;
		rig_advance(&r, 10 * MINUTE);
		r.fail_appends = r.unsure_appends = r.fail_reads = 0;
	}
	rig_advance(&r, MINUTE);
	assert_int_equal(schedule_fired(&r, id), 4);
	schedule_went(&r, id, "completed completed completed completed");
	rig_release(&r);
}

static void
H3_a_restart_across_a_slot_makes_up_for_it(void **state)
{
	struct rig r;
	const char *id;

	rig_init(&r, *state == NULL);
	id = schedule_make(&r, EVERY_10_MIN("say x", ""));
	rig_advance(&r, 9 * MINUTE);
	virtual_host_set_clock(&r.host, r.host.now_ms + 5 * MINUTE); /* while it is away */
	rig_restart(&r, 0);
	schedule_await(&r, id, "completed");
	assert_int_equal(schedule_fired(&r, id), 1);
	rig_release(&r);
}

/* The turn ended, and nobody wrote that the run did. */
static void
H3_the_end_of_a_run_is_found_after_a_restart(void **state)
{
	struct engine *dead;
	struct rig r;
	const char *id;

	(void)state;
	rig_init(&r, true);
	id = schedule_make(&r, EVERY_10_MIN("wait 5\\nsay x", ""));
	rig_advance(&r, 10 * MINUTE + SECOND);
	dead = rig_kill(&r);
	rig_bury(&r, dead);
	rig_advance(&r, MINUTE);
	schedule_went(&r, id, "completed");
	rig_release(&r);
}

/* ---- missed slots ---- */

static const struct missed {
	const char *name, *policy;
	size_t runs;
	const char *first, *last; /* slots */
} MISSED[] = {
	{ "H3 missed: skip", "{'type':'skip'}", 0, NULL, NULL },
	{ "H3 missed: latest", "{'type':'latest'}", 1, "01:00:00Z", "01:00:00Z" },
	{ "H3 missed: all(3)", "{'type':'all','limit':3}", 3, "00:40:00Z", "01:00:00Z" },
	{ "H3 missed: all(100)", "{'type':'all','limit':100}", 6, "00:10:00Z", "01:00:00Z" },
};

/* The machine slept for an hour and five minutes. */
static void
missed_holds(void **state)
{
	const struct missed *row = *state;
	struct rig r;
	const char *id;

	rig_init(&r, true);
	schedule_set_clock(&r, "2026-05-01T00:00:00Z");
	id = schedule_make(
		&r,
		arena_printf(&r.arena, EVERY_10_MIN("wait 1\\nsay x", ",'missed':%s"), row->policy)
			.ptr);
	schedule_set_clock(&r, "2026-05-01T01:05:00Z");
	rig_advance(&r, 2 * MINUTE);
	assert_int_equal(schedule_run_count(&r, id), row->runs);
	if (row->runs > 0) {
		assert_int_equal(schedule_fired(&r, id), row->runs);
		schedule_last_has(&r, id, row->last);
	}
	rig_advance(&r, 4 * MINUTE); /* and then as if nothing had been */
	assert_int_equal(schedule_run_count(&r, id), row->runs + 1);
	schedule_last_has(&r, id, "'slot':'2026-05-01T01:10:00Z'");
	rig_release(&r);
}

/* ---- clocks ---- */

static void
H3_a_clock_set_back_repeats_no_slot(void **state)
{
	struct rig r;
	const char *id;

	(void)state;
	rig_init(&r, true);
	schedule_set_clock(&r, "2026-05-01T00:00:00Z");
	id = schedule_make(&r, EVERY_10_MIN("say x", ""));
	rig_advance(&r, 31 * MINUTE);
	assert_int_equal(schedule_fired(&r, id), 3);
	schedule_set_clock(&r, "2026-05-01T00:05:00Z");
	rig_advance(&r, 30 * MINUTE); /* 00:10, 00:20 and 00:30 were */
	assert_int_equal(schedule_fired(&r, id), 3);
	rig_advance(&r, 6 * MINUTE); /* 00:40 was not */
	assert_int_equal(schedule_fired(&r, id), 4);
	rig_release(&r);
}

/* Somebody mistook the year: the schedule does not wait for it. */
static void
H3_a_clock_that_was_wrong_silences_nothing(void **state)
{
	struct rig r;
	const char *id;

	(void)state;
	rig_init(&r, true);
	schedule_set_clock(&r, "2026-05-01T00:00:00Z");
	id = schedule_make(&r, EVERY_10_MIN("say x", ""));
	schedule_set_clock(&r, "2027-05-01T00:01:00Z");
	rig_advance(&r, 2 * MINUTE);
	assert_int_equal(schedule_fired(&r, id), 1);
	schedule_set_clock(&r, "2026-05-01T00:03:00Z");
	rig_advance(&r, 18 * MINUTE);
	assert_int_equal(schedule_fired(&r, id), 3);
	schedule_last_has(&r, id, "'slot':'2026-05-01T00:20:00Z'");
	rig_release(&r);
}

static const struct civil_day {
	const char *name, *expression, *zone, *from;
	int64_t span_ms;
	size_t runs;
	const char *slot; /* of the last */
} DAYS[] = {
	{ "H3 a day is 23 hours long", "30 2 * * *", "Europe/Berlin", "2026-03-28T23:00:00Z",
	  23 * HOUR, 1, "2026-03-29T01:00:00Z" },
	{ "H3 a day is 25 hours long", "30 2 * * *", "Europe/Berlin", "2026-10-24T22:00:00Z",
	  25 * HOUR, 1, "2026-10-25T00:30:00Z" },
	{ "H3 every hour of a long day", "15 * * * *", "Europe/Berlin", "2026-10-24T22:00:00Z",
	  25 * HOUR, 25, "2026-10-25T22:15:00Z" },
	{ "H3 the leap day", "0 12 29 2 *", "UTC", "2028-02-28T12:00:00Z", 2 * DAY, 1,
	  "2028-02-29T12:00:00Z" },
	{ "H3 no leap day", "0 12 29 2 *", "UTC", "2027-02-28T12:00:00Z", 2 * DAY, 0, NULL },
	{ "H3 the year ends elsewhere first", "0 0 1 1 *", "Pacific/Kiritimati",
	  "2026-12-31T00:00:00Z", DAY, 1, "2026-12-31T10:00:00Z" },
};

static void
day_holds(void **state)
{
	const struct civil_day *row = *state;
	struct rig r;
	const char *id;

	rig_init(&r, true);
	schedule_set_clock(&r, row->from);
	id = schedule_make(
		&r, arena_printf(&r.arena, CRON("%s", "%s"), row->expression, row->zone).ptr);
	rig_advance(&r, row->span_ms);
	assert_int_equal(schedule_run_count(&r, id), row->runs);
	if (row->slot)
		schedule_last_has(&r, id, row->slot);
	rig_release(&r);
}

/* ---- one at a time ---- */

static void
H3_one_run_at_a_time(void **state)
{
	struct rig r;
	const char *id;

	(void)state;
	rig_init(&r, true);
	schedule_set_clock(&r, "2026-05-01T00:00:00Z");
	id = schedule_make(&r, EVERY_10_MIN("wait 1500\\nsay x", ""));
	rig_advance(&r, 34 * MINUTE);
	schedule_went(&r, id, "running");
	rig_advance(&r, 2 * MINUTE); /* 00:20 and 00:30 passed by: the latest of them runs */
	schedule_went(&r, id, "completed running");
	schedule_last_has(&r, id, "'slot':'2026-05-01T00:30:00Z'");
	assert_int_equal(rig_pending(&r, schedule_session(&r, id)), 0);
	rig_release(&r);
}

static void
H3_the_session_is_busy_and_the_trigger_waits(void **state)
{
	struct rig r;
	const char *id, *session;

	(void)state;
	rig_init(&r, true);
	id = schedule_make(&r, EVERY_10_MIN("say x", ""));
	session = schedule_session(&r, id);
	rig_advance(&r, 11 * MINUTE);
	rig_advance(&r, 8 * MINUTE);
	rig_post(&r, session, "wait 120\nsay done");
	rig_advance(&r, 61 * SECOND);
	assert_int_equal(rig_pending(&r, session), 1);
	schedule_went(&r, id, "completed running");
	rig_advance(&r, 2 * MINUTE);
	schedule_went(&r, id, "completed completed");
	rig_release(&r);
}

/* ---- timeouts ---- */

static void
H3_a_run_that_takes_too_long_is_interrupted(void **state)
{
	struct rig r;
	const char *id;

	(void)state;
	rig_init(&r, true);
	id = schedule_make(&r, EVERY_10_MIN("say a\\nwait 500\\nsay x", ",'timeout_ms':5000"));
	rig_advance(&r, 10 * MINUTE + 5 * SECOND - 1);
	schedule_went(&r, id, "running");
	rig_advance(&r, SECOND);
	schedule_went(&r, id, "timed_out");
	schedule_last_has(&r, id,
			  "'stop_reason':'interrupted','error':'it ran longer than its timeout'");
	assert_true(str_contains(rig_log(&r, schedule_session(&r, id), 1),
				 STR("interrupt message!\"a\" ")));
	rig_release(&r);
}

static void
H3_a_parked_run_is_interrupted_too(void **state)
{
	struct rig r;
	const char *id;

	(void)state;
	rig_init(&r, true);
	rig_agent(&r, "asks",
		  "{\"id\":\"asks\",\"version\":1,\"model\":\"demo\",\"tools\":[{"
		  "\"type\":\"custom\",\"name\":\"color\",\"description\":\"d\","
		  "\"input_schema\":{\"type\":\"object\"}}]}");
	id = schedule_make(&r,
			   EVERY_10_MIN("tool color {}", ",'agent_id':'asks','timeout_ms':60000"));
	rig_advance(&r, 10 * MINUTE + 30 * SECOND);
	assert_true(str_contains(rig_log(&r, schedule_session(&r, id), 1),
				 STR("status_idle:requires_action")));
	schedule_went(&r, id, "running");
	rig_advance(&r, 31 * SECOND);
	schedule_went(&r, id, "timed_out");
	assert_int_equal(rig_row(&r, schedule_session(&r, id))->row.state.phase, TURN_NONE);
	rig_release(&r);
}

/* The turn that is open is another's: it goes on. */
static void
H3_a_trigger_that_waits_too_long_is_taken_back(void **state)
{
	struct rig r;
	const char *id, *session;

	(void)state;
	rig_init(&r, true);
	id = schedule_make(&r, EVERY_10_MIN("say x", ",'timeout_ms':5000"));
	session = schedule_session(&r, id);
	rig_advance(&r, 19 * MINUTE);
	rig_post(&r, session, "wait 120\nsay done");
	rig_advance(&r, MINUTE + 6 * SECOND);
	schedule_went(&r, id, "completed timed_out");
	schedule_last_has(&r, id, "'error':'it had to wait longer than its timeout'");
	assert_int_equal(rig_pending(&r, session), 0);
	rig_advance(&r, 2 * MINUTE);
	assert_true(str_contains(rig_log(&r, session, 1), STR("message\"done\"")));
	rig_release(&r);
}

static void
H3_a_person_may_stop_it(void **state)
{
	struct rig r;
	const char *id;

	(void)state;
	rig_init(&r, true);
	id = schedule_make(&r, EVERY_10_MIN("wait 100", ""));
	rig_advance(&r, 10 * MINUTE + SECOND);
	rig_interrupt(&r, schedule_session(&r, id));
	schedule_went(&r, id, "cancelled");
	rig_release(&r);
}

/* ---- failures ---- */

static void
H3_failures_make_it_wait(void **state)
{
	struct rig r;
	const char *id;
	size_t fired;

	(void)state;
	rig_init(&r, true);
	id = schedule_make(&r, "{'name':'n','prompt':'wait 100','timeout_ms':1000,'rule':"
			       "{'type':'every','every_ms':10000}}");
	rig_advance(&r, 12 * SECOND); /* begins at 10, fails at 11 */
	schedule_went(&r, id, "timed_out");
	rig_advance(&r, 28 * SECOND);
	assert_int_equal(schedule_fired(&r, id), 1);
	rig_advance(&r, 2 * SECOND); /* 30 s after the end */
	assert_int_equal(schedule_fired(&r, id), 2);
	rig_advance(&r, 55 * SECOND);
	assert_int_equal(schedule_fired(&r, id), 2);
	rig_advance(&r, 10 * SECOND); /* a minute */
	assert_int_equal(schedule_fired(&r, id), 3);
	rig_advance(&r, DAY);
	fired = schedule_fired(&r, id);
	rig_advance(&r, 12 * HOUR); /* once an hour */
	assert_in_range(schedule_fired(&r, id) - fired, 11, 12);
	rig_release(&r);
}

static void
H3_a_run_that_cannot_begin_says_why(void **state)
{
	struct rig r;
	const char *id;

	(void)state;
	rig_init(&r, true);
	rig_agent(&r, "gone", "{\"id\":\"gone\",\"version\":1,\"model\":\"demo\"}");
	id = schedule_make(&r, EVERY_10_MIN("say x", ",'agent_id':'gone'"));
	rig_agent(&r, "gone",
		  "{\"id\":\"gone\",\"version\":1,\"model\":\"demo\","
		  "\"archived_at\":\"2026-01-01T00:00:00Z\"}");
	rig_restart(&r, 0); /* or it is remembered */
	rig_advance(&r, 10 * MINUTE + SECOND);
	schedule_went(&r, id, "failed");
	schedule_last_has(&r, id, "'error':'the agent gone is archived'");
	rig_advance(&r, 10 * MINUTE);
	schedule_went(&r, id, "failed failed");
	rig_release(&r);
}

static void
H3_its_session_was_archived(void **state)
{
	struct rig r;
	const char *id;

	(void)state;
	rig_init(&r, true);
	id = schedule_make(&r, EVERY_10_MIN("say x", ""));
	rig_advance(&r, 11 * MINUTE);
	rig_append(&r, schedule_session(&r, id), EVENT_SESSION_UPDATED,
		   "{\"type\":\"session.updated\",\"lifecycle\":\"archived\",\"reason\":\"r\"}");
	rig_advance(&r, 10 * MINUTE);
	schedule_went(&r, id, "completed failed");
	schedule_last_has(&r, id, "is archived: make another schedule");
	rig_release(&r);
}

static void
H3_an_inactive_session_wakes_up(void **state)
{
	struct rig r;
	const char *id;

	(void)state;
	rig_init(&r, true);
	id = schedule_make(&r, EVERY_10_MIN("say x", ""));
	rig_advance(&r, 11 * MINUTE);
	rig_append(&r, schedule_session(&r, id), EVENT_SESSION_UPDATED,
		   "{\"type\":\"session.updated\",\"lifecycle\":\"inactive\",\"reason\":\"r\"}");
	rig_advance(&r, 10 * MINUTE);
	schedule_went(&r, id, "completed completed");
	rig_release(&r);
}

/* ---- delivery ---- */

#define TO(how) ",'delivery':" how

static void
H3_what_it_said_goes_to_a_session(void **state)
{
	struct rig r;
	const char *id;

	(void)state;
	rig_init(&r, true);
	rig_session(&r, "me", "main");
	id = schedule_make(
		&r, EVERY_10_MIN("say a\\nsay b", TO("{'type':'session','session_id':'me'}")));
	rig_advance(&r, 10 * MINUTE);
	rig_advance(&r, SECOND);
	schedule_went(&r, id, "completed");
	schedule_last_has(&r, id,
			  "'delivery':{'type':'session','status':'delivered','error':null}");
	check_str("told", rig_log(&r, "me", 2), STR("message"));
	assert_true(str_contains(rig_event_at(&r, "me", 2)->payload,
				 STR("Result of the schedule n:\\n\\na\\nb")));
	rig_release(&r);
}

/* Delivered, and killed before the run's end is written; or nobody knows whether it was. */
static void
H3_it_is_delivered_once(void **state)
{
	struct engine *dead;
	struct rig r;
	const char *id;

	(void)state;
	rig_init(&r, true);
	rig_session(&r, "me", "main");
	id = schedule_make(
		&r, EVERY_10_MIN("wait 5\\nsay x", TO("{'type':'session','session_id':'me'}")));
	rig_advance(&r, 10 * MINUTE + 4 * SECOND);
	dead = rig_kill(&r); /* both hear of the end */
	rig_bury(&r, dead);
	rig_advance(&r, MINUTE);
	schedule_went(&r, id, "completed");
	check_str("once", rig_log(&r, "me", 2), STR("message"));
	rig_advance(&r, 9 * MINUTE + 4 * SECOND);
	r.unsure_appends = 4; /* whichever of them is the delivery */
	rig_advance(&r, 2 * MINUTE);
	check_str("twice", rig_log(&r, "me", 2), STR("message message"));
	rig_release(&r);
}

static const struct letter {
	const char *name, *delivery, *want;
} LETTERS[] = {
	{ "H3 nothing is said of silence", TO("{'type':'silent'}"),
	  "'delivery':{'type':'silent','status':'none','error':null}" },
	{ "H3 no origin is silence", "", "'delivery':{'type':'silent','status':'none'" },
	{ "H3 a dead letter: no such session", TO("{'type':'session','session_id':'x'}"),
	  "'status':'dead_letter','error':'there is no session x'" },
	{ "H3 a dead letter: home", TO("{'type':'home','platform':'telegram'}"),
	  "'delivery':{'type':'home','status':'dead_letter',"
	  "'error':'no channel of platform telegram is connected'}" },
	{ "H3 a dead letter: target", TO("{'type':'target','platform':'slack','chat_id':'1'}"),
	  "'error':'no channel of platform slack is connected'" },
	{ "H3 a dead letter: origin", ",'origin':{'platform':'discord','chat_id':'1'}",
	  "'delivery':{'type':'origin','status':'dead_letter'" },
};

static void
letter_holds(void **state)
{
	const struct letter *row = *state;
	struct rig r;
	const char *id;

	rig_init(&r, true);
	id = schedule_make(&r,
			   arena_printf(&r.arena, EVERY_10_MIN("say x", "%s"), row->delivery).ptr);
	rig_advance(&r, 10 * MINUTE + SECOND);
	schedule_went(&r, id, "completed");
	schedule_last_has(&r, id, row->want);
	rig_release(&r);
}

static void
H3_silence_is_not_delivered(void **state)
{
	struct rig r;
	const char *id;

	(void)state;
	rig_init(&r, true);
	rig_session(&r, "me", "main");
	id = schedule_make(
		&r, EVERY_10_MIN("say <NO_REPLY>", TO("{'type':'session','session_id':'me'}")));
	rig_advance(&r, 10 * MINUTE + SECOND);
	schedule_last_has(&r, id, "'status':'none'");
	check_str("nothing", rig_log(&r, "me", 2), STR(""));
	rig_release(&r);
}

static void
H3_nothing_is_armed_without_schedules(void **state)
{
	struct rig r;
	size_t before;
	const char *id;

	(void)state;
	rig_init(&r, true);
	before = virtual_host_armed(&r.host);
	id = schedule_make(&r, EVERY_10_MIN("say x", ""));
	assert_int_equal(virtual_host_armed(&r.host), before + 1);
	schedule_do(&r, 'u', id, "{'enabled':false}");
	rig_advance(&r, 2 * HOUR);
	assert_int_equal(virtual_host_armed(&r.host), before);
	rig_release(&r);
}

int
main(void)
{
	static const char SQLITE[] = "sqlite";
	struct suite s = { 0 };

	SUITE_TEST(&s, H3_a_slot_is_a_turn_of_its_session);
	suite_add(&s, "H3 a slot is a turn of its session, on disk",
		  H3_a_slot_is_a_turn_of_its_session, SQLITE);
	SUITE_TEST(&s, H3_each_slot_runs_once);
	SUITE_TEST(&s, H3_at_runs_once);
	SUITE_TEST(&s, H3_a_slot_runs_once_whoever_is_killed);
	SUITE_TEST(&s, H3_a_disk_that_fails_costs_no_slot);
	SUITE_TEST(&s, H3_a_restart_across_a_slot_makes_up_for_it);
	suite_add(&s, "H3 a restart across a slot makes up for it, on disk",
		  H3_a_restart_across_a_slot_makes_up_for_it, SQLITE);
	SUITE_TEST(&s, H3_the_end_of_a_run_is_found_after_a_restart);
	SUITE_ROWS(&s, MISSED, missed_holds);
	SUITE_TEST(&s, H3_a_clock_set_back_repeats_no_slot);
	SUITE_TEST(&s, H3_a_clock_that_was_wrong_silences_nothing);
	SUITE_ROWS(&s, DAYS, day_holds);
	SUITE_TEST(&s, H3_one_run_at_a_time);
	SUITE_TEST(&s, H3_the_session_is_busy_and_the_trigger_waits);
	SUITE_TEST(&s, H3_a_run_that_takes_too_long_is_interrupted);
	SUITE_TEST(&s, H3_a_parked_run_is_interrupted_too);
	SUITE_TEST(&s, H3_a_trigger_that_waits_too_long_is_taken_back);
	SUITE_TEST(&s, H3_a_person_may_stop_it);
	SUITE_TEST(&s, H3_failures_make_it_wait);
	SUITE_TEST(&s, H3_a_run_that_cannot_begin_says_why);
	SUITE_TEST(&s, H3_its_session_was_archived);
	SUITE_TEST(&s, H3_an_inactive_session_wakes_up);
	SUITE_TEST(&s, H3_what_it_said_goes_to_a_session);
	SUITE_TEST(&s, H3_it_is_delivered_once);
	SUITE_ROWS(&s, LETTERS, letter_holds);
	SUITE_TEST(&s, H3_silence_is_not_delivered);
	SUITE_TEST(&s, H3_nothing_is_armed_without_schedules);
	return suite_run(&s, "schedule");
}

#include "engine_rig.h"
#include "schedule_rig.h"

#define EVERY "{'name':'n','prompt':'say x','rule':{'type':'every','every_ms':600000}}"

static void
H3_a_schedule_lives(void **state)
{
	struct rig r;
	const char *id;
	struct str body;

	(void)state;
	rig_init(&r, true);
	id = schedule_make(&r, EVERY);
	assert_true(str_starts(str_of(id), STR("sched_")));
	schedule_do(&r, 'u', id, "{'name':'m','timeout_ms':2000}");
	body = rig_record(&r, RECORD_SCHEDULE, id);
	assert_true(str_contains(body, STR("\"name\":\"m\"")));
	assert_true(str_contains(body, STR("\"timeout_ms\":2000")));
	rig_advance(&r, 11 * MINUTE);
	schedule_went(&r, id, "completed");
	schedule_do(&r, 'd', id, NULL);
	assert_false(rig_has_record(&r, RECORD_SCHEDULE, id));
	assert_int_equal(schedule_run_count(&r, id), 0);
	rig_advance(&r, HOUR);
	assert_int_equal(schedule_fired(&r, id), 1);
	assert_int_equal(schedule_ask(&r, 'd', id, NULL).rc, ERR_NOT_FOUND);
	assert_int_equal(schedule_ask(&r, 'r', id, NULL).rc, ERR_NOT_FOUND);
	assert_int_equal(schedule_ask(&r, 'u', id, "{}").rc, ERR_NOT_FOUND);
	rig_release(&r);
}

static void
H3_a_paused_one_rests_and_misses_nothing(void **state)
{
	struct rig r;
	const char *id;

	(void)state;
	rig_init(&r, true);
	id = schedule_make(&r, EVERY);
	schedule_do(&r, 'u', id, "{'enabled':false}");
	rig_advance(&r, HOUR + MINUTE);
	assert_int_equal(schedule_run_count(&r, id), 0);
	schedule_do(&r, 'u', id, "{'enabled':true}");
	rig_advance(&r, 8 * MINUTE);
	assert_int_equal(schedule_run_count(&r, id), 0);
	rig_advance(&r, MINUTE);
	assert_int_equal(schedule_run_count(&r, id), 1);
	rig_release(&r);
}

static void
H3_another_rule_counts_from_now_on(void **state)
{
	struct rig r;
	const char *id;

	(void)state;
	rig_init(&r, true);
	schedule_set_clock(&r, "2026-05-01T00:00:00Z");
	id = schedule_make(&r, EVERY);
	rig_advance(&r, 9 * MINUTE);
	schedule_do(&r, 'u', id, "{'rule':{'type':'cron','expression':'0 * * * *'}}");
	rig_advance(&r, 50 * MINUTE);
	assert_int_equal(schedule_run_count(&r, id), 0);
	rig_advance(&r, 2 * MINUTE);
	schedule_went(&r, id, "completed");
	schedule_last_has(&r, id, "'slot':'2026-05-01T01:00:00Z'");
	rig_release(&r);
}

static void
H3_run_now(void **state)
{
	struct schedule_said said;
	struct rig r;
	const char *id;

	(void)state;
	rig_init(&r, true);
	id = schedule_make(&r, "{'name':'n','prompt':'wait 5\\nsay x','enabled':false,"
			       "'rule':{'type':'every','every_ms':600000}}");
	said = schedule_ask(&r, 'r', id, NULL);
	assert_int_equal(said.rc, 0);
	assert_true(str_starts(said.id, STR("srun_")));
	schedule_went(&r, id, "running");
	said = schedule_ask(&r, 'r', id, NULL);
	assert_int_equal(said.rc, ERR_CONFLICT);
	assert_non_null(strstr(said.text, "is open: wait for it"));
	rig_advance(&r, 6 * SECOND);
	schedule_went(&r, id, "completed");
	schedule_last_has(&r, id, "'manual':true");
	rig_advance(&r, DAY); /* it is still paused */
	schedule_do(&r, 'r', id, NULL);
	rig_advance(&r, 6 * SECOND);
	schedule_went(&r, id, "completed completed");
	rig_release(&r);
}

/* Asked for, and killed before it began. */
static void
H3_a_run_that_was_asked_for_survives(void **state)
{
	struct schedule_said said;
	struct engine *dead;
	struct rig r;
	const char *id;

	(void)state;
	rig_init(&r, true);
	id = schedule_make(&r, EVERY);
	r.hold_append = 2; /* the trigger */
	said = schedule_ask(&r, 'r', id, NULL);
	assert_int_equal(said.rc, 0);
	dead = rig_kill(&r);
	rig_let_go(&r);
	rig_bury(&r, dead);
	rig_advance(&r, MINUTE);
	schedule_went(&r, id, "completed");
	assert_int_equal(schedule_fired(&r, id), 1);
	rig_release(&r);
}

static const struct refusal {
	const char *name, *body;
	int rc;
	const char *why;
} REFUSALS[] = {
	{ "H3 a zone that does not exist",
	  "{'name':'n','prompt':'p','rule':{'type':'cron','expression':'@daily',"
	  "'time_zone':'Mars/Base'}}",
	  ERR_INVALID, "rule.time_zone: 'Mars/Base' is not a known time zone" },
	{ "H3 at: it is over",
	  "{'name':'n','prompt':'p','rule':{'type':'at','at':'2001-01-01T00:00:00Z'}}", ERR_INVALID,
	  "rule.at: is in the past" },
	{ "H3 an agent that does not exist",
	  "{'name':'n','prompt':'p','agent_id':'x','rule':{'type':'every','every_ms':1000}}",
	  ERR_NOT_FOUND, "agent_id: there is none called x here" },
	{ "H3 an environment that does not exist",
	  "{'name':'n','prompt':'p','environment_id':'x','rule':{'type':'every','every_ms':1000}}",
	  ERR_NOT_FOUND, "environment_id: there is none called x here" },
	{ "H3 the field is named", "{'name':'n','prompt':'p','rule':{'type':'every'}}", ERR_INVALID,
	  "rule.every_ms: is required" },
};

static void
is_refused(void **state)
{
	const struct refusal *row = *state;
	struct schedule_said said;
	struct rig r;

	rig_init(&r, true);
	said = schedule_ask(&r, 'c', NULL, row->body);
	assert_int_equal(said.rc, row->rc);
	if (!strstr(said.text, row->why))
		fail_msg("%s", said.text);
	rig_release(&r);
}

static void
H3_only_operators_have_schedules(void **state)
{
	struct engine_rig r;
	const struct engine_caller *alice;
	struct rig_answer *a;

	(void)state;
	engine_rig_init(&r, false);
	alice = rig_person(&r, "alice");
	rig_expect(rig_make(&r, engine_schedule_create,
			    (struct rig_call){ .caller = alice, .body = EVERY }),
		   ERR_NOT_FOUND, NULL);
	a = rig_make(&r, engine_schedule_create, (struct rig_call){ .body = EVERY, .key = "k" });
	rig_expect(a, 0, NULL);
	rig_expect(rig_end(&r, engine_schedule_delete,
			   (struct rig_call){ .caller = alice, .id = a->id }),
		   ERR_NOT_FOUND, NULL);
	assert_true(
		rig_make(&r, engine_schedule_create, (struct rig_call){ .body = EVERY, .key = "k" })
			->replayed);
	assert_int_equal(engine_rig_count(&r, RECORD_SCHEDULE), 1);
	engine_rig_release(&r);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, H3_a_schedule_lives);
	SUITE_TEST(&s, H3_a_paused_one_rests_and_misses_nothing);
	SUITE_TEST(&s, H3_another_rule_counts_from_now_on);
	SUITE_TEST(&s, H3_run_now);
	SUITE_TEST(&s, H3_a_run_that_was_asked_for_survives);
	SUITE_ROWS(&s, REFUSALS, is_refused);
	SUITE_TEST(&s, H3_only_operators_have_schedules);
	return suite_run(&s, "schedule_change");
}

#include "core/schedule_state.h"

#include "harness.h"
#include "json_of.h"

static const struct schedule_state FULL = {
	.decided_ms = 1000,
	.next_ms = 2000,
	.failures = 3,
	.ended_ms = 900,
	.run = { .id = { "srun_1", 6 },
		 .slot_ms = 1000,
		 .manual = true,
		 .fired_ms = 1001,
		 .event_id = { "sevt_1", 6 },
		 .since_seq = 7,
		 .stopping = true },
};

static void
H3_what_was_written_is_read(void **state)
{
	struct schedule_state back;
	struct arena a;
	struct str text;

	(void)state;
	arena_init(&a);
	text = schedule_body_write(STR("{\"id\":\"sched_1\"}"), &FULL, &a);
	back = schedule_state_read(json_of(text.ptr, &a), &a);
	check_str("again", schedule_body_write(STR("{\"id\":\"sched_1\"}"), &back, &a), text);
	assert_int_equal(back.run.since_seq, 7);
	assert_true(back.run.stopping);
	check_str("definition", json_raw(schedule_body_definition(json_of(text.ptr, &a))),
		  STR("{\"id\":\"sched_1\"}"));
	arena_release(&a);
}

static void
H3_no_run_and_no_state(void **state)
{
	struct schedule_state none = { 0 }, back;
	struct arena a;

	(void)state;
	arena_init(&a);
	check_str("empty", schedule_body_write(STR("{}"), &none, &a),
		  STR("{\"schedule\":{},\"state\":{\"decided_ms\":0,\"next_ms\":0,"
		      "\"failures\":0,\"ended_ms\":0}}"));
	back = schedule_state_read(json_of("{\"schedule\":{},\"state\":{\"failures\":-1}}", &a),
				   &a);
	assert_int_equal(back.failures, 0);
	assert_int_equal(back.run.id.len, 0);
	assert_false(json_is_set(schedule_body_definition(json_of("[]", &a))));
	arena_release(&a);
}

static void
shows(const struct schedule_state *s, const char *want)
{
	struct buf out;
	struct arena a;
	struct jw w;

	arena_init(&a);
	buf_init(&out, 4096);
	jw_init(&w, &out);
	schedule_body_show(
		json_of(schedule_body_write(STR("{\"id\":\"x\",\"n\":[1]}"), s, &a).ptr, &a), &w);
	check_str("shown", buf_str(&out), str_of(want));
	buf_release(&out);
	arena_release(&a);
}

static void
H3_it_shows_when_it_runs_next(void **state)
{
	struct schedule_state waits = FULL, never = { 0 };

	(void)state;
	waits.run.id.len = 0;
	shows(&waits, "{\"id\":\"x\",\"n\":[1],\"next_run_at\":\"1970-01-01T00:00:02Z\","
		      "\"last_run_at\":\"1970-01-01T00:00:00.900Z\",\"consecutive_failures\":3,"
		      "\"open_run_id\":null}");
	shows(&never, "{\"id\":\"x\",\"n\":[1],\"next_run_at\":null,\"last_run_at\":null,"
		      "\"consecutive_failures\":0,\"open_run_id\":null}");
	shows(&FULL, "{\"id\":\"x\",\"n\":[1],\"next_run_at\":null,"
		     "\"last_run_at\":\"1970-01-01T00:00:00.900Z\",\"consecutive_failures\":3,"
		     "\"open_run_id\":\"srun_1\"}");
}

static void
H3_a_run_is_told(void **state)
{
	struct schedule_report r = {
		.run = &FULL.run,
		.schedule_id = STR("sched_1"),
		.session_id = STR("schedule:sched_1"),
		.outcome = SCHEDULE_RUN_RUNNING,
	};
	struct arena a;

	(void)state;
	arena_init(&a);
	check_str("open", schedule_report_write(&r, &a),
		  STR("{\"id\":\"srun_1\",\"type\":\"schedule_run\",\"schedule_id\":\"sched_1\","
		      "\"session_id\":\"schedule:sched_1\",\"slot\":\"1970-01-01T00:00:01Z\","
		      "\"manual\":true,\"status\":\"running\",\"stop_reason\":null,\"error\":null,"
		      "\"turn_id\":null,\"event_id\":\"sevt_1\","
		      "\"fired_at\":\"1970-01-01T00:00:01.001Z\",\"ended_at\":null,"
		      "\"delivery\":{\"type\":\"silent\",\"status\":\"none\",\"error\":null}}"));
	r.outcome = SCHEDULE_RUN_TIMED_OUT;
	r.stop_reason = STR("interrupted");
	r.error = STR("e");
	r.turn_id = STR("turn_1");
	r.ended_ms = 2000;
	r.delivery = SCHEDULE_DELIVER_HOME;
	r.letter = SCHEDULE_LETTER_DEAD;
	r.letter_error = STR("nobody there");
	check_str("over", schedule_report_write(&r, &a),
		  STR("{\"id\":\"srun_1\",\"type\":\"schedule_run\",\"schedule_id\":\"sched_1\","
		      "\"session_id\":\"schedule:sched_1\",\"slot\":\"1970-01-01T00:00:01Z\","
		      "\"manual\":true,\"status\":\"timed_out\",\"stop_reason\":\"interrupted\","
		      "\"error\":\"e\",\"turn_id\":\"turn_1\",\"event_id\":\"sevt_1\","
		      "\"fired_at\":\"1970-01-01T00:00:01.001Z\","
		      "\"ended_at\":\"1970-01-01T00:00:02Z\",\"delivery\":{\"type\":\"home\","
		      "\"status\":\"dead_letter\",\"error\":\"nobody there\"}}"));
	arena_release(&a);
}

static const struct end {
	const char *name;
	enum stop_kind stop;
	bool by_person, stopping;
	enum schedule_outcome want;
	unsigned failures; /* after two */
} ENDS[] = {
	{ "H3 an answer completes a run", STOP_END_TURN, 0, 0, SCHEDULE_RUN_COMPLETED, 0 },
	{ "H3 so does one that sleeps on it", STOP_RESCHEDULING, 0, 0, SCHEDULE_RUN_COMPLETED, 0 },
	{ "H3 it answered before it heard", STOP_END_TURN, 0, 1, SCHEDULE_RUN_COMPLETED, 0 },
	{ "H3 a model that fails", STOP_RETRIES_EXHAUSTED, 0, 0, SCHEDULE_RUN_FAILED, 3 },
	{ "H3 no money", STOP_BUDGET_REACHED, 0, 0, SCHEDULE_RUN_FAILED, 3 },
	{ "H3 a limit", STOP_LIMIT_TIME, 0, 0, SCHEDULE_RUN_FAILED, 3 },
	{ "H3 given up after restarts", STOP_INTERRUPTED, 0, 0, SCHEDULE_RUN_FAILED, 3 },
	{ "H3 its time was over", STOP_INTERRUPTED, 1, 1, SCHEDULE_RUN_TIMED_OUT, 3 },
	{ "H3 a person stopped it", STOP_INTERRUPTED, 1, 0, SCHEDULE_RUN_CANCELLED, 2 },
};

static void
end_holds(void **state)
{
	const struct end *row = *state;
	struct schedule_state s = FULL;
	enum schedule_outcome got;

	s.failures = 2;
	s.run.stopping = row->stopping;
	got = schedule_outcome_of(row->stop, row->by_person, &s.run);
	assert_int_equal(got, row->want);
	schedule_state_end(&s, got, 77);
	assert_int_equal(s.failures, row->failures);
	assert_int_equal(s.ended_ms, 77);
	assert_int_equal(s.run.id.len, 0);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, H3_what_was_written_is_read);
	SUITE_TEST(&s, H3_no_run_and_no_state);
	SUITE_TEST(&s, H3_it_shows_when_it_runs_next);
	SUITE_TEST(&s, H3_a_run_is_told);
	SUITE_ROWS(&s, ENDS, end_holds);
	return suite_run(&s, "schedule_state");
}

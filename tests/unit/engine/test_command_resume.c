#include "engine/command.h"

#include "engine_rig.h"

static struct rig_answer *
run(struct engine_rig *r, const char *line)
{
	return rig_command(r, line, (struct rig_call){ .id = STR("cli:a") });
}

static void
start(struct engine_rig *r, void **state)
{
	engine_rig_init(r, *state != NULL);
	rig_open(r, NULL, "cli:a");
	rig_open(r, NULL, "cli:b");
}

static void
R4_an_archived_session_goes_on(void **state)
{
	struct engine_rig r;
	struct rig_answer *a;

	start(&r, state);
	rig_expect(rig_end(&r, engine_session_archive, (struct rig_call){ .id = STR("cli:b") }), 0,
		   NULL);
	a = run(&r, "/resume cli:b");
	rig_expect(a, 0, NULL);
	check_str("data", a->data,
		  STR("{\"session_id\":\"cli:b\",\"previous_session_id\":\"cli:a\"}"));
	assert_int_equal(engine_rig_session(&r, "cli:b")->row.state.lifecycle, LIFECYCLE_ACTIVE);
	rig_expect(run(&r, "/resume cli:b"), 0, NULL); /* again: nothing is left to be done */
	engine_rig_release(&r);
}

static void
L3_a_session_is_resumed_by_its_title(void **state)
{
	struct engine_rig r;
	struct rig_answer *a;

	start(&r, state);
	rig_expect(rig_command(&r, "/title my trip", (struct rig_call){ .id = STR("cli:b") }), 0,
		   NULL);
	a = run(&r, "/resume \"my trip\"");
	rig_expect(a, 0, NULL);
	check_str("said", a->said, STR("goes on in cli:b"));
	rig_expect(run(&r, "/resume my"), ERR_NOT_FOUND, "no session is called my");
	rig_expect(run(&r, "/resume"), ERR_INVALID, "say which");
	engine_rig_release(&r);
}

static void
P7_nobody_resumes_another_ones_session(void **state)
{
	struct engine_rig r;
	const struct engine_caller *bob;

	start(&r, state);
	bob = rig_person(&r, "bob");
	rig_open(&r, bob, "cli:bob");
	rig_expect(rig_command(&r, "/title trip", (struct rig_call){ .id = STR("cli:b") }), 0,
		   NULL);
	for (int i = 0; i < 2; i++)
		rig_expect(rig_command(&r, i ? "/resume trip" : "/resume cli:b",
				       (struct rig_call){ .caller = bob, .id = STR("cli:bob") }),
			   ERR_NOT_FOUND, "no session is called");
	engine_rig_release(&r);
}

static void
K7_the_lane_goes_along(void **state)
{
	struct engine_rig r;
	struct rig_answer *a;
	struct str session;

	start(&r, state);
	a = rig_make(&r, engine_session_resolve,
		     (struct rig_call){ .body = "{'source':{'platform':'telegram','chat_type':'dm',"
						"'chat_id':'7','user_id':'7'}}" });
	rig_expect(a, 0, NULL);
	session = a->id;
	a = rig_command(&r, "/resume cli:b", (struct rig_call){ .id = session });
	rig_expect(a, 0, NULL);
	assert_int_equal(engine_rig_session(&r, session.ptr)->row.state.lifecycle,
			 LIFECYCLE_ARCHIVED);
	assert_true(
		str_contains(engine_rig_last(&r, RECORD_LANE), STR("\"session_id\":\"cli:b\"")));
	engine_rig_release(&r);
}

int
main(void)
{
	struct suite s = { 0 };
	static const int SQLITE = 1;

	SUITE_TEST(&s, R4_an_archived_session_goes_on);
	suite_add(&s, "R4 an archived session goes on in sqlite", R4_an_archived_session_goes_on,
		  &SQLITE);
	SUITE_TEST(&s, L3_a_session_is_resumed_by_its_title);
	SUITE_TEST(&s, P7_nobody_resumes_another_ones_session);
	SUITE_TEST(&s, K7_the_lane_goes_along);
	return suite_run(&s, "engine/command_resume");
}

#include "engine/command.h"

#include "engine_rig.h"

static struct rig_answer *
run(struct engine_rig *r, const char *line)
{
	return rig_command(r, line, (struct rig_call){ .id = STR("cli:a") });
}

static void
T3_the_session_has_a_model_of_its_own(void **state)
{
	struct engine_rig r;
	struct rig_answer *a;

	engine_rig_init(&r, *state != NULL);
	rig_open(&r, NULL, "cli:a");
	a = run(&r, "/model");
	rig_expect(a, 0, NULL);
	check_str("agent's", a->said, STR("demo"));
	rig_expect(run(&r, "/model nothing/here"), ERR_INVALID, "there is no model nothing/here");
	check_str("log", engine_rig_log(&r, "cli:a", 1), STR("created"));
	a = run(&r, "/model demo");
	rig_expect(a, 0, NULL);
	check_str("data", a->data, STR("{\"model\":\"demo\"}"));
	check_str("log", engine_rig_log(&r, "cli:a", 1), STR("created updated"));
	assert_true(str_contains(engine_rig_record(&r, RECORD_SESSION_EXTRA, STR("cli:a")),
				 STR("\"model\":{\"id\":\"demo\"")));
	assert_true(str_contains(engine_rig_record(&r, RECORD_SESSION_EXTRA, STR("cli:a")),
				 STR("\"model_before\":"))); /* what it goes back to */
	engine_rig_release(&r);
}

int
main(void)
{
	struct suite s = { 0 };
	static const int SQLITE = 1;

	SUITE_TEST(&s, T3_the_session_has_a_model_of_its_own);
	suite_add(&s, "T3 the session's model in sqlite", T3_the_session_has_a_model_of_its_own,
		  &SQLITE);
	return suite_run(&s, "engine/command_model");
}

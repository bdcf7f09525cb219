#include "engine/command.h"

#include "engine_rig.h"

static void
R4_new_makes_another_session_and_keeps_the_old_one(void **state)
{
	struct engine_rig r;
	struct rig_answer *a, *again;

	engine_rig_init(&r, *state != NULL);
	rig_open(&r, NULL, "cli:a");
	rig_expect(rig_say(&r, &(struct engine_message){ .text = STR("wait 60") },
			   (struct rig_call){ .id = STR("cli:a") }),
		   0, NULL);
	a = rig_command(&r, "/new", (struct rig_call){ .id = STR("cli:a"), .key = "k" });
	rig_expect(a, 0, NULL);
	assert_true(str_contains(a->data, STR("{\"session_id\":\"cli:")));
	assert_true(str_contains(a->data, STR("\"previous_session_id\":\"cli:a\"")));
	assert_int_equal(engine_rig_session(&r, "cli:a")->row.state.lifecycle, LIFECYCLE_INACTIVE);
	assert_int_equal(engine_rig_session(&r, "cli:a")->row.state.phase, TURN_NONE);
	again = rig_command(&r, "/new", (struct rig_call){ .id = STR("cli:a"), .key = "k" });
	rig_expect(again, 0, NULL);
	assert_true(again->replayed);
	check_str("the same", again->data, a->data);
	engine_rig_release(&r);
}

static void
R4_reset_is_the_same(void **state)
{
	struct engine_rig r;
	struct rig_answer *a;

	engine_rig_init(&r, *state != NULL);
	rig_open(&r, NULL, "cli:a");
	a = rig_command(&r, "/reset", (struct rig_call){ .id = STR("cli:a") });
	rig_expect(a, 0, NULL);
	check_str("command", a->command, STR("reset"));
	assert_int_equal(engine_rig_session(&r, "cli:a")->row.state.lifecycle, LIFECYCLE_INACTIVE);
	engine_rig_release(&r);
}

int
main(void)
{
	struct suite s = { 0 };
	static const int SQLITE = 1;

	SUITE_TEST(&s, R4_new_makes_another_session_and_keeps_the_old_one);
	suite_add(&s, "R4 new in sqlite", R4_new_makes_another_session_and_keeps_the_old_one,
		  &SQLITE);
	SUITE_TEST(&s, R4_reset_is_the_same);
	return suite_run(&s, "engine/command_reset");
}

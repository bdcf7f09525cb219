#include "engine/session_birth.h"

#include "engine/access.h"
#include "engine_rig.h"

static void
on_born(void *ctx, const struct commit_result *result)
{
	if (result->store->rc != 0)
		fail_msg("%s", result->store->err.text);
	*(bool *)ctx = true;
}

static void
M4_a_session_is_born_with_its_source_and_who_takes_part(void **state)
{
	struct engine_rig r;
	struct commit *c;
	size_t before;
	bool done = false;

	(void)state;
	engine_rig_init(&r, false);
	before = engine_rig_count(&r, RECORD_PARTICIPANT);
	c = commit_new(r.en, STR("cli:a"));
	commit_require(c)->absent = true;
	session_birth_append(
		c,
		&(struct make_created){ .agent_id = STR("main"),
					.agent_version = 1,
					.environment_id = STR("local-default"),
					.workspace_id = STR("main") },
		&(struct session_source){ .kind = STR("schedule"), .trigger_id = STR("sched_1") });
	session_birth_join(c, STR("cli:a"), STR("user_1"), ACCESS_PARTICIPANT);
	session_birth_join(c, STR("cli:a"), STR("user_2"), ACCESS_MEMBER);
	session_birth_join(c, STR("cli:a"), STR(""), ACCESS_PARTICIPANT);
	commit_submit(c, on_born, &done);
	engine_rig_await(&r, &done);
	assert_non_null(strstr(engine_rig_session(&r, "cli:a")->source.ptr, "sched_1"));
	assert_int_equal(engine_rig_count(&r, RECORD_PARTICIPANT), before + 2);
	check_str("who",
		  engine_rig_record(&r, RECORD_PARTICIPANT,
				    access_participant_id(&r.arena, STR("cli:a"), STR("user_1"))),
		  STR("{}"));
	check_str("member",
		  engine_rig_record(&r, RECORD_PARTICIPANT,
				    access_participant_id(&r.arena, STR("cli:a"), STR("user_2"))),
		  ACCESS_MEMBER);
	engine_rig_release(&r);
}

static void
M2_ids_are_dated_where_a_prefix_is_known(void **state)
{
	struct engine_rig r;

	(void)state;
	engine_rig_init(&r, false);
	assert_true(str_starts(session_birth_id(r.en, &r.arena, STR("")), STR("sesn_")));
	assert_true(str_starts(session_birth_id(r.en, &r.arena, STR("irc")),
			       STR("irc:19700112_134640_")));
	engine_rig_release(&r);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, M4_a_session_is_born_with_its_source_and_who_takes_part);
	SUITE_TEST(&s, M2_ids_are_dated_where_a_prefix_is_known);
	return suite_run(&s, "engine/session_birth");
}

#include "engine/session_change.h"

#include "engine_rig.h"

static struct rig_answer *
archive(struct engine_rig *r, const struct engine_caller *who, const char *key)
{
	return rig_end(r, engine_session_archive,
		       (struct rig_call){ .caller = who, .key = key, .id = STR("cli:a") });
}

static struct rig_answer *delete (struct engine_rig *r, const struct engine_caller *who,
				  const char *key)
{
	return rig_end(r, engine_session_delete,
		       (struct rig_call){ .caller = who, .key = key, .id = STR("cli:a") });
}

static void
start(struct engine_rig *r, void **state)
{
	engine_rig_init(r, *state != NULL);
	rig_open(r, NULL, "cli:a");
}

static void
A9_archiving_is_an_event(void **state)
{
	struct engine_rig r;

	start(&r, state);
	rig_expect(archive(&r, NULL, NULL), 0, NULL);
	check_str("log", engine_rig_log(&r, "cli:a", 1), STR("created updated"));
	assert_int_equal(engine_rig_session(&r, "cli:a")->row.state.lifecycle, LIFECYCLE_ARCHIVED);
	engine_rig_release(&r);
}

static void
A9_what_runs_is_neither_archived_nor_deleted(void **state)
{
	struct engine_rig r;

	start(&r, state);
	rig_expect(rig_say(&r, &(struct engine_message){ .text = STR("wait 60") },
			   (struct rig_call){ .id = STR("cli:a") }),
		   0, NULL);
	rig_expect(archive(&r, NULL, NULL), ERR_CONFLICT, NULL);
	rig_expect(delete (&r, NULL, NULL), ERR_CONFLICT, "the session is running");
	virtual_host_advance(&r.host, 60000);
	rig_expect(delete (&r, NULL, NULL), 0, NULL);
	engine_rig_release(&r);
}

static void
P6_a_deleted_session_is_not_there(void **state)
{
	struct engine_rig r;

	start(&r, state);
	rig_expect(delete (&r, NULL, NULL), 0, NULL);
	check_str("log", engine_rig_log(&r, "cli:a", 1), STR("created deleted"));
	rig_expect(delete (&r, NULL, NULL), ERR_NOT_FOUND, "there is no session cli:a");
	rig_expect(archive(&r, NULL, NULL), ERR_NOT_FOUND, "there is no session cli:a");
	rig_expect(rig_say(&r, &(struct engine_message){ .text = STR("x") },
			   (struct rig_call){ .id = STR("cli:a") }),
		   ERR_NOT_FOUND, NULL);
	engine_rig_release(&r);
}

static void
P2_strangers_are_told_that_there_is_nothing(void **state)
{
	struct engine_rig r;
	const struct engine_caller *bob;

	start(&r, state);
	bob = rig_person(&r, "bob");
	rig_expect(archive(&r, bob, NULL), ERR_NOT_FOUND, "there is no session cli:a");
	rig_expect(delete (&r, bob, NULL), ERR_NOT_FOUND, "there is no session cli:a");
	check_str("log", engine_rig_log(&r, "cli:a", 1), STR("created"));
	engine_rig_release(&r);
}

static void
A10_a_repeated_delete_is_told_of_the_first(void **state)
{
	struct engine_rig r;
	struct rig_answer *a;

	start(&r, state);
	rig_expect(delete (&r, NULL, "k"), 0, NULL);
	a = delete (&r, NULL, "k");
	rig_expect(a, 0, NULL);
	assert_true(a->replayed);
	engine_rig_restart(&r);
	a = delete (&r, NULL, "k");
	rig_expect(a, 0, NULL);
	assert_true(a->replayed);
	rig_expect(delete (&r, NULL, "l"), ERR_NOT_FOUND, NULL);
	engine_rig_release(&r);
}

/* The second archive wrote nothing: its repeat writes nothing either, whatever happened since. */
static void
A10_what_changed_nothing_is_remembered_too(void **state)
{
	struct engine_rig r;
	struct rig_answer *a;

	start(&r, state);
	rig_expect(archive(&r, NULL, NULL), 0, NULL);
	rig_expect(archive(&r, NULL, "k"), 0, NULL);
	engine_rig_append(&r, "cli:a", EVENT_SESSION_UPDATED,
			  "{'type':'session.updated','lifecycle':'active'}");
	a = archive(&r, NULL, "k");
	rig_expect(a, 0, NULL);
	assert_true(a->replayed);
	assert_int_equal(engine_rig_session(&r, "cli:a")->row.state.lifecycle, LIFECYCLE_ACTIVE);
	engine_rig_release(&r);
}

/* Both saw an active session; one of them was quicker. */
static void
A9_of_two_changes_at_once_the_second_sees_the_first(void **state)
{
	struct engine_rig r;
	struct rig_answer answers[2] = { { .rig = &r }, { .rig = &r } };

	start(&r, state);
	for (int i = 0; i < 2; i++) {
		struct engine_call call = { .caller = &r.owner,
					    .done = rig_answered,
					    .ctx = &answers[i] };

		engine_session_archive(r.en, &call, STR("cli:a"));
	}
	engine_rig_await(&r, &answers[0].done);
	engine_rig_await(&r, &answers[1].done);
	assert_int_equal(answers[0].rc, 0);
	check_str("log", engine_rig_log(&r, "cli:a", 1), STR("created updated"));
	engine_rig_release(&r);
}

int
main(void)
{
	struct suite s = { 0 };
	static const int SQLITE = 1;

	SUITE_TEST(&s, A9_archiving_is_an_event);
	SUITE_TEST(&s, A9_what_runs_is_neither_archived_nor_deleted);
	SUITE_TEST(&s, P6_a_deleted_session_is_not_there);
	SUITE_TEST(&s, P2_strangers_are_told_that_there_is_nothing);
	SUITE_TEST(&s, A10_a_repeated_delete_is_told_of_the_first);
	suite_add(&s, "A10 a repeated delete in sqlite", A10_a_repeated_delete_is_told_of_the_first,
		  &SQLITE);
	SUITE_TEST(&s, A10_what_changed_nothing_is_remembered_too);
	SUITE_TEST(&s, A9_of_two_changes_at_once_the_second_sees_the_first);
	return suite_run(&s, "engine/session_change");
}

#include "engine/command_title.h"

#include "engine_rig.h"

static struct rig_answer *
run(struct engine_rig *r, const char *session, const char *line)
{
	return rig_command(r, line, (struct rig_call){ .id = str_of(session) });
}

static void
C11_a_title_is_given_shown_and_kept(void **state)
{
	struct engine_rig r;
	struct rig_answer *a;

	engine_rig_init(&r, *state != NULL);
	rig_open(&r, NULL, "cli:a");
	a = run(&r, "cli:a", "/title");
	rig_expect(a, 0, NULL);
	check_str("none yet", a->said, STR("this session has no title yet"));
	a = run(&r, "cli:a", "/title \"my trip\"");
	rig_expect(a, 0, NULL);
	check_str("said", a->said, STR("now called my trip"));
	check_str("row", engine_rig_session(&r, "cli:a")->row.title, STR("my trip"));
	assert_int_equal(engine_rig_session(&r, "cli:a")->row.title_source, TITLE_USER);
	check_str("shown", run(&r, "cli:a", "/title")->said, STR("my trip"));
	engine_rig_release(&r);
}

static void
C11_a_title_is_unique_and_goes_on_as_number_2(void **state)
{
	struct engine_rig r;

	engine_rig_init(&r, *state != NULL);
	rig_open(&r, NULL, "cli:a");
	rig_open(&r, NULL, "cli:b");
	rig_open(&r, NULL, "cli:c");
	rig_expect(run(&r, "cli:a", "/title trip"), 0, NULL);
	rig_expect(run(&r, "cli:a", "/title trip"), 0, NULL); /* its own name is free for it */
	check_str("own", engine_rig_session(&r, "cli:a")->row.title, STR("trip"));
	rig_expect(run(&r, "cli:b", "/title trip"), 0, NULL);
	check_str("second", engine_rig_session(&r, "cli:b")->row.title, STR("trip #2"));
	rig_expect(run(&r, "cli:c", "/title trip #2"), 0, NULL);
	check_str("third", engine_rig_session(&r, "cli:c")->row.title, STR("trip #3"));
	engine_rig_release(&r);
}

static void
C11_a_title_has_at_most_100_characters(void **state)
{
	struct engine_rig r;
	char line[7 + 101 + 1] = "/title ";

	engine_rig_init(&r, *state != NULL);
	rig_open(&r, NULL, "cli:a");
	memset(line + 7, 'x', 101);
	rig_expect(run(&r, "cli:a", line), ERR_INVALID, "101 characters; at most 100");
	line[7 + 100] = '\0';
	rig_expect(run(&r, "cli:a", line), 0, NULL);
	engine_rig_release(&r);
}

/* The same name at the same time: one of them is told, nobody has it twice. */
static void
C11_two_at_once_do_not_get_the_same_title(void **state)
{
	struct engine_rig r;
	struct rig_answer answers[2] = { { .rig = &r }, { .rig = &r } };
	static const char *const SESSIONS[] = { "cli:a", "cli:b" };

	engine_rig_init(&r, *state != NULL);
	rig_open(&r, NULL, "cli:a");
	rig_open(&r, NULL, "cli:b");
	for (int i = 0; i < 2; i++) {
		struct engine_call call = { .caller = &r.owner,
					    .done = rig_answered,
					    .ctx = &answers[i] };

		engine_command(r.en, &call, str_of(SESSIONS[i]), STR("/title trip"));
	}
	engine_rig_await(&r, &answers[0].done);
	engine_rig_await(&r, &answers[1].done);
	assert_int_equal(answers[0].rc, 0);
	assert_int_equal(answers[1].rc, 0);
	check_str("a", engine_rig_session(&r, "cli:a")->row.title, STR("trip"));
	check_str("b", engine_rig_session(&r, "cli:b")->row.title, STR("trip #2"));
	engine_rig_release(&r);
}

/* Somebody else's names are nobody's business. */
static void
P2_titles_of_others_do_not_count(void **state)
{
	struct engine_rig r;
	const struct engine_caller *bob;

	engine_rig_init(&r, *state != NULL);
	bob = rig_person(&r, "bob");
	rig_open(&r, NULL, "cli:a");
	rig_open(&r, bob, "cli:b");
	rig_expect(run(&r, "cli:a", "/title trip"), 0, NULL);
	rig_expect(rig_command(&r, "/title trip",
			       (struct rig_call){ .caller = bob, .id = STR("cli:b") }),
		   0, NULL);
	check_str("bob's", engine_rig_session(&r, "cli:b")->row.title, STR("trip"));
	engine_rig_release(&r);
}

int
main(void)
{
	struct suite s = { 0 };
	static const int SQLITE = 1;

	SUITE_TEST(&s, C11_a_title_is_given_shown_and_kept);
	SUITE_TEST(&s, C11_a_title_is_unique_and_goes_on_as_number_2);
	suite_add(&s, "C11 titles in sqlite", C11_a_title_is_unique_and_goes_on_as_number_2,
		  &SQLITE);
	SUITE_TEST(&s, C11_a_title_has_at_most_100_characters);
	SUITE_TEST(&s, C11_two_at_once_do_not_get_the_same_title);
	SUITE_TEST(&s, P2_titles_of_others_do_not_count);
	return suite_run(&s, "engine/command_title");
}

#include "engine/command.h"

#include "engine_rig.h"

static void
start(struct engine_rig *r, void **state)
{
	engine_rig_init(r, *state != NULL);
	rig_open(r, NULL, "cli:a");
}

static struct rig_answer *
run(struct engine_rig *r, const char *line)
{
	return rig_command(r, line, (struct rig_call){ .id = STR("cli:a") });
}

static void
L3_what_is_no_command_is_refused_and_never_said(void **state)
{
	struct engine_rig r;

	start(&r, state);
	rig_expect(run(&r, "/stpo"), ERR_INVALID, "did you mean /stop?");
	rig_expect(run(&r, "/undo two"), ERR_INVALID, "whole number");
	rig_expect(run(&r, "hello"), ERR_INVALID, "begins with a slash");
	rig_expect(run(&r, "/status"), 0, NULL);
	check_str("log", engine_rig_log(&r, "cli:a", 1), STR("created"));
	engine_rig_release(&r);
}

static void
L3_a_session_that_one_may_not_see_is_not_there(void **state)
{
	static const char *const LINES[] = { "/status",  "/stop",  "/undo",  "/title x", "/queue x",
					     "/approve", "/retry", "/model", "/help" };
	struct engine_rig r;
	const struct engine_caller *bob;

	start(&r, state);
	bob = rig_person(&r, "bob");
	for (size_t i = 0; i < ARRAY_LEN(LINES); i++)
		rig_expect(rig_command(&r, LINES[i],
				       (struct rig_call){ .caller = bob, .id = STR("cli:a") }),
			   ERR_NOT_FOUND, "there is no session cli:a");
	check_str("log", engine_rig_log(&r, "cli:a", 1), STR("created"));
	rig_expect(rig_command(&r, "/status", (struct rig_call){ .id = STR("cli:none") }),
		   ERR_NOT_FOUND, NULL);
	engine_rig_release(&r);
}

static void
L3_every_row_of_the_table_is_carried_out(void **state)
{
	struct engine_rig r;

	start(&r, state);
	for (size_t i = 0; i < CHAT_COMMANDS; i++) {
		struct rig_answer *a;
		struct str line = arena_printf(&r.arena, "/%s%s", CHAT_TABLE[i].name,
					       CHAT_TABLE[i].takes == CHAT_TAKES_TEXT ? " say hi"
					       : i == CHAT_RESUME                     ? " cli:a"
										      : "");

		a = run(&r, line.ptr);
		if (a->rc != 0 && a->rc != ERR_CONFLICT)
			fail_msg(STR_FMT ": %s", STR_ARG(line), a->text);
		if (a->rc == 0) {
			struct json_doc doc;

			check_str("command", a->command, str_of(CHAT_TABLE[i].name));
			assert_true(a->said.len > 0);
			assert_int_equal(
				json_parse(&r.arena, a->data, &JSON_LIMITS_DEFAULT, &doc, NULL), 0);
		}
	}
	engine_rig_release(&r);
}

static void
A10_a_repeated_command_is_told_the_first_answer(void **state)
{
	struct engine_rig r;
	struct rig_answer *first, *again;
	struct str before;

	start(&r, state);
	rig_expect(rig_say(&r, &(struct engine_message){ .text = STR("say hi") },
			   (struct rig_call){ .id = STR("cli:a") }),
		   0, NULL);
	virtual_host_advance(&r.host, 1000);
	first = rig_command(&r, "/undo", (struct rig_call){ .id = STR("cli:a"), .key = "k" });
	rig_expect(first, 0, NULL);
	before = engine_rig_log(&r, "cli:a", 1);
	again = rig_command(&r, "/undo", (struct rig_call){ .id = STR("cli:a"), .key = "k" });
	rig_expect(again, 0, NULL);
	assert_true(again->replayed);
	check_str("text", again->said, first->said);
	check_str("data", again->data, first->data);
	check_str("log", engine_rig_log(&r, "cli:a", 1), before);
	rig_expect(rig_command(&r, "/undo 2", (struct rig_call){ .id = STR("cli:a"), .key = "k" }),
		   ERR_MISMATCH, NULL);
	engine_rig_release(&r);
}

static void
A10_a_repeated_message_is_named_again(void **state)
{
	struct engine_rig r;
	struct rig_answer *first, *again;
	struct rig_call once = { .id = STR("cli:a"), .key = "k" };

	start(&r, state);
	first = rig_command(&r, "/queue say hi", once);
	rig_expect(first, 0, NULL);
	assert_true(str_contains(first->data, STR("\"event_id\":\"sevt_")));
	virtual_host_advance(&r.host, 1000);
	again = rig_command(&r, "/queue say hi", once);
	rig_expect(again, 0, NULL);
	assert_true(again->replayed);
	check_str("data", again->data, first->data);
	engine_rig_release(&r);
}

static void
A10_an_answer_that_is_too_long_is_told_in_short(void **state)
{
	struct engine_rig r;
	struct rig_answer *again;
	char text[3000];

	start(&r, state);
	memset(text, 'x', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	rig_expect(rig_say(&r, &(struct engine_message){ .text = str_of(text) },
			   (struct rig_call){ .id = STR("cli:a") }),
		   0, NULL);
	virtual_host_advance(&r.host, 1000);
	rig_expect(rig_command(&r, "/undo", (struct rig_call){ .id = STR("cli:a"), .key = "k" }), 0,
		   NULL);
	again = rig_command(&r, "/undo", (struct rig_call){ .id = STR("cli:a"), .key = "k" });
	rig_expect(again, 0, NULL);
	assert_true(again->replayed);
	check_str("data", again->data, STR("{}"));
	engine_rig_release(&r);
}

int
main(void)
{
	struct suite s = { 0 };
	static const int SQLITE = 1;

	SUITE_TEST(&s, L3_what_is_no_command_is_refused_and_never_said);
	SUITE_TEST(&s, L3_a_session_that_one_may_not_see_is_not_there);
	SUITE_TEST(&s, L3_every_row_of_the_table_is_carried_out);
	SUITE_TEST(&s, A10_a_repeated_command_is_told_the_first_answer);
	suite_add(&s, "A10 a repeated command in sqlite",
		  A10_a_repeated_command_is_told_the_first_answer, &SQLITE);
	SUITE_TEST(&s, A10_a_repeated_message_is_named_again);
	SUITE_TEST(&s, A10_an_answer_that_is_too_long_is_told_in_short);
	return suite_run(&s, "engine/command");
}

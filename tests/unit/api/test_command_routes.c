/* What a command is told and tells: a text for people, JSON for programs. */
#include "fake_engine.h"

static struct api_rig RIG;

#define COMMANDS "/v1/sessions/s/commands"
#define QUEUE    "/v1/sessions/s/queue/m1"

static const struct row {
	const char *name, *method, *target, *body;
	const char *command, *id, *note;
	int status;
	const char *part;
} ROWS[] = {
	/* clang-format off */
	{ "L3 a command reaches the engine", "POST", COMMANDS, "{\"text\":\"/undo 2\"}", "command", "s", "/undo 2", 200,
	  "{\"type\":\"command_result\",\"command\":\"undo\",\"text\":\"took 2 turns back\",\"data\":{\"turns_undone\":2}}" },
	{ "L3 a command without text", "POST", COMMANDS, "{}", NULL, NULL, NULL, 400, "text" },
	{ "L3 a command that is no text", "POST", COMMANDS, "{\"text\":7}", NULL, NULL, NULL, 400, "text" },
	{ "L3 a command with more", "POST", COMMANDS, "{\"text\":\"/help\",\"to\":1}", NULL, NULL, NULL, 400, "to: unknown field" },
	{ "Q9 an edit", "POST", QUEUE, "{\"text\":\"other\"}", "queue_edit", "m1", "other", 200, "\"message_id\":\"m1\"" },
	{ "Q9 an edit without text", "POST", QUEUE, "{}", NULL, NULL, NULL, 400, "text" },
	{ "Q9 a cancel", "DELETE", QUEUE, NULL, "queue_cancel", "m1", "", 200, "{\"type\":\"queued_message_deleted\",\"id\":\"m1\"}" },
	/* clang-format on */
};

static void
check_row(void **state)
{
	const struct row *row = *state;
	struct rig_reply reply;

	fake_engine_reset();
	FAKE.answer = (struct engine_answer){ .command = STR("undo"),
					      .text = STR("took 2 turns back"),
					      .data = STR("{\"turns_undone\":2}") };
	reply = api_rig_ask(
		&RIG, &(struct rig_ask){ row->method, row->target, "owner", NULL, row->body });
	rig_expect(row->name, &reply, row->status, row->part);
	assert_int_equal(FAKE.commands, row->command ? 1 : 0);
	if (!row->command)
		return;
	assert_string_equal(FAKE.command, row->command);
	assert_string_equal(FAKE.id, row->id);
	assert_string_equal(FAKE.note, row->note);
}

static void
L3_a_refusal_is_the_one_error_body(void **state)
{
	struct rig_reply reply;

	(void)state;
	fake_engine_reset();
	FAKE.answer.rc = err_set(&FAKE.err, ERR_INVALID, "there is no command /x");
	reply = api_rig_ask(
		&RIG, &(struct rig_ask){ "POST", COMMANDS, "owner", NULL, "{\"text\":\"/x\"}" });
	rig_expect("refused", &reply, 400, "there is no command /x");
}

int
main(void)
{
	struct suite s = { 0 };
	int failed;

	api_rig_init(&RIG);
	api_rig_start(&RIG);
	SUITE_ROWS(&s, ROWS, check_row);
	SUITE_TEST(&s, L3_a_refusal_is_the_one_error_body);
	failed = suite_run(&s, "api/command_routes");
	api_rig_stop(&RIG);
	return failed;
}

#include "cli/waiting_call.h"

#include "cli/term_text.h"
#include "cli_rig.h"

#define CALL(kind, more) \
	"{\"type\":\"agent." kind "\",\"id\":\"c\",\"name\":\"bash\",\"input\":{}" more "}"
#define MAY(word) ",\"evaluated_permission\":\"" word "\""
#define REMOTE    ",\"executor\":\"client\""

static const struct row {
	const char *name, *event;
	enum waiting_for want, allowed; /* as it was made, and once somebody said yes */
} rows[] = {
	{ "T8 a call that asks", CALL("tool_use", MAY("ask")), WAITING_FOR_PERSON,
	  WAITING_FOR_PERSON },
	{ "T8 a call of a server that asks", CALL("mcp_tool_use", MAY("ask")), WAITING_FOR_PERSON,
	  WAITING_FOR_PERSON },
	{ "T8 a custom call", CALL("custom_tool_use", ""), WAITING_FOR_PROGRAM,
	  WAITING_FOR_PROGRAM },
	{ "T8 a custom call that asks", CALL("custom_tool_use", MAY("ask")), WAITING_FOR_PERSON,
	  WAITING_FOR_PROGRAM },
	{ "T11 a worker's call", CALL("tool_use", MAY("allow") REMOTE), WAITING_FOR_WORKER,
	  WAITING_FOR_WORKER },
	{ "T11 a worker's call that nobody judged", CALL("tool_use", REMOTE), WAITING_FOR_WORKER,
	  WAITING_FOR_WORKER },
	{ "T11 a worker's call that asks", CALL("tool_use", MAY("ask") REMOTE), WAITING_FOR_PERSON,
	  WAITING_FOR_WORKER },
};

static void
test_row(void **state)
{
	const struct row *row = *state;
	struct waiting_call call;
	struct json_doc doc;
	struct arena a;

	term_text_init();
	arena_init(&a);
	assert_int_equal(json_parse(&a, str_of(row->event), &JSON_LIMITS_DEFAULT, &doc, NULL), 0);
	call = waiting_call_read(json_root(&doc), false, &a);
	check_str(row->name, call.id, STR("c"));
	check_str(row->name, call.line, STR("bash"));
	assert_int_equal(call.waits_for, row->want);
	assert_int_equal(waiting_call_read(json_root(&doc), true, &a).waits_for, row->allowed);
	arena_release(&a);
}

#define PAGE                                                                            \
	"{\"data\":[{\"type\":\"user.tool_confirmation\",\"id\":\"e\",\"tool_use_id\":" \
	"\"c\",\"result\":\"allow\"},{\"type\":\"agent.tool_use\",\"id\":\"d\"}," CALL( \
		"tool_use", MAY("ask") REMOTE) "]}"

static void
test_T11_a_call_that_was_allowed_waits_for_its_worker(void **state)
{
	static const struct rig_step STEPS[] = {
		{ "GET /v1/sessions/s/events", .body = PAGE },
		{ "GET /v1/sessions/s/events", .body = PAGE },
	};
	struct cli_rig *rig = cli_rig_start(STEPS, 2);
	struct cli_call call = { .client = client_new(cli_rig_place(rig), false) };
	struct waiting_call calls[WAITING_CALLS_MAX];
	struct json_doc session;
	size_t count;
	struct err e;

	(void)state;
	term_text_init();
	arena_init(&call.a);
	assert_int_equal(json_parse(&call.a,
				    STR("{\"id\":\"s\",\"stop_reason\":{\"event_ids\":"
					"[\"c\",\"d\"]}}"),
				    &JSON_LIMITS_DEFAULT, &session, NULL),
			 0);
	assert_int_equal(waiting_call_list(&call, json_root(&session), calls, &count, &e), 0);
	assert_int_equal(count, 2);
	check_str("the newest first", calls[0].id, STR("d"));
	assert_int_equal(calls[0].waits_for, WAITING_FOR_PERSON);
	assert_int_equal(calls[1].waits_for, WAITING_FOR_WORKER);
	assert_int_equal(waiting_call_find(&call, STR("s"), STR("c"), &calls[0], &e), 0);
	assert_int_equal(calls[0].waits_for, WAITING_FOR_WORKER);
	client_free(&call.client);
	arena_release(&call.a);
	cli_rig_stop(&rig);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, rows, test_row);
	SUITE_TEST(&s, test_T11_a_call_that_was_allowed_waits_for_its_worker);
	return suite_run(&s, "waiting_call");
}

#include "cli/event_line.h"

#include "cli/term_text.h"
#include "harness.h"

static const struct row {
	const char *name, *event, *want;
} rows[] = {
	{ "a message",
	  "{\"type\":\"user.message\",\"content\":[{\"type\":\"text\",\"text\":\"a\\nb\"},"
	  "{\"type\":\"image\"},{\"type\":\"text\",\"text\":\"c\"}]}",
	  "a b c" },
	{ "a message as plain text", "{\"type\":\"agent.message\",\"content\":\"hi\\u001b[1m\"}",
	  "hi[1m" },
	{ "a call by its command",
	  "{\"type\":\"agent.tool_use\",\"name\":\"bash\",\"input\":{\"x\":1,\"command\":\"ls "
	  "-l\"}}",
	  "bash: ls -l" },
	{ "a call by all of its input",
	  "{\"type\":\"agent.custom_tool_use\",\"name\":\"add\",\"input\":{\"a\":1}}",
	  "add: {\"a\":1}" },
	{ "a call without input", "{\"type\":\"agent.mcp_tool_use\",\"name\":\"now\",\"input\":{}}",
	  "now" },
	{ "a result",
	  "{\"type\":\"agent.tool_result\",\"content\":[{\"type\":\"text\",\"text\":\"ok\"}]}",
	  "ok" },
	{ "a failure",
	  "{\"type\":\"agent.tool_result\",\"is_error\":true,\"content\":[{\"text\":\"no\"}]}",
	  "error: no" },
	{ "the end of a turn",
	  "{\"type\":\"session.status_idle\",\"stop_reason\":{\"type\":\"end_turn\"}}",
	  "end_turn" },
	{ "an error", "{\"type\":\"session.error\",\"error\":{\"message\":\"m\"}}", "m" },
	{ "a decision", "{\"type\":\"user.tool_confirmation\",\"result\":\"deny\"}", "deny" },
	{ "a title", "{\"type\":\"session.updated\",\"title\":\"T\"}", "T" },
	{ "a delay", "{\"type\":\"session.status_rescheduled\",\"reason\":\"r\"}", "r" },
	{ "nothing to say", "{\"type\":\"session.created\"}", "" },
	{ "something unknown", "{\"type\":\"new.kind\",\"x\":{}}", "" },
};

static void
test_row(void **state)
{
	const struct row *row = *state;
	struct arena a;
	struct json_doc doc;
	struct buf out;

	term_text_init();
	arena_init(&a);
	buf_init(&out, 10000);
	assert_int_equal(json_parse(&a, str_of(row->event), &JSON_LIMITS_DEFAULT, &doc, NULL), 0);
	event_line_text(json_root(&doc), &a, &out);
	check_str(row->name, buf_str(&out), str_of(row->want));
	buf_release(&out);
	arena_release(&a);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, rows, test_row);
	return suite_run(&s, "event_line");
}

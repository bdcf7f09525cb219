#include "core/tool_ref.h"

#include "harness.h"

static const struct row {
	const char *name;
	struct tool_ref a, b;
	bool same;
} ROWS[] = {
#define OURS(name)                                 \
	{                                          \
		{ name, sizeof(name) - 1 }, { 0 }, \
		{                                  \
			0                          \
		}                                  \
	}
#define THEIRS(name, server, own)                                           \
	{                                                                   \
		{ name, sizeof(name) - 1 }, { server, sizeof(server) - 1 }, \
		{                                                           \
			own, sizeof(own) - 1                                \
		}                                                           \
	}
	{ "T8 one of ours is told by its name", OURS("read"), OURS("read"), true },
	{ "T8 two of ours", OURS("read"), OURS("write"), false },
	{ "T8 what the model calls a server's tool does not matter", THEIRS("g__s", "g", "s"),
	  THEIRS("s", "g", "s"), true },
	{ "T8 the same name of another server", THEIRS("s", "g", "s"), THEIRS("s", "h", "s"),
	  false },
	{ "T8 another tool of the server", THEIRS("s", "g", "s"), THEIRS("s", "g", "t"), false },
	{ "T8 ours is not a server's", OURS("s"), THEIRS("s", "g", "s"), false },
};

static void
row_holds(void **state)
{
	const struct row *row = *state;

	assert_int_equal(tool_ref_same(row->a, row->b), row->same);
	assert_int_equal(tool_ref_same(row->b, row->a), row->same);
}

/* name/server/own_name */
static const struct event_row {
	const char *name, *payload, *want;
} EVENTS[] = {
	{ "T8 a call of ours", "{\"name\":\"read\"}", "read//" },
	{ "T8 a call of ours has no other name", "{\"name\":\"r\",\"mcp_tool_name\":\"s\"}",
	  "r//" },
	{ "T8 a call of a server's tool",
	  "{\"name\":\"g__s\",\"mcp_server_name\":\"g\",\"mcp_tool_name\":\"s\"}", "g__s/g/s" },
	{ "T8 a call that was written with one name", "{\"name\":\"s\",\"mcp_server_name\":\"g\"}",
	  "s/g/s" },
};

static void
event_tells_the_tool(void **state)
{
	const struct event_row *row = *state;
	struct json_doc doc;
	struct tool_ref ref;
	struct arena a;
	char got[64];

	arena_init(&a);
	assert_int_equal(json_parse(&a, str_of(row->payload), &JSON_LIMITS_DEFAULT, &doc, NULL), 0);
	ref = tool_ref_of_call(json_root(&doc), &a);
	snprintf(got, sizeof got, STR_FMT "/" STR_FMT "/" STR_FMT, STR_ARG(ref.name),
		 STR_ARG(ref.server), STR_ARG(ref.own_name));
	check_str("tool", str_of(got), str_of(row->want));
	arena_release(&a);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, row_holds);
	SUITE_ROWS(&s, EVENTS, event_tells_the_tool);
	return suite_run(&s, "core/tool_ref");
}

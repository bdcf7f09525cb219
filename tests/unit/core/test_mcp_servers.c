#include "core/mcp_servers.h"

#include "core/environment_def.h"
#include "definition_rows.h"

static int
make(struct json current, int64_t now_ms, struct json body, struct arena *a,
     struct definition_text *out, struct err *e)
{
	struct definition_facts f = { .id = STR("env_1"), .now_ms = now_ms, .current = current };

	return environment_def_make(&f, body, a, out, e);
}

#define SERVERS(list) \
	"{'name':'e','config':{'type':'local','working_directory':'/w','mcp_servers':[" list "]}}"

static const struct definition_row ROWS[] = {
	/* clang-format off */
	{ "M2 a server by its address", SERVERS("{'type':'url','name':'s','url':'https://h/x?y'}"), NULL, "'mcp_servers':[{'type':'url','name':'s','url':'https://h/x?y'}]" },
	{ "M2 plain http", SERVERS("{'type':'url','name':'s','url':'http://127.0.0.1:1/'}"), NULL, "'url':'http://127.0.0.1:1/'" },
	{ "M2 another scheme", SERVERS("{'type':'url','name':'s','url':'file:///etc'}"), NULL, "error: config.mcp_servers[0].url: must be an http or https address" },
	{ "M2 an address without host", SERVERS("{'type':'url','name':'s','url':'http:///x'}"), NULL, "error: config.mcp_servers[0].url: must be an http" },
	{ "M2 an address without host but with a port", SERVERS("{'type':'url','name':'s','url':'http://:1'}"), NULL, "error: config.mcp_servers[0].url: must be an http" },
	{ "M2 an address that ends early", SERVERS("{'type':'url','name':'s','url':'https://'}"), NULL, "error: config.mcp_servers[0].url: must be an http" },
	{ "M2 an address with a blank", SERVERS("{'type':'url','name':'s','url':'http://h/a b'}"), NULL, "error: config.mcp_servers[0].url: must be an http" },
	{ "M2 an address beyond ASCII", SERVERS("{'type':'url','name':'s','url':'http://h\\u00e4'}"), NULL, "error: config.mcp_servers[0].url: must be an http" },
	{ "M2 a server needs its address", SERVERS("{'type':'url','name':'s'}"), NULL, "error: config.mcp_servers[0]: a server of type url needs its url" },
	{ "M2 a server by its address has no command", SERVERS("{'type':'url','name':'s','url':'http://h','command':'x'}"), NULL, "error: config.mcp_servers[0]: a server of type url has no command" },
	{ "M2 nor arguments", SERVERS("{'type':'url','name':'s','url':'http://h','args':[]}"), NULL, "error: config.mcp_servers[0]: a server of type url has no command and no args" },
	{ "M2 a server as a program", SERVERS("{'type':'stdio','name':'s','command':'npx','args':['-y','']}"), NULL, "{'type':'stdio','name':'s','command':'npx','args':['-y','']}" },
	{ "M2 a program without arguments", SERVERS("{'type':'stdio','name':'s','command':'x','args':null}"), NULL, "'command':'x','args':[]}" },
	{ "M2 a program needs its command", SERVERS("{'type':'stdio','name':'s'}"), NULL, "error: config.mcp_servers[0]: a server of type stdio needs its command" },
	{ "M2 a program has no address", SERVERS("{'type':'stdio','name':'s','command':'x','url':'http://h'}"), NULL, "error: config.mcp_servers[0]: a server of type stdio has no url" },
	{ "M2 an argument is a text", SERVERS("{'type':'stdio','name':'s','command':'x','args':[1]}"), NULL, "error: config.mcp_servers[0].args[0]: must be a string" },
	{ "M2 a command is not empty", SERVERS("{'type':'stdio','name':'s','command':''}"), NULL, "error: config.mcp_servers[0].command: must have 1 to" },
	{ "M2 a server has a name", SERVERS("{'type':'url','url':'http://h'}"), NULL, "error: config.mcp_servers[0].name: is required" },
	{ "M2 a server has a type", SERVERS("{'name':'s','url':'http://h'}"), NULL, "error: config.mcp_servers[0].type: is required" },
	{ "M2 another type of server", SERVERS("{'type':'ws','name':'s','url':'http://h'}"), NULL, "error: config.mcp_servers[0].type: must be one of url, stdio" },
	{ "M2 names are unique", SERVERS("{'type':'url','name':'s','url':'http://h'},{'type':'url','name':'t','url':'http://h'},{'type':'url','name':'s','url':'http://i'}"), NULL, "error: config.mcp_servers[2]: names 's' a second time" },
	{ "M2 a server is an object", SERVERS("'s'"), NULL, "error: config.mcp_servers[0]: must be an object" },
	/* clang-format on */
};

static void
row_holds(void **state)
{
	definition_row_holds(*state, make);
}

static const struct list_end ENDS[] = {
	/* clang-format off */
	{ "M2 at most 20 servers", "{'name':'e','config':{'type':'local','working_directory':'/w','mcp_servers':[", "{'type':'url','name':'s#','url':'http://h'}", "]}}", 20, "config.mcp_servers: must have at most 20 servers, not 21" },
	{ "M2 at most 128 arguments", "{'name':'e','config':{'type':'local','working_directory':'/w','mcp_servers':[{'type':'stdio','name':'s','command':'x','args':[", "'#'", "]}]}}", 128, "config.mcp_servers[0].args: must have at most 128 arguments, not 129" },
	/* clang-format on */
};

static void
end_holds(void **state)
{
	list_end_holds(*state, make);
}

/* As an agent's. */
static int
write_one(const char *entry, struct err *e)
{
	struct definition d = { 0 };
	struct arena a;
	struct buf out;
	int rc;

	arena_init(&a);
	buf_init(&out, 10000);
	d.a = &a;
	jw_init(&d.w, &out);
	rc = mcp_servers_write(&d, json_of(quoted(&a, arena_printf(&a, "[%s]", entry).ptr), &a),
			       false, e);
	buf_release(&out);
	arena_release(&a);
	return rc;
}

static void
M1_an_agent_starts_no_server(void **state)
{
	struct err e = { 0 };

	(void)state;
	assert_int_equal(write_one("{'type':'url','name':'s','url':'http://h'}", &e), 0);
	assert_int_equal(write_one("{'type':'stdio','name':'s','url':'http://h'}", &e),
			 ERR_INVALID);
	assert_non_null(strstr(e.text, "[0].type: must be one of url"));
	assert_int_equal(write_one("{'type':'url','name':'s','command':'x'}", &e), ERR_INVALID);
	assert_non_null(strstr(e.text, "[0].command: unknown field"));
}

static void
T10_servers_are_read_as_they_were_written(void **state)
{
	struct tool_server out[MCP_SERVERS_MAX];
	struct arena a;

	(void)state;
	arena_init(&a);
	assert_int_equal(
		mcp_servers_read(
			json_of(quoted(&a, "[{'type':'url','name':'web','url':'https://h'},"
					   "{'type':'stdio','name':'fs','command':'npx',"
					   "'args':['-y','x']},{'type':'url'}]"),
				&a),
			&a, out),
		2);
	check_str("name", out[0].name, STR("web"));
	check_str("url", out[0].url, STR("https://h"));
	assert_int_equal(out[0].command.len + out[0].argument_count, 0);
	check_str("command", out[1].command, STR("npx"));
	assert_int_equal(out[1].argument_count, 2);
	check_str("argument", out[1].arguments[1], STR("x"));
	assert_int_equal(mcp_servers_read((struct json){ 0 }, &a, out), 0);
	arena_release(&a);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, row_holds);
	SUITE_ROWS(&s, ENDS, end_holds);
	SUITE_TEST(&s, M1_an_agent_starts_no_server);
	SUITE_TEST(&s, T10_servers_are_read_as_they_were_written);
	return suite_run(&s, "mcp_servers");
}

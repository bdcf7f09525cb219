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

static int
write_many(const char *entry, size_t count, bool with_stdio, struct err *e)
{
	struct definition d = { 0 };
	struct arena a;
	struct buf text, out;
	int rc;

	arena_init(&a);
	buf_init(&text, 1 << 20);
	buf_init(&out, 1 << 20);
	buf_putc(&text, '[');
	for (size_t i = 0; i < count; i++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		buf_puts(&text, i > 0 ? "," : "");
		buf_printf(&text, entry, i);
#pragma GCC diagnostic pop
	}
	buf_puts(&text, "]");
	buf_putc(&text, '\0');
	d.a = &a;
	jw_init(&d.w, &out);
	rc = mcp_servers_write(&d, json_of(quoted(&a, text.ptr), &a), with_stdio, e);
	buf_release(&text);
	buf_release(&out);
	arena_release(&a);
	return rc;
}

static void
M1_an_agent_has_at_most_20_servers_and_starts_none(void **state)
{
	struct err e = { 0 };

	(void)state;
	assert_int_equal(write_many("{'type':'url','name':'%zu','url':'http://h'}", 20, false, &e),
			 0);
	assert_int_equal(write_many("{'type':'url','name':'%zu','url':'http://h'}", 21, false, &e),
			 ERR_INVALID);
	assert_string_equal(e.text, "must have at most 20 servers, not 21");
	assert_int_equal(write_many("{'type':'stdio','name':'%zu','url':'http://h'}", 1, false, &e),
			 ERR_INVALID);
	assert_non_null(strstr(e.text, "[0].type: must be one of url"));
	assert_int_equal(write_many("{'type':'url','name':'%zu','command':'x'}", 1, false, &e),
			 ERR_INVALID);
	assert_non_null(strstr(e.text, "[0].command: unknown field"));
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, row_holds);
	SUITE_TEST(&s, M1_an_agent_has_at_most_20_servers_and_starts_none);
	return suite_run(&s, "mcp_servers");
}

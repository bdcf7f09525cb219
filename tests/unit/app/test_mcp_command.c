#include "app/mcp_command.h"

#include "captured_run.h"

static const struct command ROWS_OF_PROGRAM[] = {
	{ .name = "mcp probe", .summary = "probe", .main = mcp_command_probe },
};

#define PEER "python3|" MCP_PEER "|stdio"

static const struct row {
	const char *name, *words;
	int code;
	const char *out, *err; /* how they begin */
} ROWS[] = {
	{ "T10 a command is probed", "mcp|probe|--|" PEER, 0,
	  "protocol\t2025-11-25\nserver\tpeer 9\ntools\t11\ntool\techo\tdoes echo\n", "" },
	{ "T10 a stateless one", "mcp|probe|--timeout|20|--|" PEER "|stateless", 0,
	  "protocol\t2026-07-28\nserver\tpeer 9\n", "" },
	{ "T10 for programs", "mcp|probe|--json|--|" PEER, 0,
	  "{\"protocol\":\"2025-11-25\",\"server\":{\"name\":\"peer\",\"version\":\"9\"},\"tools\":"
	  "["
	  "{\"name\":\"echo\",\"description\":\"does "
	  "echo\",\"read_only\":true,\"idempotent\":false,"
	  "\"input_schema\":{\"type\": \"object\"}},",
	  "" },
	{ "T10 only one protocol", "mcp|probe|--protocol|2026-07-28|--|" PEER, 2, "",
	  "perdure mcp probe: MCP server python3: it does not speak the protocol of 2026-07-28\n" },
	{ "T10 only the other one", "mcp|probe|--protocol|2025-11-25|--|" PEER, 0,
	  "protocol\t2025-11-25\n", "" },
	{ "T10 it dies", "mcp|probe|--|" PEER "|die-at-start", 1, "",
	  "perdure mcp probe: MCP server python3: its process ended with code 1: it has no "
	  "time\n" },
	{ "T10 it says nothing", "mcp|probe|--timeout|1|--|" PEER "|silent", 1, "",
	  "perdure mcp probe: MCP server python3: it did not get ready within 1000 ms\n" },
	{ "T10 nobody is there", "mcp|probe|http://127.0.0.1:1/mcp", 1, "",
	  "perdure mcp probe: MCP server http://127.0.0.1:1/mcp: " },
	{ "T10 help", "mcp|probe|--help", 0, "usage: perdure mcp probe", "" },
	{ "L1 which server?", "mcp|probe", 2, "", "perdure mcp probe: which server?" },
	{ "L1 which command?", "mcp|probe|--", 2, "", "perdure mcp probe: behind --" },
	{ "L1 no address", "mcp|probe|npx", 2, "", "perdure mcp probe: 'npx' is no http" },
	{ "L1 two addresses", "mcp|probe|http://a|http://b", 2, "",
	  "perdure mcp probe: one server" },
	{ "L1 an address and a command", "mcp|probe|http://a|--|b", 2, "",
	  "perdure mcp probe: a URL or a command" },
	{ "L1 an option that is not known", "mcp|probe|--colour|red|http://a", 2, "",
	  "perdure mcp probe: '--colour' is not understood" },
	{ "L1 an option without its value", "mcp|probe|--timeout", 2, "",
	  "perdure mcp probe: '--timeout' is not understood" },
	{ "L1 no number", "mcp|probe|--timeout|x|http://a", 2, "",
	  "perdure mcp probe: --timeout is 1 to 600 seconds" },
	{ "L1 no version", "mcp|probe|--protocol|1|http://a", 2, "",
	  "perdure mcp probe: --protocol is 2025-11-25 or" },
};

static void
row_holds(void **state)
{
	static struct captured got;
	const struct row *row = *state;

	captured_run(ROWS_OF_PROGRAM, ARRAY_LEN(ROWS_OF_PROGRAM), row->words, &got);
	if (!str_starts(str_of(got.out), str_of(row->out)))
		check_str("printed", str_of(got.out), str_of(row->out));
	if (row->out[0] == '\0')
		check_str("printed", str_of(got.out), STR(""));
	if (!str_starts(str_of(got.err), str_of(row->err)))
		check_str("said", str_of(got.err), str_of(row->err));
	assert_int_equal(got.code, row->code);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, row_holds);
	return suite_run(&s, "app/mcp_command");
}

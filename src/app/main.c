/* main - one binary, one entry: the command table decides. */
#include <string.h>

#include "app/check.h"
#include "app/config_command.h"
#include "app/doctor.h"
#include "app/mcp_command.h"
#include "app/mcp_list.h"
#include "app/serve.h"
#include "cli/cli.h"
#include "tool/local/tool_helper.h"

/* What runs the server or looks at the machine; everything else is the cli's. Each reads its own
 * arguments: the options stand here for the completion and the manual. */
static const struct command OWN[] = {
	/* clang-format off: one command a paragraph */
	{ .name = "serve", .summary = "run the server", .main = serve_run,
	  .options = {
		{ "--config", "FILE", "the configuration file" },
		{ "--data", "DIR", "the data directory instead of the configured one" },
		{ "--listen", "ADDR:PORT", "where to listen instead; also [::1]:7340 and unix:/path" },
	  },
	  .examples = "perdure serve --data ./data --listen 127.0.0.1:7340" },
	{ .name = "config", .args = "check|show|keys [FILE]",
	  .summary = "check the configuration file, or show what is in force",
	  .main = config_command_run,
	  .options = {
		{ "--config", "FILE", "the configuration file" },
		{ "--json", NULL, "print JSON for programs" },
		{ "--defaults", NULL, "as if there were no file" },
	  } },
	{ .name = "check", .summary = "verify a data directory that no server holds",
	  .main = check_run,
	  .options = {
		{ "--data", "DIR", "the data directory (./data)" },
		{ "--json", NULL, "print JSON for programs" },
	  } },
	{ .name = "doctor",
	  .summary = "is this machine fit to run the server, and what is to be done?",
	  .main = doctor_run,
	  .options = {
		{ "--config", "FILE", "the configuration file" },
		{ "--data", "DIR", "the data directory instead of the configured one" },
		{ "--json", NULL, "print JSON for programs" },
	  } },
	{ .name = "mcp list", .summary = "list the MCP servers that are declared, with their tools",
	  .client = true, .run = mcp_list_run,
	  .more = "Those at a URL are asked from here; commands are not started, for they belong into the"
		  " sandbox of their environment." },
	{ .name = "mcp probe", .args = "URL | -- COMMAND [ARGS]",
	  .summary = "connect to an MCP server and show what it offers", .main = mcp_command_probe,
	  .options = {
		{ "--json", NULL, "print JSON for programs" },
		{ "--timeout", "SECONDS", "how long it may take to get ready (30)" },
		{ "--protocol", "VERSION", "speak only 2025-11-25 or only 2026-07-28" },
	  },
	  .examples = "perdure mcp probe https://example.org/mcp\n"
		      "perdure mcp probe -- npx -y @modelcontextprotocol/server-everything" },
	/* clang-format on */
};

int
main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "tool-helper") == 0) /* for the server alone: in no table */
		return tool_helper_main(argc - 1, argv + 1);
	return cli_run(argc, argv, OWN, ARRAY_LEN(OWN));
}

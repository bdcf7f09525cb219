#include "app/mcp_command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/mcp_probe.h"
#include "base/buf.h"
#include "base/json_write.h"
#include "cli/term_text.h"

enum { OUTPUT_MAX = 64 << 20, PATH_BYTES = 4096, SECONDS_MAX = 600, COLUMNS_OF_NAMES = 24 };

static const char HELP[] =
	"usage: perdure mcp probe [--json] [--timeout SECONDS] [--protocol VERSION]\n"
	"                         URL | -- COMMAND [ARGS...]\n\n"
	"Connects to an MCP server from here, as the server would, and prints the version of the\n"
	"protocol, who it is, and its tools. A command is started in this directory with PATH and\n"
	"HOME alone, and ended again. --protocol 2025-11-25 or 2026-07-28 speaks only that.\n\n"
	"In a pipe: a line for each fact and each tool, fields with tabs; with --json one object.\n"
	"Exit codes: 0 it answered, 1 it refused, 2 usage, or it speaks nonsense, 3 it is not "
	"there.\n";

struct probe_call {
	struct tool_server server;
	struct str *arguments;
	struct mcp_probe_options options;
	bool json, is_terminal;
	struct buf out;
	int rc;
	struct err *e;
};

/* ---- output ---- */

static void
write_json(struct probe_call *p, const struct tool_listing *listing, const struct mcp_peer *peer)
{
	struct jw w;

	jw_init(&w, &p->out);
	jw_object(&w);
	jw_field_str(&w, "protocol", peer->protocol);
	jw_field_object(&w, "server");
	jw_field_str(&w, "name", peer->name);
	jw_field_str(&w, "version", peer->version);
	jw_end_object(&w);
	jw_field_array(&w, "tools");
	for (size_t i = 0; i < listing->tool_count; i++) {
		const struct tool_doc *tool = &listing->tools[i];

		jw_object(&w);
		jw_field_str(&w, "name", tool->name);
		jw_field_str(&w, "description", tool->description);
		jw_field_bool(&w, "read_only", tool->read_only);
		jw_field_bool(&w, "idempotent", tool->idempotent);
		jw_field_raw(&w, "input_schema", tool->input_schema);
		jw_end_object(&w);
	}
	jw_end_array(&w);
	jw_end_object(&w);
	buf_putc(&p->out, '\n');
}

static void
put_line(struct probe_call *p, const char *title, struct str value)
{
	if (p->is_terminal)
		buf_printf(&p->out, "%-10s", title);
	else
		buf_printf(&p->out, "%s\t", title);
	term_text_line(&p->out, value);
	buf_putc(&p->out, '\n');
}

static void
put_tool(struct probe_call *p, const struct tool_doc *tool)
{
	if (p->is_terminal)
		buf_printf(&p->out, "  %-*.*s  ", COLUMNS_OF_NAMES, STR_ARG(tool->name));
	else
		buf_printf(&p->out, "tool\t" STR_FMT "\t", STR_ARG(tool->name));
	term_text_line(&p->out, tool->description);
	buf_putc(&p->out, '\n');
}

static void
write_lines(struct probe_call *p, const struct tool_listing *listing, const struct mcp_peer *peer)
{
	struct arena a;

	arena_init(&a);
	put_line(p, "protocol", peer->protocol);
	put_line(
		p, "server",
		arena_printf(&a, STR_FMT " " STR_FMT, STR_ARG(peer->name), STR_ARG(peer->version)));
	put_line(p, "tools", arena_printf(&a, "%zu", listing->tool_count));
	for (size_t i = 0; i < listing->tool_count; i++)
		put_tool(p, &listing->tools[i]);
	arena_release(&a);
}

static void
on_probed(void *ctx, size_t at, const struct tool_listing *listing, const struct mcp_peer *peer)
{
	struct probe_call *p = ctx;

	(void)at;
	if (listing->problem_count > 0 || !peer) {
		*p->e = listing->problems[0].err;
		p->rc = p->e->code;
	} else if (p->json) {
		write_json(p, listing, peer);
	} else {
		write_lines(p, listing, peer);
	}
}

/* ---- arguments ---- */

static int
take_option(struct probe_call *p, const char *name, const char *value, struct err *e)
{
	int64_t seconds;

	if (strcmp(name, "--timeout") == 0) {
		if (!str_to_int(str_of(value), &seconds) || seconds < 1 || seconds > SECONDS_MAX)
			return err_set(e, ERR_USAGE, "--timeout is 1 to %d seconds", SECONDS_MAX);
		p->options.timeout_ms = seconds * 1000;
		return 0;
	}
	if (strcmp(name, "--protocol") != 0)
		return err_set(e, ERR_USAGE, "'%.60s' is not understood; see --help", name);
	if (strcmp(value, "2025-11-25") == 0)
		p->options.protocol = MCP_STATEFUL;
	else if (strcmp(value, "2026-07-28") == 0)
		p->options.protocol = MCP_STATELESS;
	else
		return err_set(e, ERR_USAGE, "--protocol is 2025-11-25 or 2026-07-28");
	return 0;
}

static int
take_command(struct probe_call *p, int argc, char **argv, struct err *e)
{
	if (argc == 0)
		return err_set(e, ERR_USAGE, "behind -- stands the command to start; see --help");
	p->server.command = str_of(argv[0]);
	p->server.argument_count = (size_t)argc - 1;
	p->arguments = calloc((size_t)argc, sizeof *p->arguments);
	for (int i = 1; i < argc; i++)
		p->arguments[i - 1] = str_of(argv[i]);
	p->server.arguments = p->arguments;
	return 0;
}

static int
take_url(struct probe_call *p, const char *word, struct err *e)
{
	struct str url = str_of(word);

	if (p->server.url.len > 0)
		return err_set(e, ERR_USAGE, "one server at a time; a command stands behind --");
	if (!str_starts(url, STR("http://")) && !str_starts(url, STR("https://")))
		return err_set(e, ERR_USAGE,
			       "'%.60s' is no http or https address; a command stands behind --",
			       word);
	p->server.url = url;
	return 0;
}

static int
parse(struct probe_call *p, int argc, char **argv, struct err *e)
{
	int rc = 0;

	for (int i = 1; rc == 0 && i < argc; i++) {
		if (strcmp(argv[i], "--") == 0) {
			rc = p->server.url.len > 0
				     ? err_set(e, ERR_USAGE, "a URL or a command, not both")
				     : take_command(p, argc - i - 1, argv + i + 1, e);
			return rc;
		}
		if (strcmp(argv[i], "--json") == 0)
			p->json = true;
		else if (argv[i][0] != '-')
			rc = take_url(p, argv[i], e);
		else if (i + 1 < argc)
			rc = take_option(p, argv[i], argv[i + 1], e), i++;
		else
			rc = err_set(e, ERR_USAGE, "'%.60s' is not understood; see --help",
				     argv[i]);
	}
	if (rc == 0 && p->server.url.len == 0)
		rc = err_set(e, ERR_USAGE, "which server? A URL, or -- and a command; see --help");
	return rc;
}

int
mcp_command_probe(int argc, char **argv, struct err *e)
{
	struct probe_call p = { .e = e, .is_terminal = isatty(1) == 1 };
	char directory[PATH_BYTES];
	int rc;

	if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
		fputs(HELP, stdout);
		return 0;
	}
	rc = parse(&p, argc, argv, e);
	if (rc == 0) {
		term_text_init();
		buf_init(&p.out, OUTPUT_MAX);
		p.server.name = p.server.url.len > 0 ? p.server.url : p.server.command;
		mcp_probe(&p.server, 1, str_of(getcwd(directory, sizeof directory)), &p.options,
			  on_probed, &p);
		/* JSON leaves some control characters as they are. */
		term_text_print(stdout, p.is_terminal, buf_str(&p.out));
		buf_release(&p.out);
		rc = p.rc;
	}
	free(p.arguments);
	return rc;
}

/* call - one run of a command: its arguments, where its output goes, and the server it talks to. */
#pragma once
#include "base/arena.h"
#include "base/json.h"
#include "base/json_write.h"
#include "cli/args.h"
#include "cli/client.h"
#include "cli/terminal.h"

enum { CALL_BODY_MAX = 8 * 1024 * 1024 };

struct cli_call {
	const struct command_table *table;
	struct args args;
	struct arena a; /* lives as long as the run */
	struct terminal out;
	struct server_place place;
	struct client *client; /* NULL: not opened yet */
};

/* Finds the server; connects only when something is asked. */
NODISCARD int call_open(struct cli_call *call, struct err *e);
/* Opens, asks and gives the answer. body: JSON or empty. */
NODISCARD int call_ask(struct cli_call *call, const char *method, struct str path, struct str body,
		       struct json *out, struct err *e);
bool call_wants_json(const struct cli_call *call);
/* Onto stdout. */
void call_print(struct str text);
void call_print_line(struct str text);
/* The same for what a model or a stranger wrote: a pipe gets it as it is, a terminal without control
 * characters. */
void call_print_foreign(const struct cli_call *call, struct str text);
void call_print_foreign_line(const struct cli_call *call, struct str text);
/* "/v1/sessions/ID" and the rest, in the call's arena. */
struct str call_path(struct cli_call *call, const char *before, const char *id, const char *after);
/* Says yes on a terminal, or by --yes. */
NODISCARD int call_confirm(struct cli_call *call, struct str question, struct err *e);

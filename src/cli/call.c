#include "cli/call.h"

#include <stdio.h>
#include <unistd.h>

#include "cli/term_text.h"
#include "cli/url_text.h"

int
call_open(struct cli_call *call, struct err *e)
{
	struct server_facts facts = server_find_environment();
	int rc;

	if (call->client)
		return 0;
	facts.server = args_value(&call->args, "--server");
	facts.token_file = args_value(&call->args, "--token-file");
	facts.data = args_value(&call->args, "--data");
	rc = server_find(&facts, &call->a, &call->place, e);
	if (rc == 0)
		call->client =
			client_new(&call->place, args_value(&call->args, "--verbose") != NULL);
	return rc;
}

int
call_ask(struct cli_call *call, const char *method, struct str path, struct str body,
	 struct json *out, struct err *e)
{
	const struct client_request r = { method, path, body };
	int rc = call_open(call, e);

	return rc == 0 ? client_ask(call->client, &r, &call->a, out, e) : rc;
}

bool
call_wants_json(const struct cli_call *call)
{
	return args_value(&call->args, "--json") != NULL;
}

void
call_print(struct str text)
{
	if (text.len > 0)
		fwrite(text.ptr, 1, text.len, stdout);
}

void
call_print_line(struct str text)
{
	call_print(text);
	fputc('\n', stdout);
}

void
call_print_foreign(const struct cli_call *call, struct str text)
{
	term_text_print(stdout, call->out.is_terminal, text);
}

void
call_print_foreign_line(const struct cli_call *call, struct str text)
{
	call_print_foreign(call, text);
	fputc('\n', stdout);
}

struct str
call_path(struct cli_call *call, const char *before, const char *id, const char *after)
{
	struct str encoded = url_text_encode(&call->a, str_of(id));

	return arena_printf(&call->a, "%s" STR_FMT "%s", before, STR_ARG(encoded), after);
}

int
call_confirm(struct cli_call *call, struct str question, struct err *e)
{
	char answer[16] = "";

	if (args_value(&call->args, "--yes"))
		return 0;
	if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO))
		return err_set(e, ERR_USAGE, STR_FMT " Say --yes if so", STR_ARG(question));
	fprintf(stderr, STR_FMT " [y/N] ", STR_ARG(question));
	if (!fgets(answer, sizeof answer, stdin) || (answer[0] != 'y' && answer[0] != 'Y'))
		return err_set(e, ERR_CONFLICT, "nothing was done");
	return 0;
}

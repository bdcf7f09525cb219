/* cmd_chat - `perdure chat`: a conversation, or one message of a script. */
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/chat.h"
#include "cli/commands.h"

enum { MESSAGE_MAX = 4 * 1024 * 1024 };

/* ---- for scripts ---- */

static int
read_stdin(struct cli_call *call, struct str *out, struct err *e)
{
	struct str text;
	int rc = file_read_fd(STDIN_FILENO, "stdin", MESSAGE_MAX, &call->a, &text, e);

	if (rc == 0)
		*out = str_trim(text);
	return rc;
}

/* --message, the text of stdin, or both. */
static int
gather_message(struct cli_call *call, struct str *out, struct err *e)
{
	struct str said = str_of(args_value(&call->args, "--message")), piped = { 0 };
	int rc = 0;

	if (said.len == 0 || args_value(&call->args, "--stdin"))
		rc = read_stdin(call, &piped, e);
	if (rc != 0)
		return rc;
	*out = said.len == 0    ? piped
	       : piped.len == 0 ? said
				: arena_printf(&call->a, STR_FMT "\n\n" STR_FMT, STR_ARG(said),
					       STR_ARG(piped));
	return out->len > 0 ? 0
			    : err_set(e, ERR_USAGE, "there is nothing to say: the text is empty");
}

/* ---- for people ---- */

static void
make_folders(const char *path)
{
	char part[4096];
	size_t len = strlen(path);

	for (size_t i = 1; i < len && i < sizeof part; i++) {
		if (path[i] != '/')
			continue;
		memcpy(part, path, i);
		part[i] = '\0';
		IGNORE(mkdir(part, 0700)); /* without it there is no history, which is no failure */
	}
}

static struct line_edit *
open_editor(struct cli_call *call)
{
	struct server_facts facts = server_find_environment();
	struct str folder = server_find_state(&facts, &call->a), file;

	if (folder.len == 0)
		return line_edit_new(NULL);
	file = arena_printf(&call->a, STR_FMT "/chat_history", STR_ARG(folder));
	make_folders(file.ptr);
	return line_edit_new(file.ptr);
}

/* One message: lines that end in a backslash go on. */
static enum line_edit_result
read_message(struct chat *chat, struct buf *line, struct buf *message)
{
	enum line_edit_result got = line_edit_read(chat->edit, "> ", line);

	buf_clear(message);
	while (got == LINE_EDIT_LINE && line->len > 0 && line->ptr[line->len - 1] == '\\') {
		buf_put(message, line->ptr, line->len - 1);
		buf_putc(message, '\n');
		got = line_edit_read(chat->edit, "… ", line);
	}
	if (got == LINE_EDIT_LINE)
		buf_put_str(message, buf_str(line));
	return got;
}

/* How a turn ended that did not end well. */
static void
print_end(const struct chat *chat, const struct err *e)
{
	fprintf(stderr, "%s%s%s\n", terminal_style(&chat->call->out, STYLE_YELLOW), e->text,
		terminal_style(&chat->call->out, STYLE_RESET));
}

/* False: it is over. */
static bool
take_message(struct chat *chat, struct str message)
{
	struct err e = { 0 };
	struct str text;

	if (message.len == 0)
		return true;
	line_edit_remember(chat->edit, message);
	switch (chat_slash(chat, message, &text)) {
	case CHAT_SLASH_QUIT: return false;
	case CHAT_SLASH_DONE: return true;
	case CHAT_SLASH_TEXT: break;
	}
	if (chat_turn(chat, text, &e) != 0)
		print_end(chat, &e);
	putchar('\n');
	fflush(stdout);
	return true;
}

static void
converse(struct chat *chat)
{
	enum line_edit_result got;
	struct buf line, message;
	struct err e = { 0 };
	bool more = true;

	if (chat->waits) {
		if (chat_turn_open(chat, &e) != 0)
			print_end(chat, &e);
		putchar('\n');
	}
	buf_init(&line, MESSAGE_MAX);
	buf_init(&message, MESSAGE_MAX);
	while (more) {
		got = read_message(chat, &line, &message);
		if (got == LINE_EDIT_INTERRUPTED)
			putchar('\n');
		else if (got == LINE_EDIT_END)
			more = putchar('\n') == EOF;
		else
			more = take_message(chat, str_trim(buf_str(&message)));
		fflush(stdout);
	}
	buf_release(&line);
	buf_release(&message);
}

static void
greet(const struct chat *chat)
{
	const struct chat_session *s = &chat->session;
	const struct terminal *term = &chat->call->out;

	printf("%s", terminal_style(term, STYLE_DIM));
	chat_session_print(chat->call, s);
	if (s->messages > 0)
		printf(": goes on after %lld message%s", (long long)s->messages,
		       s->messages == 1 ? "" : "s");
	printf(". /help, Ctrl-D leaves.%s\n", terminal_style(term, STYLE_RESET));
	fflush(stdout);
}

int
cmd_chat(struct cli_call *call, struct err *e)
{
	const struct chat_choice choice = {
		.id = args_value(&call->args, "--session"),
		.agent = args_value(&call->args, "--agent"),
		.fresh = args_value(&call->args, "--new") != NULL,
	};
	bool one_shot = args_value(&call->args, "--message") || !isatty(STDIN_FILENO) ||
			!call->out.is_terminal;
	struct chat chat = { .call = call, .json = call_wants_json(call) };
	struct str message;
	int rc = one_shot ? gather_message(call, &message, e) : 0;

	if (rc == 0 && choice.id && choice.fresh)
		rc = err_set(e, ERR_USAGE, "--new makes an id of its own: leave --session out");
	if (rc == 0)
		rc = chat_session_open(call, &choice, &chat.session, e);
	if (rc != 0)
		return rc;
	chat.cursor = chat.session.head_seq;
	chat.waits = chat.session.waits;
	if (one_shot)
		return chat_turn(&chat, message, e);
	chat.edit = open_editor(call);
	greet(&chat);
	converse(&chat);
	line_edit_free(&chat.edit);
	return 0;
}

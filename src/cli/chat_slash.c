/* chat_slash - lines of a chat that begin with a slash. */
#include <ctype.h>
#include <stdio.h>

#include "cli/chat.h"
#include "cli/record.h"
#include "cli/term_text.h"

struct slash {
	const char *word, *args, *summary;
	enum chat_slash_result (*run)(struct chat *chat, struct str args, struct err *e);
};

struct str
chat_slash_word(struct str line)
{
	size_t end = 1;

	if (!str_starts(line, STR("/")))
		return (struct str){ 0 };
	while (end < line.len && (islower((unsigned char)line.ptr[end]) || line.ptr[end] == '-'))
		end++;
	if (end == 1 || (end < line.len && line.ptr[end] != ' '))
		return (struct str){ 0 }; /* a path, or a slash that is meant as one */
	return str_slice(line, 0, end);
}

/* ---- the commands ---- */

static enum chat_slash_result
quit(struct chat *chat, struct str args, struct err *e)
{
	(void)chat;
	(void)args;
	(void)e;
	return CHAT_SLASH_QUIT;
}

static void
show_where(struct chat *chat)
{
	const struct terminal *term = &chat->call->out;

	printf("%s", terminal_style(term, STYLE_DIM));
	chat_session_print(chat->call, &chat->session);
	if (chat->session.messages > 0)
		printf(", %lld messages", (long long)chat->session.messages);
	printf("%s\n", terminal_style(term, STYLE_RESET));
}

static enum chat_slash_result
switch_to(struct chat *chat, const struct chat_choice *choice, struct err *e)
{
	struct chat_session opened;

	if (chat_session_open(chat->call, choice, &opened, e) == 0) {
		chat->session = opened;
		chat->cursor = opened.head_seq;
		chat->waits = opened.waits;
		show_where(chat);
	}
	return CHAT_SLASH_DONE;
}

/* Those of the chat itself; all others are the server's. */
static const struct slash SLASHES[] = {
	{ "/quit", "", "leave (Ctrl-D)", quit },
	{ "/exit", "", "the same", quit },
};

static void
show_own(void)
{
	for (size_t i = 0; i < ARRAY_LEN(SLASHES); i++)
		printf("%s%s%s: %s\n", SLASHES[i].word, *SLASHES[i].args ? " " : "",
		       SLASHES[i].args, SLASHES[i].summary);
	printf("A line that ends in \\ goes on in the next one; // begins a message with a slash.\n"
	       "Ctrl-C interrupts the agent.\n");
}

/* ---- those of the server ---- */

static int
send_line(struct chat *chat, struct str line, struct json *answer, struct err *e)
{
	struct buf body;
	struct jw w;
	int rc;

	buf_init(&body, CALL_BODY_MAX);
	jw_init(&w, &body);
	jw_object(&w);
	jw_field_str(&w, "text", line);
	jw_end_object(&w);
	rc = call_ask(chat->call, "POST",
		      call_path(chat->call, "/v1/sessions/", chat->session.id.ptr, "/commands"),
		      buf_str(&body), answer, e);
	buf_release(&body);
	return rc;
}

static void
show_text(struct chat *chat, struct json answer)
{
	struct buf out;

	buf_init(&out, CALL_BODY_MAX);
	term_text_clean(&out, record_value(answer, "text", &chat->call->a));
	call_print_line(buf_str(&out));
	buf_release(&out);
}

/* What the answer leads to: another session, or a turn to be watched. */
static void
follow_up(struct chat *chat, struct json answer, struct err *e)
{
	struct str command = record_value(answer, "command", &chat->call->a);
	struct str session = record_value(answer, "data.session_id", &chat->call->a);
	struct str event = record_value(answer, "data.event_id", &chat->call->a);

	if (str_eq(command, STR("help")))
		show_own();
	if (session.len > 0 && !str_eq(session, chat->session.id))
		switch_to(chat,
			  &(struct chat_choice){ .id = arena_str(&chat->call->a, session).ptr }, e);
	else if (str_eq(command, STR("approve")) || str_eq(command, STR("deny")))
		IGNORE(chat_turn_answered(chat, e)); /* e says it */
	else if (event.len > 0 && !str_eq(command, STR("steer")))
		IGNORE(chat_turn_of(chat, event, e)); /* e says it */
}

static void
ask_server(struct chat *chat, struct str line, struct err *e)
{
	struct json answer;

	if (send_line(chat, line, &answer, e) != 0)
		return;
	show_text(chat, answer);
	follow_up(chat, answer, e);
}

enum chat_slash_result
chat_slash(struct chat *chat, struct str line, struct str *text)
{
	struct str word = chat_slash_word(line),
		   args = str_trim(str_slice(line, word.len, line.len));
	enum chat_slash_result result = CHAT_SLASH_DONE;
	struct err e = { 0 };
	bool known = false;

	*text = str_starts(line, STR("//")) ? str_slice(line, 1, line.len) : line;
	if (word.len == 0)
		return CHAT_SLASH_TEXT;
	for (size_t i = 0; i < ARRAY_LEN(SLASHES) && !known; i++)
		if (str_eq(word, str_of(SLASHES[i].word))) {
			known = true;
			result = SLASHES[i].run(chat, args, &e);
		}
	if (!known)
		ask_server(chat, line, &e);
	if (e.code != 0)
		fprintf(stderr, "%s\n", e.text);
	fflush(stdout);
	return result;
}

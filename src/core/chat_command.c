#include "core/chat_command.h"

#include "base/nearest.h"

enum { COUNT_MAX = 1000000000, SHOWN_MAX = 40 };

const struct chat_command CHAT_TABLE[CHAT_COMMANDS] = {
	[CHAT_APPROVE] = { CHAT_APPROVE, "approve", "[ID] [--always]", "--always",
			   "allow what the agent asks for, once or for good", "/stop ends the call",
			   ACCESS_SESSION_CONTROL, true, false, CHAT_TAKES_QUESTION },
	[CHAT_BRANCH] = { CHAT_BRANCH, "branch", "[SEQ]", NULL,
			  "a new session that goes on from here, or from an event of the log",
			  "the session itself goes on as before", ACCESS_SESSION_MANAGE, true,
			  false, CHAT_TAKES_COUNT },
	[CHAT_DENY] = { CHAT_DENY, "deny", "[ID] [REASON]", NULL,
			"refuse what the agent asks for, and say why", "ask the agent to try again",
			ACCESS_SESSION_CONTROL, true, true, CHAT_TAKES_QUESTION },
	[CHAT_HELP] = { CHAT_HELP, "help", "", NULL, "this list", NULL, ACCESS_SESSION_READ, true,
			false, CHAT_TAKES_NOTHING },
	[CHAT_MODEL] = { CHAT_MODEL, "model", "[NAME]", NULL,
			 "which model answers here, or another one from the next turn on",
			 "/model with the name before", ACCESS_SESSION_MANAGE, true, false,
			 CHAT_TAKES_NAME },
	[CHAT_NEW] = { CHAT_NEW, "new", "", NULL, "a new conversation in place of this one",
		       "/undo reset in the new one", ACCESS_SESSION_CONTROL, true, false,
		       CHAT_TAKES_NOTHING },
	[CHAT_QUEUE] = { CHAT_QUEUE, "queue", "[TEXT]", NULL,
			 "a message for a turn of its own when its time comes; alone: what waits",
			 "the queue's own cancel, or /stop for all", ACCESS_SESSION_POST, true,
			 false, CHAT_TAKES_ANY_TEXT },
	[CHAT_RESET] = { CHAT_RESET, "reset", "", NULL, "the same as /new",
			 "/undo reset in the new one", ACCESS_SESSION_CONTROL, true, false,
			 CHAT_TAKES_NOTHING },
	[CHAT_RESTART] = { CHAT_RESTART, "restart", "", NULL,
			   "restart the server; what runs ends first, or goes on afterwards",
			   "nothing is lost that would have to be brought back", ACCESS_SERVER,
			   true, false, CHAT_TAKES_NOTHING },
	[CHAT_RESUME] = { CHAT_RESUME, "resume", "ID or TITLE", NULL,
			  "go on with an earlier conversation", "/resume with the id before",
			  ACCESS_SESSION_CONTROL, true, false, CHAT_TAKES_NAME },
	[CHAT_RETRY] = { CHAT_RETRY, "retry", "", NULL,
			 "take the last answer back and ask the same again",
			 "/branch at the event before", ACCESS_SESSION_MANAGE, false, false,
			 CHAT_TAKES_NOTHING },
	[CHAT_SESSIONS] = { CHAT_SESSIONS, "sessions", "[N]", NULL, "your newest sessions", NULL,
			    ACCESS_SESSION_READ, true, false, CHAT_TAKES_COUNT },
	[CHAT_STATUS] = { CHAT_STATUS, "status", "", NULL, "what runs, what waits, what is asked",
			  NULL, ACCESS_SESSION_READ, true, false, CHAT_TAKES_NOTHING },
	[CHAT_STEER] = { CHAT_STEER, "steer", "TEXT", NULL,
			 "say something into the turn that runs, at its next step",
			 "until then as any that waits", ACCESS_SESSION_POST, true, false,
			 CHAT_TAKES_TEXT },
	[CHAT_STOP] = { CHAT_STOP, "stop", "[--suspend]", "--suspend",
			"end the turn, what waits and what runs in the background",
			"/retry asks again", ACCESS_SESSION_CONTROL, true, false,
			CHAT_TAKES_NOTHING },
	[CHAT_TITLE] = { CHAT_TITLE, "title", "[NAME]", NULL,
			 "what this session is called, or call it so", "/title with the old name",
			 ACCESS_SESSION_MANAGE, true, false, CHAT_TAKES_NAME },
	[CHAT_UNDO] = { CHAT_UNDO, "undo", "[N | reset]", "reset",
			"take the last message and its answer back, or the last N; reset: go back "
			"to "
			"the conversation that /new replaced",
			"/branch at the event before", ACCESS_SESSION_MANAGE, false, false,
			CHAT_TAKES_COUNT },
	[CHAT_USAGE] = { CHAT_USAGE, "usage", "", NULL, "tokens and cost of this session", NULL,
			 ACCESS_SESSION_READ, true, false, CHAT_TAKES_NOTHING },
	[CHAT_WHOAMI] = { CHAT_WHOAMI, "whoami", "", NULL, "who you are here", NULL,
			  ACCESS_SESSION_READ, true, false, CHAT_TAKES_NOTHING },
};

const char *
chat_command_role(const struct chat_command *c)
{
	if (c->verb == ACCESS_SERVER)
		return "owner";
	return c->verb == ACCESS_SESSION_READ ? "reader" : "participant";
}

static bool
is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* The part of s before its first blank; *rest is what follows, trimmed. */
static struct str
first_word(struct str s, struct str *rest)
{
	size_t end = 0;

	while (end < s.len && !is_blank(s.ptr[end]))
		end++;
	*rest = str_trim(str_slice(s, end, s.len));
	return str_slice(s, 0, end);
}

bool
chat_command_is(struct str line)
{
	struct str rest, word = first_word(str_trim(line), &rest);

	return word.len > 1 && word.ptr[0] == '/' && is_letter(word.ptr[1]) &&
	       !str_contains(str_slice(word, 1, word.len), STR("/"));
}

static const struct chat_command *
find_command(struct str name, struct err *e)
{
	struct nearest near = nearest_of(name);

	for (size_t i = 0; i < CHAT_COMMANDS; i++) {
		if (str_eq(name, str_of(CHAT_TABLE[i].name)))
			return &CHAT_TABLE[i];
		nearest_offer(&near, str_of(CHAT_TABLE[i].name));
	}
	name = str_slice(name, 0, SHOWN_MAX);
	if (near.found.ptr)
		err_set(e, ERR_INVALID,
			"there is no command /" STR_FMT "; did you mean /" STR_FMT "?",
			STR_ARG(name), STR_ARG(near.found));
	else
		err_set(e, ERR_INVALID, "there is no command /" STR_FMT "; /help lists them",
			STR_ARG(name));
	return NULL;
}

static int
refuse(const struct chat_command *c, const char *why, struct err *e)
{
	return err_set(e, ERR_INVALID, "/%s%s%s: %s", c->name, *c->args ? " " : "", c->args, why);
}

/* The flag may stand before or behind the rest. */
static void
take_flag(const struct chat_command *c, struct str *rest, bool *flag)
{
	struct str name = str_of(c->flag), after, word = first_word(*rest, &after);

	if (c->flag && str_eq(word, name)) {
		*flag = true;
		*rest = after;
	} else if (c->flag && rest->len > name.len && str_ends(*rest, name) &&
		   is_blank(rest->ptr[rest->len - name.len - 1])) {
		*flag = true;
		*rest = str_trim(str_slice(*rest, 0, rest->len - name.len));
	}
}

static int
take_count(const struct chat_command *c, struct str rest, bool flag, int64_t *out, struct err *e)
{
	if (rest.len == 0)
		return 0;
	if (!str_to_int(rest, out) || *out < 1 || *out > COUNT_MAX)
		return refuse(c, "takes one whole number from 1 on", e);
	if (flag)
		return refuse(c, "takes a number or the word, not both", e);
	return 0;
}

/* "a name", 'a name' or a name: quotes go when they enclose the whole of it; inside double ones a
 * backslash takes the next character as it is. */
static int
take_name(const struct chat_command *c, struct str rest, struct arena *a, struct str *out,
	  struct err *e)
{
	char quote = rest.len > 0 ? rest.ptr[0] : '\0', *text;
	size_t len = 0, at = 1;

	if (quote != '"' && quote != '\'') {
		*out = rest;
		return 0;
	}
	text = arena_alloc(a, rest.len);
	for (; at < rest.len && rest.ptr[at] != quote; at++) {
		if (quote == '"' && rest.ptr[at] == '\\' && at + 1 < rest.len)
			at++;
		text[len++] = rest.ptr[at];
	}
	if (at != rest.len - 1 || rest.ptr[at] != quote)
		return refuse(c, "the quotes must close at the end of the name", e);
	*out = (struct str){ text, len };
	if (len == 0)
		return refuse(c, "the name between the quotes is missing", e);
	return 0;
}

static int
take_question(const struct chat_command *c, struct str rest, struct chat_line *out, struct err *e)
{
	struct str after, word = first_word(rest, &after);

	if (str_starts(word, STR("sevt_"))) {
		out->question = word;
		rest = after;
	}
	if (rest.len > 0 && !c->says_why)
		return refuse(c, "what follows is neither the id of a question nor --always", e);
	out->text = rest;
	return 0;
}

static int
take_args(struct str rest, struct arena *a, struct chat_line *out, struct err *e)
{
	const struct chat_command *c = out->command;

	take_flag(c, &rest, &out->flag);
	switch (c->takes) {
	case CHAT_TAKES_NOTHING:
		return rest.len > 0
			       ? refuse(c, c->flag ? "takes nothing else" : "takes no arguments", e)
			       : 0;
	case CHAT_TAKES_TEXT:
		if (rest.len == 0)
			return refuse(c, "the text is missing", e);
		out->text = rest;
		return 0;
	case CHAT_TAKES_ANY_TEXT: out->text = rest; return 0;
	case CHAT_TAKES_NAME: return take_name(c, rest, a, &out->text, e);
	case CHAT_TAKES_COUNT: return take_count(c, rest, out->flag, &out->count, e);
	case CHAT_TAKES_QUESTION: return take_question(c, rest, out, e);
	}
	return 0;
}

int
chat_command_parse(struct str line, struct arena *a, struct chat_line *out, struct err *e)
{
	struct str rest, word = first_word(str_trim(line), &rest), name, bot;
	struct chat_line parsed = { 0 };
	int rc;

	if (!chat_command_is(line))
		return err_set(e, ERR_INVALID,
			       "a command begins with a slash and a letter, as "
			       "/help does");
	str_cut(str_slice(word, 1, word.len), '@', &name, &bot);
	parsed.command = find_command(arena_lower(a, name), e);
	if (!parsed.command)
		return ERR_INVALID;
	rc = take_args(rest, a, &parsed, e);
	if (rc == 0)
		*out = parsed;
	return rc;
}

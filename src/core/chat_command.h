/* chat_command - the one table of commands that people write into a conversation, and what a line
 * that begins with a slash asks for. Chat, API and channels read the same table.
 * Pure: texts of a parsed line are views of it, or live in the caller's arena. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "core/access_policy.h"

enum chat_command_id {
	CHAT_APPROVE,
	CHAT_BRANCH,
	CHAT_DENY,
	CHAT_HELP,
	CHAT_MODEL,
	CHAT_NEW,
	CHAT_QUEUE,
	CHAT_RESET,
	CHAT_RESTART,
	CHAT_RESUME,
	CHAT_RETRY,
	CHAT_SESSIONS,
	CHAT_STATUS,
	CHAT_STEER,
	CHAT_STOP,
	CHAT_TITLE,
	CHAT_UNDO,
	CHAT_USAGE,
	CHAT_WHOAMI,
	CHAT_COMMANDS
};

/* What may stand behind the name. */
enum chat_takes {
	CHAT_TAKES_NOTHING,
	CHAT_TAKES_TEXT,     /* the rest of the line as it is, never empty */
	CHAT_TAKES_ANY_TEXT, /* the same, or nothing */
	CHAT_TAKES_NAME,     /* a name, in quotes if it likes, or nothing */
	CHAT_TAKES_COUNT,    /* 1 or more, or nothing */
	CHAT_TAKES_QUESTION, /* the id of a question, or nothing; then text where the row has some */
};

struct chat_command {
	enum chat_command_id id;
	const char *name;      /* "undo" */
	const char *args;      /* "[N]", for people */
	const char *flag;      /* "--suspend"; NULL: it has none */
	const char *help;      /* a line, lower case, no full stop */
	const char *undo;      /* what takes it back; NULL: it changes nothing */
	enum access_verb verb; /* what a caller must be allowed to do */
	bool while_busy;       /* works while a turn is open or a message waits; else 409 */
	bool says_why;         /* of a question: text may follow */
	enum chat_takes takes;
};
/* By name; CHAT_COMMANDS of them. */
extern const struct chat_command CHAT_TABLE[CHAT_COMMANDS];

/* Who may use it: "reader" (whoever may read the session), "participant" or "owner". */
const char *chat_command_role(const struct chat_command *c);

struct chat_line {
	const struct chat_command *command;
	struct str text;     /* text or name; empty: none was given */
	struct str question; /* id; empty: all that are open */
	int64_t count;       /* 0: none was given */
	bool flag;
};
/* Does the line begin like a command: a slash and a letter, no further slash in that word? */
bool chat_command_is(struct str line);
/* "/undo 2", also "/undo@name 2" as group chats write it, the name in letters of either case.
 * ERR_INVALID: no such command (the nearest one is offered), or arguments that do not fit it. */
NODISCARD int
chat_command_parse(struct str line, struct arena *a, struct chat_line *out, struct err *e);

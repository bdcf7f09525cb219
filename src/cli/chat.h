/* chat - a conversation at a terminal or in a script: what its parts share. */
#pragma once
#include "cli/chat_session.h"
#include "cli/line_edit.h"

struct chat {
	struct cli_call *call;
	struct chat_session session;
	int64_t cursor;         /* what of the log was seen */
	struct line_edit *edit; /* NULL: nobody is there to be asked */
	bool json;              /* one object per turn instead of text */
	bool waits;             /* the session waited for somebody when it was last seen */
	struct str turn;        /* that waits, if it was ours; empty: none */
};

/* What the session waits for already: a person is asked, and the turn shown until it is over; a script
 * is told, which is an error. 0 also when there is nothing. */
NODISCARD int chat_turn_open(struct chat *chat, struct err *e);

/* The turn that waits was answered otherwise: shows it until it is over. 0 also when none is known. */
NODISCARD int chat_turn_answered(struct chat *chat, struct err *e);

/* Says text and shows the answer until its turn is over. 0 also when the turn ended otherwise than
 * well, if a person saw it; else an error that says how. Nothing is sent while the session waits. */
NODISCARD int chat_turn(struct chat *chat, struct str text, struct err *e);

/* The same for a message that the server has already: event_id is its event's. */
NODISCARD int chat_turn_of(struct chat *chat, struct str event_id, struct err *e);

enum chat_slash_result {
	CHAT_SLASH_TEXT, /* it is none: something to be said to the agent */
	CHAT_SLASH_DONE,
	CHAT_SLASH_QUIT
};
/* A line that begins with a slash: a command of the chat, or one for the server. *text is what to say
 * when it is none. */
enum chat_slash_result chat_slash(struct chat *chat, struct str line, struct str *text);
/* "/title" of "/title My work": the word that makes a line a command; empty: it is none. Pure. */
struct str chat_slash_word(struct str line);

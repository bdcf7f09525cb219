/* chat_screen - where a turn appears: text as it comes, lines beside it, something that moves while
 * nothing comes. Answers go to stdout; the rest there too when it is a terminal, else to stderr. */
#pragma once
#include "cli/markdown.h"
#include "cli/spinner.h"

struct chat_screen {
	struct terminal out, err;
	bool quiet; /* no answer is shown, it is printed otherwise */
	struct markdown markdown;
	struct spinner spinner;
	struct buf bytes;
	bool in_text;    /* the cursor is within a line of a message */
	bool fresh_text; /* some came since the last beat */
	bool any_text;   /* something of the answer was shown */
	bool goes_on;    /* a line stands between two parts of one message */
};

void chat_screen_init(struct chat_screen *s, const struct terminal *out, bool quiet);
void chat_screen_release(struct chat_screen *s);
void chat_screen_text(struct chat_screen *s, struct str piece);
void chat_screen_text_end(struct chat_screen *s);
/* The line that is being written ends here; the message may go on in the next one. */
void chat_screen_break(struct chat_screen *s);
/* A line beside the answer, cut to the width of a terminal. */
void chat_screen_say(struct chat_screen *s, const char *mark, struct str line,
		     enum terminal_style style);
/* What somebody is asked to allow (approval_text): wrapped, never cut. Always at the terminal where the
 * answer is typed. */
void chat_screen_ask(struct chat_screen *s, struct str text);
/* A tool is used: of no interest to a log file. */
void chat_screen_call(struct chat_screen *s, struct str line);
void chat_screen_note(struct chat_screen *s, struct str line);
/* From now on this is waited for. */
void chat_screen_wait(struct chat_screen *s, const char *what);
void chat_screen_hide(struct chat_screen *s);
/* Every SPINNER_BEAT_MS. */
void chat_screen_beat(struct chat_screen *s, int64_t now_ms);

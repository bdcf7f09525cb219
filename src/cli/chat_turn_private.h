/* chat_turn_private - what the files of a chat's turn share: the turn itself. */
#pragma once
#include "base/id.h"
#include "cli/chat.h"
#include "cli/chat_screen.h"
#include "cli/log_tail.h"
#include "cli/turn_view.h"

struct chat_turn {
	struct chat *chat;
	struct client *client;
	struct turn_view view;
	struct chat_screen screen;
	struct log_tail *tail;
	struct loop_timer *beat;
	char message_id[ID_TEXT_MAX];
	bool done, posted, interrupted, detached;
	bool ended;            /* the session is, or the log cannot be followed */
	int64_t lost_since_ms; /* 0: connected */
	int rc;
	struct err err;
};

/* True: the turn can go on, or programs see to that. False: nobody is there to be asked, the question
 * was left without an answer, or t->rc. */
bool chat_settle_calls(struct chat_turn *t);
/* Why the turn is left although it waits. Names the calls, and how to answer each, on stderr, if a
 * script is to know them. */
NODISCARD int chat_settle_refuse(struct chat_turn *t, struct err *e);

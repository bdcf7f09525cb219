/* chat_session - which conversation does `perdure chat` go on with?
 * Every place (this machine, user, directory and agent) has one: cli:NAME-HASH, NAME being the
 * directory's; --new begins cli:NAME-HASH.STAMP beside it. The one with the newest activity is gone on
 * with, so the server alone knows, and no file on this machine has to agree with it. */
#pragma once
#include "cli/call.h"

struct chat_session {
	struct str id, title, agent, model;
	int64_t head_seq, messages;
	bool waits; /* for somebody */
};

struct chat_place {
	struct str host, directory, agent;
	int64_t user;
};
/* "cli:work-1a2b3c4d". Pure. */
struct str chat_session_place(const struct chat_place *p, struct arena *a);
/* Is this the id of a conversation of that place? */
bool chat_session_is_of(struct str id, struct str place);

struct chat_choice {
	const char *id;    /* NULL: the place's newest */
	const char *agent; /* NULL: main, or the one the session has */
	bool fresh;        /* begin another one */
};
/* "cli:work-1a2b3c4d, agent main (demo)": without an end of line. */
void chat_session_print(const struct cli_call *call, const struct chat_session *s);
NODISCARD int chat_session_open(struct cli_call *call, const struct chat_choice *choice,
				struct chat_session *out, struct err *e);

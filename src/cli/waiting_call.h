/* waiting_call - which tool calls does a session wait for, and what answers them? */
#pragma once
#include "cli/call.h"

/* Who answers it? */
enum waiting_for {
	WAITING_FOR_PERSON,  /* a decision */
	WAITING_FOR_PROGRAM, /* the result of a custom tool, of whoever offers it */
	WAITING_FOR_WORKER   /* the environment's own: it runs the tool and sends the result */
};

struct waiting_call {
	struct str id;
	struct str line;  /* "bash: git status" */
	struct str whole; /* approval_text */
	enum waiting_for waits_for;
};

enum { WAITING_CALLS_MAX = 64 };

/* event: a tool_use of any kind. allowed: somebody said yes to it. Lives as long as both. */
struct waiting_call waiting_call_read(struct json event, bool allowed, struct arena *a);

/* Asks the server; *count of them, at most WAITING_CALLS_MAX. session: its object. */
NODISCARD int
waiting_call_list(struct cli_call *call, struct json session,
		  struct waiting_call out[WAITING_CALLS_MAX], size_t *count, struct err *e);
/* Asks the server for the call of that id. */
NODISCARD int waiting_call_find(struct cli_call *call, struct str session, struct str id,
				struct waiting_call *out, struct err *e);
/* The one that is meant: of that id, or the only one that waits for them. id NULL: none is named. */
NODISCARD int waiting_call_choose(struct cli_call *call, const char *session, const char *id,
				  enum waiting_for who, struct str *out, struct err *e);
/* The event that answers a confirmation. note may be NULL. */
struct waiting_answer {
	struct str id;
	bool allowed, always;
	const char *note;
};
/* {"events":[…]} */
void waiting_call_write_answer(const struct waiting_answer *answer, struct buf *body);

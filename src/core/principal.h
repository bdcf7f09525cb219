/* principal - who is asking: a role on an agent, and the kind of token they came with.
 * Authentication has happened; what a principal may do is access_policy's question. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include "base/str.h"

/* A user's standing with one agent, weakest first, so that roles compare with <. */
enum role {
	ROLE_NONE, /* known to the server, a stranger to this agent */
	ROLE_GUEST,
	ROLE_USER,
	ROLE_OWNER
};

enum token_kind {
	TOKEN_OWNER,      /* the operator: everything */
	TOKEN_USER,       /* one user */
	TOKEN_CHANNEL,    /* an adapter that speaks for the people of its channel */
	TOKEN_WORKER,     /* executes tools for the sessions handed to it */
	TOKEN_ENVIRONMENT /* polls one environment's work queue */
};

struct principal {
	enum token_kind kind;
	struct str user_id;        /* whom the request speaks for; empty: nobody, or not resolved */
	enum role role;            /* of that user, with the agent concerned */
	struct str namespace;      /* channel tokens */
	struct str sender_channel; /* the channel the request names for its sender; empty: none */
	struct str environment_id; /* environment tokens */
	/* Of one item of its work queue: no more than that item and its session. */
	struct str work_id, session_id;
	bool lease_lost; /* … which another has by now: it may only be told so */
};

/* "owner", "user", "guest"; "none" is not a word of the wire and never parses. */
const char *role_name(enum role role);
bool role_parse(struct str word, enum role *out);
const char *token_kind_name(enum token_kind kind);
bool token_kind_parse(struct str word, enum token_kind *out);

/* Owner by token or by role: both see and may do everything. */
bool principal_is_owner(const struct principal *p);
/* A channel token may touch only ids that begin with "<namespace>:", and only that: an empty
 * namespace owns nothing, and "tele" does not own "telegram:1". */
bool principal_owns_id(const struct principal *p, struct str id);
/* A channel token speaks only for senders of its own channel; naming no sender is allowed. */
bool principal_speaks_for_sender(const struct principal *p);

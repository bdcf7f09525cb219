/* access_policy - may this principal do this verb here?
 * The one check behind every surface. Two steps, in this order: standing (what the caller is to the
 * thing) decides whether the thing exists for them at all, then the thing's state decides whether
 * the verb is possible. So a stranger learns nothing, not even that a session is running.
 *
 * Whoever the agent's level does not admit has no standing in its sessions either, whatever they were to
 * them before; executors are there because the session was handed to them, and stay.
 *
 * A denial reads as not found, with two exceptions: an environment token that leaves its own work
 * routes for something it can know of is told 403, and so is a user who would change what an agent
 * they know may do. Pure and total. */
#pragma once
#include <stdbool.h>
#include "core/principal.h"

enum access_verb {
	/* a session */
	ACCESS_SESSION_READ,    /* retrieve, list, events, stream, search, export */
	ACCESS_SESSION_POST,    /* messages and events of a user; open or wake again */
	ACCESS_SESSION_ANSWER,  /* results of tool calls */
	ACCESS_SESSION_CONTROL, /* interrupt, approve, queue edits, commands */
	ACCESS_SESSION_MANAGE,  /* rename, metadata, archive, rewind, share */
	ACCESS_SESSION_RESUME,  /* let a lane continue it: /resume, switch, undo reset */
	ACCESS_SESSION_DELETE,
	/* an agent */
	ACCESS_AGENT_READ,
	ACCESS_AGENT_USE,      /* open a session on it, or speak in one for the first time */
	ACCESS_AGENT_OVERRIDE, /* run it in other ways than it lists for its users */
	ACCESS_AGENT_MANAGE,
	/* an environment */
	ACCESS_ENVIRONMENT_WORK, /* poll, ack, heartbeat, stop */
	ACCESS_ENVIRONMENT_READ,
	ACCESS_ENVIRONMENT_MANAGE,
	/* the server */
	ACCESS_WORKER_CONNECT, /* register as an executor of tools */
	ACCESS_USERS,
	ACCESS_TOKENS,
	ACCESS_SERVER, /* restart, settings, everything else of the operator */
	ACCESS_VERB_COUNT
};

/* Whom an agent admits, beside the server's owners: roles count that somebody has with the agent, not
 * what they are on the server. */
enum access_level {
	ACCESS_PUBLIC,    /* anybody; a stranger becomes a guest */
	ACCESS_PROTECTED, /* whoever has a role with the agent, guest included */
	ACCESS_PRIVATE    /* its users and owners */
};

/* Facts about the thing; those that do not belong to the verb's kind are ignored. */
struct access_target {
	/* session */
	struct str session_id;
	bool takes_part;       /* the caller is a participant */
	bool workspace_member; /* the caller is a member of the session's workspace */
	bool surface_group;    /* opened on surface `group`: its workspace's members belong to it */
	bool is_group;         /* type group; its history belongs to all */
	bool handed_over;      /* the caller's environment or worker executes its tools */
	bool lane_foreign;     /* resume: the lane's people do not take part in the session */
	bool running, awaiting_approval, archived, terminated;
	/* agent, also that of a session */
	enum access_level level;
	enum role role; /* that the caller has with it; ROLE_NONE: none */
	bool agent_archived;
	/* environment */
	struct str environment_id;
	struct str work_id; /* the item of its queue; empty: the queue, or the environment itself */
};

enum access_answer {
	ACCESS_ALLOW,
	ACCESS_NOT_FOUND, /* 404 */
	ACCESS_FORBIDDEN, /* 403 */
	ACCESS_CONFLICT   /* 409: allowed, but not in this state */
};
enum access_reason {
	ACCESS_OK,
	ACCESS_NO_STANDING,
	ACCESS_OTHER_PEOPLE, /* /resume across users */
	ACCESS_IS_TERMINATED,
	ACCESS_IS_ARCHIVED,
	ACCESS_AGENT_ARCHIVED,
	ACCESS_GROUP_KEPT,
	ACCESS_IS_RUNNING,
	ACCESS_IS_AWAITING
};
struct access_decision {
	enum access_answer answer;
	enum access_reason reason;
};

struct access_decision access_policy_decide(const struct principal *p, enum access_verb verb,
					    const struct access_target *t);
/* What a denial that reads as not found says: the kind of thing, and not whether there is one. */
const char *access_absent_text(enum access_verb verb);
/* The sentence for a conflict; for the caller's own log otherwise. */
const char *access_reason_text(enum access_reason reason);

/* Does the level let somebody with this role in? */
bool access_level_admits(enum access_level level, enum role role);
bool access_level_parse(struct str word, enum access_level *out);
const char *access_level_name(enum access_level level);

#include "core/access_policy.h"

/* What a caller can be to a thing. */
enum {
	AS_OWNER = 1 << 0,
	AS_PARTICIPANT = 1 << 1,
	AS_MEMBER = 1 << 2,      /* of the workspace, in a session of surface group */
	AS_CHANNEL = 1 << 3,     /* the adapter of the session's namespace */
	AS_SPEAKER = 1 << 4,     /* that adapter, for itself or for one who takes part */
	AS_EXECUTOR = 1 << 5,    /* the environment or worker it was handed to */
	AS_ADMITTED = 1 << 6,    /* let in by the agent's level */
	AS_ENVIRONMENT = 1 << 7, /* the environment itself */
	AS_WORKER = 1 << 8,      /* any worker */
};

/* Which standing is enough for a verb. */
static const unsigned ENOUGH[ACCESS_VERB_COUNT] = {
	[ACCESS_SESSION_READ] = AS_OWNER | AS_PARTICIPANT | AS_MEMBER | AS_CHANNEL | AS_EXECUTOR,
	[ACCESS_SESSION_POST] = AS_OWNER | AS_PARTICIPANT | AS_MEMBER | AS_CHANNEL,
	[ACCESS_SESSION_ANSWER] = AS_OWNER | AS_PARTICIPANT | AS_SPEAKER | AS_EXECUTOR,
	[ACCESS_SESSION_CONTROL] = AS_OWNER | AS_PARTICIPANT | AS_SPEAKER,
	[ACCESS_SESSION_MANAGE] = AS_OWNER | AS_PARTICIPANT | AS_SPEAKER,
	[ACCESS_SESSION_RESUME] = AS_OWNER | AS_PARTICIPANT | AS_SPEAKER,
	[ACCESS_SESSION_DELETE] = AS_OWNER | AS_PARTICIPANT | AS_SPEAKER,
	[ACCESS_AGENT_READ] = AS_OWNER | AS_ADMITTED,
	[ACCESS_AGENT_USE] = AS_OWNER | AS_ADMITTED,
	[ACCESS_AGENT_OVERRIDE] = AS_OWNER,
	[ACCESS_AGENT_MANAGE] = AS_OWNER,
	[ACCESS_ENVIRONMENT_WORK] = AS_OWNER | AS_ENVIRONMENT,
	[ACCESS_ENVIRONMENT_READ] = AS_OWNER | AS_ENVIRONMENT,
	[ACCESS_ENVIRONMENT_MANAGE] = AS_OWNER,
	[ACCESS_WORKER_CONNECT] = AS_OWNER | AS_WORKER,
	[ACCESS_USERS] = AS_OWNER,
	[ACCESS_TOKENS] = AS_OWNER,
	[ACCESS_SERVER] = AS_OWNER,
};

/* Which states forbid a verb, as bits of access_reason; the reasons' order is the order in which
 * they are named. */
#define IF(reason) (1u << (reason))
static const unsigned FORBIDS[ACCESS_VERB_COUNT] = {
	[ACCESS_SESSION_POST] = IF(ACCESS_IS_TERMINATED) | IF(ACCESS_IS_ARCHIVED),
	[ACCESS_SESSION_ANSWER] = IF(ACCESS_IS_TERMINATED) | IF(ACCESS_IS_ARCHIVED),
	[ACCESS_SESSION_RESUME] = IF(ACCESS_IS_TERMINATED),
	[ACCESS_SESSION_DELETE] =
		IF(ACCESS_GROUP_KEPT) | IF(ACCESS_IS_RUNNING) | IF(ACCESS_IS_AWAITING),
	[ACCESS_AGENT_USE] = IF(ACCESS_AGENT_ARCHIVED),
};

static bool
is_session_verb(enum access_verb verb)
{
	return verb <= ACCESS_SESSION_DELETE;
}

static bool
is_admitted(const struct access_target *t)
{
	return access_level_admits(t->level, t->role);
}

static unsigned
channel_standing(const struct principal *p, const struct access_target *t)
{
	unsigned as = 0;

	if (!principal_speaks_for_sender(p) || !principal_owns_id(p, t->session_id) ||
	    !is_admitted(t))
		return 0;
	as = AS_CHANNEL;
	/* Anyone may be heard in the channel; beyond that a sender needs a right of their own. */
	if (str_is_empty(p->sender_channel) || t->takes_part || p->role == ROLE_OWNER)
		as |= AS_SPEAKER;
	return as;
}

static unsigned
user_standing(const struct principal *p, const struct access_target *t)
{
	/* a caller that did not resolve is nobody, never everybody */
	if (str_is_empty(p->user_id) || !is_admitted(t))
		return 0;
	return (t->takes_part ? AS_PARTICIPANT : 0u) |
	       (t->workspace_member && t->surface_group ? AS_MEMBER : 0u);
}

/* The secret of a work item is good for the item's session while it holds the lease. */
static unsigned
executor_standing(const struct principal *p, const struct access_target *t)
{
	bool limited = p->work_id.len > 0;

	if (limited && (p->lease_lost || !str_eq(p->session_id, t->session_id)))
		return 0;
	return t->handed_over ? AS_EXECUTOR : 0u;
}

static unsigned
session_standing(const struct principal *p, const struct access_target *t)
{
	switch (p->kind) {
	case TOKEN_OWNER: return AS_OWNER;
	case TOKEN_USER: return user_standing(p, t);
	case TOKEN_CHANNEL: return channel_standing(p, t);
	case TOKEN_WORKER:
	case TOKEN_ENVIRONMENT: return executor_standing(p, t);
	}
	return 0;
}

/* Standing towards agents, environments and the server. */
static unsigned
general_standing(const struct principal *p, const struct access_target *t)
{
	switch (p->kind) {
	case TOKEN_OWNER: return AS_OWNER;
	case TOKEN_USER: return !str_is_empty(p->user_id) && is_admitted(t) ? AS_ADMITTED : 0u;
	case TOKEN_CHANNEL:
		return principal_speaks_for_sender(p) && is_admitted(t) ? AS_ADMITTED : 0u;
	case TOKEN_WORKER: return AS_WORKER;
	case TOKEN_ENVIRONMENT:
		return p->environment_id.len > 0 && str_eq(p->environment_id, t->environment_id) &&
				       (p->work_id.len == 0 || str_eq(p->work_id, t->work_id))
			       ? AS_ENVIRONMENT
			       : 0u;
	}
	return 0;
}

static unsigned
state_of(const struct access_target *t)
{
	return (t->terminated ? IF(ACCESS_IS_TERMINATED) : 0u) |
	       (t->archived ? IF(ACCESS_IS_ARCHIVED) : 0u) |
	       (t->agent_archived ? IF(ACCESS_AGENT_ARCHIVED) : 0u) |
	       (t->is_group || t->surface_group ? IF(ACCESS_GROUP_KEPT) : 0u) |
	       (t->running ? IF(ACCESS_IS_RUNNING) : 0u) |
	       (t->awaiting_approval ? IF(ACCESS_IS_AWAITING) : 0u);
}

/* 403 only where the caller knows of the thing anyway: a session it executes for, an agent that admits
 * it, or a route that is not its own. Another's session, environment or agent stays hidden. */
static enum access_answer
denial(const struct principal *p, enum access_verb verb, unsigned as)
{
	if (verb == ACCESS_AGENT_OVERRIDE)
		return as & AS_ADMITTED ? ACCESS_FORBIDDEN : ACCESS_NOT_FOUND;
	if (p->kind != TOKEN_ENVIRONMENT || verb == ACCESS_AGENT_READ || verb == ACCESS_AGENT_USE ||
	    verb == ACCESS_AGENT_MANAGE)
		return ACCESS_NOT_FOUND;
	if (is_session_verb(verb) || verb == ACCESS_ENVIRONMENT_WORK ||
	    verb == ACCESS_ENVIRONMENT_READ || verb == ACCESS_ENVIRONMENT_MANAGE)
		return as ? ACCESS_FORBIDDEN : ACCESS_NOT_FOUND;
	return ACCESS_FORBIDDEN;
}

struct access_decision
access_policy_decide(const struct principal *p, enum access_verb verb,
		     const struct access_target *t)
{
	unsigned as = principal_is_owner(p)   ? AS_OWNER
		      : is_session_verb(verb) ? session_standing(p, t)
					      : general_standing(p, t);
	unsigned forbidden = FORBIDS[verb] & state_of(t);

	if ((ENOUGH[verb] & as) == 0)
		return (struct access_decision){ denial(p, verb, as), ACCESS_NO_STANDING };
	if (verb == ACCESS_SESSION_RESUME && t->lane_foreign)
		return (struct access_decision){ ACCESS_NOT_FOUND, ACCESS_OTHER_PEOPLE };
	if (forbidden)
		return (struct access_decision){ ACCESS_CONFLICT,
						 (enum access_reason)__builtin_ctz(forbidden) };
	return (struct access_decision){ ACCESS_ALLOW, ACCESS_OK };
}

const char *
access_absent_text(enum access_verb verb)
{
	switch (verb) {
	case ACCESS_SESSION_READ:
	case ACCESS_SESSION_POST:
	case ACCESS_SESSION_ANSWER:
	case ACCESS_SESSION_CONTROL:
	case ACCESS_SESSION_MANAGE:
	case ACCESS_SESSION_RESUME:
	case ACCESS_SESSION_DELETE: return "there is no such session here";
	case ACCESS_AGENT_READ:
	case ACCESS_AGENT_USE:
	case ACCESS_AGENT_OVERRIDE:
	case ACCESS_AGENT_MANAGE: return "there is no such agent here";
	case ACCESS_ENVIRONMENT_WORK: return "there is no such work queue or item here";
	case ACCESS_ENVIRONMENT_READ:
	case ACCESS_ENVIRONMENT_MANAGE: return "there is no such environment here";
	case ACCESS_WORKER_CONNECT: return "there is no such worker here";
	case ACCESS_USERS: return "there is no such user here";
	case ACCESS_TOKENS: return "there is no such token here";
	case ACCESS_SERVER: return "there is nothing of the operator's here for this token";
	case ACCESS_VERB_COUNT: break;
	}
	return "there is no such thing here";
}

const char *
access_reason_text(enum access_reason reason)
{
	switch (reason) {
	case ACCESS_OK: return "allowed";
	case ACCESS_NO_STANDING: return "no right to this";
	case ACCESS_OTHER_PEOPLE: return "the session belongs to other people than the lane";
	case ACCESS_IS_TERMINATED: return "the session is terminated";
	case ACCESS_IS_ARCHIVED: return "the session is archived";
	case ACCESS_AGENT_ARCHIVED: return "the agent is archived";
	case ACCESS_GROUP_KEPT: return "group sessions are kept: their history is shared";
	case ACCESS_IS_RUNNING: return "the session is running";
	case ACCESS_IS_AWAITING: return "the session awaits an approval";
	}
	return "";
}

bool
access_level_admits(enum access_level level, enum role role)
{
	switch (level) {
	case ACCESS_PUBLIC: return true;
	case ACCESS_PROTECTED: return role >= ROLE_GUEST;
	case ACCESS_PRIVATE: return role >= ROLE_USER;
	}
	return false;
}

static const char *const LEVELS[] = {
	[ACCESS_PUBLIC] = "public",
	[ACCESS_PROTECTED] = "protected",
	[ACCESS_PRIVATE] = "private",
};

bool
access_level_parse(struct str word, enum access_level *out)
{
	for (size_t i = 0; i < ARRAY_LEN(LEVELS); i++) {
		if (str_eq(word, str_of(LEVELS[i]))) {
			*out = (enum access_level)i;
			return true;
		}
	}
	return false;
}

const char *
access_level_name(enum access_level level)
{
	return LEVELS[level];
}

/* override - may the caller run the agent in this way?
 * An owner in any; others in an environment and with a model that the agent lists for its users
 * (core/agent_rights), with no more tools and servers than it has (core/agent_override). ERR_DENIED says
 * what takes an owner. */
#pragma once
#include "engine/engine_private.h"

/* Who wants to run which agent. */
struct override {
	struct engine *en;
	const struct engine_caller *caller;
	struct str agent;
};

/* Does the caller own the agent, so that nothing of this concerns them? */
bool override_is_owners(const struct override *o);

/* A session's agent with members of its own: base as it is, made as it would be (empty: nothing is
 * overridden), model that is asked for (absent: none). Errors name the member below "agent". */
struct override_agent {
	struct str base, made;
	struct json model;
};
NODISCARD int override_check_agent(const struct override *o, const struct override_agent *with,
				   struct arena *a, struct err *e);
/* An empty one is nobody's choice. */
NODISCARD int override_check_model(const struct override *o, struct str model, struct err *e);

/* In which environment is a session opened? In named, or where the agent's usually are (in a) when it is
 * empty. What the caller may not choose does not exist: ERR_NOT_FOUND in the words of engine/catalog. */
NODISCARD int override_environment(const struct override *o, struct str named, struct arena *a,
				   struct str *environment, struct err *e);
/* Once it was found; unconfined: it is this machine, without a sandbox. */
NODISCARD int override_check_sandbox(const struct override *o, struct str environment,
				     bool unconfined, struct err *e);

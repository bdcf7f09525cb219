/* agent_def - an agent's definition: what an API body makes of it, as the wire's agent object.
 *
 * Members in the wire's order: id, type, version, name, description, system, model, tools,
 * mcp_servers, skills, metadata, multiagent, execution_identity, then ours (limits, access,
 * environments, models, approval_rules), archived_at, created_at, updated_at. All are always there; what
 * is unset is null or empty. Lists are replaced whole, metadata and limits are merged. A model that is null
 * is filled in wherever the agent is run or shown (core/model_choice). */
#pragma once
#include "core/access_policy.h"
#include "core/agent_roster.h"
#include "core/definition.h"

enum {
	AGENT_DESCRIPTION_MAX = 2048, /* characters, all three */
	AGENT_SYSTEM_MAX = 100000,
	AGENT_MODEL_MAX = 256,
	AGENT_SKILLS_MAX = 20,
	AGENT_CHOICES_MAX = 32, /* environments, models */
};

struct agent_facts {
	struct str id;
	int64_t now_ms;
	struct json current;        /* absent: it is made */
	struct agent_roster roster; /* what the body's multiagent names, looked up */
};
NODISCARD int agent_def_make(const struct agent_facts *f, struct json body, struct arena *a,
			     struct definition_text *out, struct err *e);

/* What a session runs that changes its agent for itself: v is {"type"?, "id"?, "version"?, model?,
 * system?, tools?, mcp_servers?, skills?}. out: the agent object with those members replaced. */
NODISCARD int agent_def_override(struct json current, struct json v, struct arena *a,
				 struct str *out, struct err *e);

/* agent_run - what of an agent's definition does a turn need: model, prompt, limits?
 * Reads the wire's agent object, as a version of the agent or a session's own snapshot holds it. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/json.h"
#include "core/turn_machine.h"

struct agent_run {
	struct str id, name;
	int64_t version;
	struct str model;           /* empty: the server's default */
	struct str effort;          /* empty: as the model is used to */
	struct str system;          /* empty: none */
	int64_t max_context_tokens; /* 0: what the model has */
	int64_t max_output_tokens, max_steps, timeout_ms, tool_timeout_ms;
	struct json tools, mcp_servers; /* its blocks, for core/tool_offer; its servers */
	struct json approval_rules;     /* for core/agent_rules */
};

/* Texts stay in the document or in a. What is absent or of another shape has its default: definitions
 * were checked when they were made. */
void agent_run_read(struct json agent, struct arena *a, struct agent_run *out);

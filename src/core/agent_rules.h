/* agent_rules - an agent's approval_rules: written when it is defined, read when a turn begins.
 * [{"tool", "mcp_server_name"?, "pattern" (or null), "action"}]; core/approval_policy says what they mean. The name of a tool is not looked up: servers come and go, and bring theirs. */
#pragma once
#include "core/approval_policy.h"
#include "core/definition.h"

enum { AGENT_RULES_MAX = 256, AGENT_RULE_PATTERN_MAX = 2048 /* characters */ };

/* Writes the array; v absent: an empty one. */
NODISCARD int
agent_rules_write(struct definition *d, struct json v, struct json now, struct err *e);
/* The rules of an array so written, for that layer; absent: none. In a, texts perhaps in the document. */
struct approval_rules agent_rules_read(struct json v, enum approval_layer layer, struct arena *a);

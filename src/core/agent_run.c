#include "core/agent_run.h"

enum { OUTPUT_TOKENS_DEFAULT = 4096, TOOL_TIMEOUT_MS_DEFAULT = 120 * 1000 };

static struct json
find(struct json v, const char *name)
{
	struct json out = { 0 };

	if (json_is_set(v))
		IGNORE(json_find(v, str_of(name), &out)); /* absent stays absent */
	return out;
}

static struct str
text(struct json v, const char *name, struct arena *a)
{
	struct json value = find(v, name);

	return json_is_set(value) ? json_str(value, a) : (struct str){ 0 };
}

static int64_t
number(struct json v, const char *name, int64_t usual)
{
	struct json value = find(v, name);
	int64_t out;

	return json_is_set(value) && json_int(value, &out) && out > 0 ? out : usual;
}

void
agent_run_read(struct json agent, struct arena *a, struct agent_run *out)
{
	struct json model = find(agent, "model"), limits = find(agent, "limits");
	bool whole = json_is_set(model) && json_type(model) == JSON_OBJECT; /* or just its id */

	*out = (struct agent_run){
		.id = text(agent, "id", a),
		.name = text(agent, "name", a),
		.version = number(agent, "version", 1),
		.model = whole ? text(model, "id", a) : text(agent, "model", a),
		.effort = whole ? text(find(model, "effort"), "type", a) : (struct str){ 0 },
		.system = text(agent, "system", a),
		.max_context_tokens = number(limits, "max_context_tokens", 0),
		.max_output_tokens = number(limits, "max_output_tokens", OUTPUT_TOKENS_DEFAULT),
		.max_steps = number(limits, "max_steps", TURN_STEPS_DEFAULT),
		.timeout_ms =
			number(limits, "turn_timeout_s", TURN_TIMEOUT_MS_DEFAULT / 1000) * 1000,
		.tool_timeout_ms =
			number(limits, "tool_timeout_s", TOOL_TIMEOUT_MS_DEFAULT / 1000) * 1000,
		.tools = find(agent, "tools"),
		.mcp_servers = find(agent, "mcp_servers"),
		.approval_rules = find(agent, "approval_rules"),
	};
}

/* explain_approval - may this tool call run, under these rules? */
#include "cli/explain.h"
#include "core/approval_policy.h"

static const char *const ACTIONS[] = {
	[APPROVAL_ALLOW] = "allow",
	[APPROVAL_ASK] = "ask",
	[APPROVAL_DENY] = "deny",
};
static const char *const LAYERS[] = {
	[APPROVAL_AGENT] = "agent",
	[APPROVAL_AGENT_LATEST] = "agent_latest",
	[APPROVAL_OPERATOR] = "operator",
	[APPROVAL_SESSION] = "session",
};

static int
read_name(struct json v, struct arena *a, struct str *out, struct err *e)
{
	int rc = json_take_str(v, a, out, e);

	if (rc == 0 && str_is_empty(*out))
		return json_fail(v, e, "must not be empty");
	return rc;
}

static int
read_rule(struct json v, struct arena *a, struct approval_rule *out, struct err *e)
{
	struct json tool = { 0 }, server = { 0 }, pattern = { 0 }, action = { 0 }, layer = { 0 };
	const struct json_field fields[] = {
		{ "tool", JSON_WANT_STRING, true, &tool },
		{ "mcp_server_name", JSON_WANT_STRING, false, &server },
		{ "pattern", JSON_WANT_STRING, false, &pattern },
		{ "action", JSON_WANT_STRING, true, &action },
		{ "layer", JSON_WANT_STRING, false, &layer },
	};
	size_t action_at = APPROVAL_ASK, layer_at = APPROVAL_SESSION;
	int rc = json_fields(v, fields, ARRAY_LEN(fields), e);

	if (rc == 0)
		rc = read_name(tool, a, &out->tool, e);
	if (rc == 0)
		rc = json_take_str(server, a, &out->server, e);
	if (rc == 0)
		rc = json_take_str(pattern, a, &out->pattern, e);
	if (rc == 0)
		rc = json_take_word(action, ACTIONS, ARRAY_LEN(ACTIONS), &action_at, e);
	if (rc == 0)
		rc = json_take_word(layer, LAYERS, ARRAY_LEN(LAYERS), &layer_at, e);
	out->action = (enum approval_action)action_at;
	out->layer = (enum approval_layer)layer_at;
	return rc;
}

static int
read_rules(struct json v, struct arena *a, struct approval_rules *out, struct err *e)
{
	struct approval_rule *rules = ARENA_ARRAY(a, json_count(v), struct approval_rule);
	struct json_iter it = json_iter(v);

	while (json_next(&it)) {
		if (json_type(it.value) != JSON_OBJECT)
			return json_fail(it.value, e, "must be an object, not %s",
					 json_type_name(it.value));
		int rc = read_rule(it.value, a, &rules[it.index], e);

		if (rc != 0)
			return rc;
	}
	*out = (struct approval_rules){ rules, json_count(v) };
	return 0;
}

int
explain_approval(struct json facts, struct arena *a, struct jw *out, struct err *e)
{
	struct json rules_value = { 0 }, tool_value = { 0 }, server = { 0 }, arguments = { 0 };
	const struct json_field fields[] = {
		{ "rules", JSON_WANT_ARRAY, true, &rules_value },
		{ "tool", JSON_WANT_STRING, true, &tool_value },
		{ "mcp_server_name", JSON_WANT_STRING, false, &server },
		{ "arguments", JSON_WANT_OBJECT, true, &arguments },
	};
	struct approval_rules rules = { 0 };
	struct approval_decision d;
	struct tool_ref tool = { 0 };
	int rc = json_fields(facts, fields, ARRAY_LEN(fields), e);

	if (rc == 0)
		rc = read_rules(rules_value, a, &rules, e);
	if (rc == 0)
		rc = read_name(tool_value, a, &tool.name, e);
	if (rc == 0)
		rc = json_take_str(server, a, &tool.server, e);
	if (rc != 0)
		return rc;
	tool.own_name = tool.name;
	d = approval_policy_decide(rules, tool, arguments, a);
	jw_object(out);
	jw_field_str(out, "decision", str_of(ACTIONS[d.action]));
	if (d.rule == APPROVAL_NO_RULE)
		jw_field_null(out, "rule");
	else
		jw_field_int(out, "rule", d.rule);
	jw_end_object(out);
	return 0;
}

#include "core/agent_rules.h"

#include "core/agent_tools.h"

static const char *const ACTIONS[] = {
	[APPROVAL_ALLOW] = "allow",
	[APPROVAL_ASK] = "ask",
	[APPROVAL_DENY] = "deny",
};

/* Only a rule about servers' tools has it. */
static int
write_server(struct definition *d, struct json v, struct err *e)
{
	struct str name;
	int rc;

	if (!json_is_set(v) || json_type(v) == JSON_NULL)
		return 0;
	rc = definition_take_label(d, v, AGENT_TOOL_NAME_MAX, &name, e);
	if (rc == 0)
		jw_field_str(&d->w, "mcp_server_name", name);
	return rc;
}

static int
write_rule(struct definition *d, struct json v, struct err *e)
{
	struct json tool = { 0 }, server = { 0 }, pattern = { 0 }, action = { 0 };
	const struct json_field fields[] = {
		{ "tool", JSON_WANT_STRING, true, &tool },
		{ "mcp_server_name", JSON_WANT_STRING | JSON_WANT_NULL, false, &server },
		{ "pattern", JSON_WANT_STRING | JSON_WANT_NULL, false, &pattern },
		{ "action", JSON_WANT_STRING, true, &action },
	};
	struct str name;
	size_t what = 0;
	int rc = json_fields(v, fields, ARRAY_LEN(fields), e);

	if (rc == 0)
		rc = definition_take_label(d, tool, AGENT_TOOL_NAME_MAX, &name, e);
	if (rc == 0)
		rc = json_take_word(action, ACTIONS, ARRAY_LEN(ACTIONS), &what, e);
	if (rc != 0)
		return rc;
	jw_object(&d->w);
	jw_field_str(&d->w, "tool", name);
	rc = write_server(d, server, e);
	if (rc != 0)
		return rc;
	jw_key(&d->w, STR("pattern"));
	rc = definition_write_text(d, pattern, 1, AGENT_RULE_PATTERN_MAX, e);
	if (rc != 0)
		return rc;
	jw_field_str(&d->w, "action", str_of(ACTIONS[what]));
	jw_end_object(&d->w);
	return 0;
}

int
agent_rules_write(struct definition *d, struct json v, struct json now, struct err *e)
{
	(void)now; /* the last match wins: only the whole list has a meaning */
	if (json_count(v) > AGENT_RULES_MAX)
		return json_fail(v, e, "must have at most %d rules, not %zu", AGENT_RULES_MAX,
				 json_count(v));
	jw_array(&d->w);
	for (struct json_iter it = json_iter(v); json_next(&it);) {
		int rc = write_rule(d, it.value, e);
		if (rc != 0)
			return rc;
	}
	jw_end_array(&d->w);
	return 0;
}

static struct str
text_of(struct json rule, const char *name, struct arena *a)
{
	struct json v = definition_find(rule, name);

	return json_type(v) == JSON_STRING ? json_str(v, a) : (struct str){ 0 };
}

/* A word that it does not know is the strictest: rules were checked when they were made. */
static enum approval_action
action_of(struct json rule)
{
	struct json v = definition_find(rule, "action");

	for (size_t i = APPROVAL_ALLOW; i < APPROVAL_DENY; i++)
		if (json_str_eq(v, str_of(ACTIONS[i])))
			return (enum approval_action)i;
	return APPROVAL_DENY;
}

struct approval_rules
agent_rules_read(struct json v, enum approval_layer layer, struct arena *a)
{
	struct approval_rule *rules = ARENA_ARRAY(a, json_count(v) + 1, struct approval_rule);
	size_t count = 0;

	for (struct json_iter it = json_iter(v); json_next(&it); count++)
		rules[count] = (struct approval_rule){
			.tool = text_of(it.value, "tool", a),
			.server = text_of(it.value, "mcp_server_name", a),
			.pattern = text_of(it.value, "pattern", a),
			.action = action_of(it.value),
			.layer = layer,
		};
	return (struct approval_rules){ rules, count };
}

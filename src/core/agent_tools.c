#include "core/agent_tools.h"

#include "core/mcp_servers.h"
#include "core/tool_name.h"

enum { DESCRIPTION_MAX = 16 * 1024 };
enum tool_type { TOOL_CUSTOM, TOOL_BUILT_IN, TOOL_MCP };
static const char *const TYPES[] = {
	[TOOL_CUSTOM] = "custom",
	[TOOL_BUILT_IN] = "agent_toolset_20260401",
	[TOOL_MCP] = "mcp_toolset",
};
static const char *const BUILT_IN[] = {
	"bash", "read", "write", "edit", "glob", "grep", "web_fetch", "web_search",
};
static const char *const POLICIES[] = {
	[APPROVAL_ALWAYS_ALLOW] = "always_allow",
	[APPROVAL_ALWAYS_ASK] = "always_ask",
	[APPROVAL_AUTO] = "auto",
};

/* What the blocks before this one have named. */
struct named {
	struct str custom[AGENT_TOOLS_MAX], servers[AGENT_TOOLS_MAX];
	size_t custom_count, server_count;
	bool built_in;
};

struct config {
	bool enabled;
	size_t policy; /* enum approval_mode */
};

static int
take_policy(struct json v, size_t *out, struct err *e)
{
	struct json type = { 0 };
	const struct json_field fields[] = { { "type", JSON_WANT_STRING, true, &type } };
	int rc = 0;

	if (json_is_set(v))
		rc = json_fields(v, fields, ARRAY_LEN(fields), e);
	return rc == 0 ? json_take_word(type, POLICIES, ARRAY_LEN(POLICIES), out, e) : rc;
}

static int
take_config(struct json enabled, struct json policy, struct config *c, struct err *e)
{
	int rc = json_take_bool(enabled, &c->enabled, e);

	return rc == 0 ? take_policy(policy, &c->policy, e) : rc;
}

static void
write_config(struct definition *d, const struct config *c)
{
	jw_field_bool(&d->w, "enabled", c->enabled);
	jw_field_object(&d->w, "permission_policy");
	jw_field_str(&d->w, "type", str_of(POLICIES[c->policy]));
	jw_end_object(&d->w);
}

static int
write_default(struct definition *d, struct json v, struct config *c, struct err *e)
{
	struct json enabled = { 0 }, policy = { 0 };
	const struct json_field fields[] = {
		{ "enabled", JSON_WANT_BOOL | JSON_WANT_NULL, false, &enabled },
		{ "permission_policy", JSON_WANT_OBJECT | JSON_WANT_NULL, false, &policy },
	};
	int rc = 0;

	if (json_is_set(v))
		rc = json_fields(v, fields, ARRAY_LEN(fields), e);
	if (rc == 0)
		rc = take_config(enabled, policy, c, e);
	if (rc != 0)
		return rc;
	jw_field_object(&d->w, "default_config");
	write_config(d, c);
	jw_end_object(&d->w);
	return 0;
}

/* One entry of configs; what it leaves open is the block's default. */
static int
write_tool_config(struct definition *d, struct json v, enum tool_type block, struct config c,
		  struct str *name, struct err *e)
{
	struct json label = { 0 }, enabled = { 0 }, policy = { 0 }, type = { 0 };
	const struct json_field fields[] = {
		{ "name", JSON_WANT_STRING, true, &label },
		{ "enabled", JSON_WANT_BOOL | JSON_WANT_NULL, false, &enabled },
		{ "permission_policy", JSON_WANT_OBJECT | JSON_WANT_NULL, false, &policy },
		/* only of built-in tools: the name again */
		{ "type", JSON_WANT_STRING, false, &type },
	};
	size_t built_in = 0;
	int rc = json_fields(v, fields, block == TOOL_BUILT_IN ? 4 : 3, e);

	if (rc == 0)
		rc = definition_take_label(d, label, AGENT_TOOL_NAME_MAX, name, e);
	if (rc == 0 && block == TOOL_BUILT_IN)
		rc = json_take_word(label, BUILT_IN, ARRAY_LEN(BUILT_IN), &built_in, e);
	if (rc == 0 && json_is_set(type) && !json_str_eq(type, *name))
		rc = json_fail(type, e, "must be '" STR_FMT "', like the name", STR_ARG(*name));
	if (rc == 0)
		rc = take_config(enabled, policy, &c, e);
	if (rc != 0)
		return rc;
	jw_object(&d->w);
	jw_field_str(&d->w, "name", *name);
	if (block == TOOL_BUILT_IN)
		jw_field_str(&d->w, "type", *name);
	write_config(d, &c);
	jw_end_object(&d->w);
	return 0;
}

/* Refuses a name that stands in names already. */
static int
check_new(struct json v, const struct str *names, size_t count, struct str name, struct err *e)
{
	for (size_t i = 0; i < count; i++)
		if (str_eq(names[i], name))
			return json_fail(v, e, "names '" STR_FMT "' a second time", STR_ARG(name));
	return 0;
}

static int
write_configs(struct definition *d, struct json v, enum tool_type block, const struct config *c,
	      struct err *e)
{
	struct str names[AGENT_TOOLS_MAX];

	if (json_count(v) > AGENT_TOOLS_MAX)
		return json_fail(v, e, "must have at most %d entries, not %zu", AGENT_TOOLS_MAX,
				 json_count(v));
	jw_field_array(&d->w, "configs");
	for (struct json_iter it = json_iter(v); json_next(&it);) {
		int rc = write_tool_config(d, it.value, block, *c, &names[it.index], e);

		if (rc == 0)
			rc = check_new(it.value, names, it.index, names[it.index], e);
		if (rc != 0)
			return rc;
	}
	jw_end_array(&d->w);
	return 0;
}

static int
write_toolset(struct definition *d, struct json v, enum tool_type block, struct named *named,
	      struct err *e)
{
	struct json type = { 0 }, defaults = { 0 }, configs = { 0 }, server = { 0 };
	const struct json_field fields[] = {
		{ "type", JSON_WANT_STRING, true, &type },
		{ "default_config", JSON_WANT_OBJECT | JSON_WANT_NULL, false, &defaults },
		{ "configs", JSON_WANT_ARRAY | JSON_WANT_NULL, false, &configs },
		{ "mcp_server_name", JSON_WANT_STRING, true, &server },
	};
	struct config c = { true, block == TOOL_MCP ? APPROVAL_ALWAYS_ASK : APPROVAL_ALWAYS_ALLOW };
	struct str name = { 0 };
	int rc = json_fields(v, fields, block == TOOL_MCP ? 4 : 3, e);

	if (rc == 0 && block == TOOL_BUILT_IN && named->built_in)
		rc = json_fail(v, e, "names %s a second time", TYPES[TOOL_BUILT_IN]);
	if (rc == 0 && block == TOOL_MCP)
		rc = definition_take_label(d, server, MCP_SERVER_NAME_MAX, &name, e);
	if (rc == 0 && block == TOOL_MCP)
		rc = check_new(v, named->servers, named->server_count, name, e);
	if (rc != 0)
		return rc;
	jw_field_str(&d->w, "type", str_of(TYPES[block]));
	if (block == TOOL_MCP) {
		named->servers[named->server_count++] = name;
		jw_field_str(&d->w, "mcp_server_name", name);
	} else {
		named->built_in = true;
	}
	rc = write_default(d, defaults, &c, e);
	return rc == 0 ? write_configs(d, configs, block, &c, e) : rc;
}

static int
check_schema(struct json schema, struct err *e)
{
	struct json type = definition_find(schema, "type");
	struct json properties = definition_find(schema, "properties");
	struct json required = definition_find(schema, "required");

	if (!json_str_eq(type, STR("object")))
		return json_fail(schema, e, "must be a JSON Schema of type 'object'");
	if (json_type(properties) != JSON_OBJECT && json_type(properties) != JSON_NULL)
		return json_fail(properties, e, "must be an object, not %s",
				 json_type_name(properties));
	if (json_type(required) != JSON_ARRAY && json_type(required) != JSON_NULL)
		return json_fail(required, e, "must be an array, not %s", json_type_name(required));
	return 0;
}

static int
write_custom(struct definition *d, struct json v, struct named *named, struct err *e)
{
	struct json type = { 0 }, label = { 0 }, description = { 0 }, schema = { 0 };
	const struct json_field fields[] = {
		{ "type", JSON_WANT_STRING, true, &type },
		{ "name", JSON_WANT_STRING, true, &label },
		{ "description", JSON_WANT_STRING, true, &description },
		{ "input_schema", JSON_WANT_OBJECT, true, &schema },
	};
	struct str name = { 0 };
	int rc = json_fields(v, fields, ARRAY_LEN(fields), e);

	if (rc == 0)
		rc = json_take_str(label, d->a, &name, e);
	if (rc == 0 && !tool_name_is_plain(name, AGENT_TOOL_NAME_MAX))
		rc = json_fail(label, e, "must be 1 to %d letters, digits, underscores and hyphens",
			       AGENT_TOOL_NAME_MAX);
	if (rc == 0)
		rc = check_new(v, named->custom, named->custom_count, name, e);
	if (rc == 0)
		rc = check_schema(schema, e);
	if (rc != 0)
		return rc;
	named->custom[named->custom_count++] = name;
	jw_field_str(&d->w, "type", str_of(TYPES[TOOL_CUSTOM]));
	jw_field_str(&d->w, "name", name);
	jw_key(&d->w, STR("description"));
	rc = definition_write_text(d, description, 1, DESCRIPTION_MAX, e);
	if (rc != 0)
		return rc;
	jw_key(&d->w, STR("input_schema"));
	return definition_write_copy(d, schema, e);
}

static int
write_tool(struct definition *d, struct json v, struct named *named, struct err *e)
{
	struct json type = definition_find(v, "type");
	size_t block = 0;
	int rc = 0;

	if (!json_is_set(type))
		return json_fail(v, e, "must be an object with a type: %s, %s or %s",
				 TYPES[TOOL_CUSTOM], TYPES[TOOL_BUILT_IN], TYPES[TOOL_MCP]);
	rc = json_take_word(type, TYPES, ARRAY_LEN(TYPES), &block, e);
	if (rc != 0)
		return rc;
	jw_object(&d->w);
	rc = block == TOOL_CUSTOM ? write_custom(d, v, named, e)
				  : write_toolset(d, v, (enum tool_type)block, named, e);
	if (rc == 0)
		jw_end_object(&d->w);
	return rc;
}

/* A client's tool must not stand in for a built-in one. */
static int
check_clash(struct json v, const struct named *named, struct err *e)
{
	for (size_t i = 0; named->built_in && i < named->custom_count; i++)
		for (size_t j = 0; j < ARRAY_LEN(BUILT_IN); j++)
			if (str_eq(named->custom[i], str_of(BUILT_IN[j])))
				return json_fail(v, e,
						 "the custom tool '%s' has the name of a built-in "
						 "one",
						 BUILT_IN[j]);
	return 0;
}

int
agent_tools_write(struct definition *d, struct json v, struct json now, struct err *e)
{
	struct named *named = ARENA_NEW(d->a, struct named);
	int rc = 0;

	(void)now; /* replaced whole */
	if (json_count(v) > AGENT_TOOLS_MAX)
		return json_fail(v, e, "must have at most %d tools, not %zu", AGENT_TOOLS_MAX,
				 json_count(v));
	jw_array(&d->w);
	for (struct json_iter it = json_iter(v); rc == 0 && json_next(&it);)
		rc = write_tool(d, it.value, named, e);
	if (rc != 0)
		return rc;
	jw_end_array(&d->w);
	return check_clash(v, named, e);
}

bool
agent_tools_is_built_in(struct str name)
{
	for (size_t i = 0; i < ARRAY_LEN(BUILT_IN); i++)
		if (str_eq(name, str_of(BUILT_IN[i])))
			return true;
	return false;
}

/* What is absent or of another shape stays as it is: blocks were checked when they were made. */
static void
read_config(struct json v, struct agent_tool_config *out)
{
	struct json enabled = definition_find(v, "enabled");
	struct json policy = definition_find(definition_find(v, "permission_policy"), "type");

	if (json_type(enabled) == JSON_TRUE || json_type(enabled) == JSON_FALSE)
		out->enabled = json_type(enabled) == JSON_TRUE;
	for (size_t i = 0; i < ARRAY_LEN(POLICIES); i++)
		if (json_str_eq(policy, str_of(POLICIES[i])))
			out->policy = (enum approval_mode)i;
}

struct agent_tool_config
agent_tools_config(struct json block, struct str name)
{
	bool mcp = json_str_eq(definition_find(block, "type"), AGENT_TOOLS_MCP);
	struct agent_tool_config out = { true, mcp ? APPROVAL_ALWAYS_ASK : APPROVAL_ALWAYS_ALLOW };

	read_config(definition_find(block, "default_config"), &out);
	for (struct json_iter it = json_iter(definition_find(block, "configs")); json_next(&it);)
		if (json_str_eq(definition_find(it.value, "name"), name))
			read_config(it.value, &out);
	return out;
}

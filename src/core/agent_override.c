#include "core/agent_override.h"

#include "core/agent_tools.h"
#include "core/canonical_json.h"
#include "core/definition.h"

/* One and the same value, whatever its spelling? */
static bool
is_in(struct json block, struct json list, struct arena *a)
{
	struct str text = canonical_json_str(block, a);

	if (json_type(list) != JSON_ARRAY)
		return false;
	for (struct json_iter it = json_iter(list); json_next(&it);)
		if (str_eq(canonical_json_str(it.value, a), text))
			return true;
	return false;
}

static bool
is_custom(struct json block)
{
	return json_str_eq(definition_find(block, "type"), AGENT_TOOLS_CUSTOM);
}

/* Everything that base does not have is the client's own to execute? */
static bool
adds_nothing(struct json base, struct json wanted, struct arena *a)
{
	if (json_type(wanted) != JSON_ARRAY)
		return true;
	for (struct json_iter it = json_iter(wanted); json_next(&it);)
		if (!is_custom(it.value) && !is_in(it.value, base, a))
			return false;
	return true;
}

const char *
agent_override_of_owners(struct json base, struct json wanted, struct arena *a)
{
	static const char *const MEMBERS[] = { "tools", "mcp_servers" };

	for (size_t i = 0; i < ARRAY_LEN(MEMBERS); i++)
		if (!adds_nothing(definition_find(base, MEMBERS[i]),
				  definition_find(wanted, MEMBERS[i]), a))
			return MEMBERS[i];
	return NULL;
}

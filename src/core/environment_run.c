#include "core/environment_run.h"

#include "core/definition.h"

static enum tool_access
access_of(struct json sandbox)
{
	struct json word = definition_find(sandbox, "workspace_access");

	if (json_str_eq(word, STR("none")))
		return TOOL_ACCESS_NONE;
	return json_str_eq(word, STR("ro")) ? TOOL_ACCESS_READ : TOOL_ACCESS_WRITE;
}

void
environment_run_read(struct json environment, struct arena *a, struct environment_run *out)
{
	struct json config = definition_find(environment, "config");
	struct json sandbox = definition_find(config, "sandbox");

	*out = (struct environment_run){
		.by_worker = !json_str_eq(definition_find(config, "type"), STR("local")),
		.place = {
			.directory = json_str(definition_find(config, "working_directory"), a),
			.sandboxed = !json_str_eq(definition_find(sandbox, "mode"), STR("off")),
			.access = access_of(sandbox),
			.network = json_str_eq(definition_find(sandbox, "network"), STR("on")),
		},
		.mcp_servers = definition_find(config, "mcp_servers"),
	};
}

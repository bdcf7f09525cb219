/* cmd_environment - `perdure environment list|show`. */
#include "cli/commands.h"
#include "cli/record.h"

int
cmd_environment_list(struct cli_call *call, struct err *e)
{
	static const struct record_field FIELDS[] = {
		{ "ID", "id", TABLE_TEXT },
		{ "NAME", "name", TABLE_WIDE },
		{ "TYPE", "config.type", TABLE_TEXT },
		{ "DIRECTORY", "config.working_directory", TABLE_WIDE },
		{ "CHANGED", "updated_at", TABLE_TIME },
	};
	bool all = args_value(&call->args, "--all") != NULL;
	int64_t limit = 0;
	int rc = args_int(&call->args, "--limit", 0, INT64_MAX, &limit, e);

	if (rc != 0)
		return rc;
	return record_list(
		call, all ? STR("/v1/environments?include_archived=true") : STR("/v1/environments"),
		FIELDS, ARRAY_LEN(FIELDS), limit, e);
}

int
cmd_environment_show(struct cli_call *call, struct err *e)
{
	static const struct record_field FIELDS[] = {
		{ "id", "id", TABLE_TEXT },
		{ "name", "name", TABLE_TEXT },
		{ "description", "description", TABLE_TEXT },
		{ "config", "config", TABLE_TEXT },
		{ "created", "created_at", TABLE_TIME },
		{ "changed", "updated_at", TABLE_TIME },
		{ "archived", "archived_at", TABLE_TIME },
	};
	struct json environment;
	int rc = call_ask(call, "GET",
			  call_path(call, "/v1/environments/", args_word(&call->args, 0), ""),
			  (struct str){ 0 }, &environment, e);

	if (rc == 0)
		record_show(call, environment, FIELDS, ARRAY_LEN(FIELDS));
	return rc;
}

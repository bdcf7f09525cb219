/* cmd_session_bundle - `perdure session export|import`: a log as a file, and back. */
#include "cli/commands.h"
#include "cli/record.h"
#include "cli/transfer.h"

int
cmd_session_export(struct cli_call *call, struct err *e)
{
	struct str path = call_path(call, "/v1/sessions/", args_word(&call->args, 0), "/export");

	return transfer_export(call, path, args_word(&call->args, 1), e);
}

int
cmd_session_import(struct cli_call *call, struct err *e)
{
	struct transfer_import t = { .path = STR("/v1/sessions/import"),
				     .content_type = STR("application/x-ndjson"),
				     .file = args_word(&call->args, 0) };
	struct json session;
	int rc = transfer_import(call, &t, &session, e);

	if (rc == 0)
		record_done(call, session, "id");
	return rc;
}

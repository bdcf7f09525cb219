/* cmd_session_queue - `perdure session queue list|edit|cancel`: the messages that wait. */
#include "cli/commands.h"
#include "cli/record.h"
#include "cli/url_text.h"

int
cmd_session_queue_list(struct cli_call *call, struct err *e)
{
	static const struct record_field FIELDS[] = {
		{ "POSITION", "position", TABLE_NUMBER },
		{ "MESSAGE", "message_id", TABLE_TEXT },
		{ "BUSY", "busy", TABLE_TEXT },
		{ "SENT", "created_at", TABLE_TIME },
	};

	return record_list(call,
			   call_path(call, "/v1/sessions/", args_word(&call->args, 0), "/queue"),
			   FIELDS, ARRAY_LEN(FIELDS), 0, e);
}

/* …/queue/{message} of the session and the message that were named. */
static struct str
path_of(struct cli_call *call)
{
	struct str queue = call_path(call, "/v1/sessions/", args_word(&call->args, 0), "/queue/");

	return call_path(call, arena_printf(&call->a, STR_FMT, STR_ARG(queue)).ptr,
			 args_word(&call->args, 1), "");
}

int
cmd_session_queue_edit(struct cli_call *call, struct err *e)
{
	struct json changed;
	struct buf body;
	struct jw w;
	int rc;

	buf_init(&body, CALL_BODY_MAX);
	jw_init(&w, &body);
	jw_object(&w);
	jw_field_str(&w, "text", str_of(args_word(&call->args, 2)));
	jw_end_object(&w);
	rc = call_ask(call, "POST", path_of(call), buf_str(&body), &changed, e);
	buf_release(&body);
	if (rc == 0)
		record_done(call, changed, "message_id");
	return rc;
}

int
cmd_session_queue_cancel(struct cli_call *call, struct err *e)
{
	struct json gone;
	int rc = call_ask(call, "DELETE", path_of(call), (struct str){ 0 }, &gone, e);

	if (rc == 0)
		record_done(call, gone, "id");
	return rc;
}

/* cmd_session - `perdure session list|show|rename|archive|delete`. */
#include "cli/commands.h"
#include "cli/record.h"
#include "cli/url_text.h"

enum { URL_MAX = 8192 };

int
cmd_session_list(struct cli_call *call, struct err *e)
{
	static const struct record_field FIELDS[] = {
		{ "ID", "id", TABLE_TEXT },
		{ "STATUS", "display_status|status", TABLE_TEXT },
		{ "AGENT", "agent.id", TABLE_TEXT },
		{ "TITLE", "title|description|preview", TABLE_WIDE },
		{ "MSGS", "message_count", TABLE_NUMBER },
		{ "ACTIVE", "last_activity_at|updated_at", TABLE_TIME },
	};
	const char *status = args_value(&call->args, "--status");
	int64_t limit = 50;
	struct buf url;
	int rc = args_int(&call->args, "--limit", 0, INT64_MAX, &limit, e);

	if (rc != 0)
		return rc;
	buf_init(&url, URL_MAX);
	buf_puts(&url, "/v1/sessions");
	url_text_query(&url, "agent_id", str_of(args_value(&call->args, "--agent")));
	url_text_query(&url, "text", str_of(args_value(&call->args, "--text")));
	url_text_query(&url, "channel", str_of(args_value(&call->args, "--prefix")));
	url_text_query(&url, "statuses[]", str_of(status));
	if (args_value(&call->args, "--all")) {
		url_text_query(&url, "include_archived", STR("true"));
		url_text_query(&url, "include_inactive", STR("true"));
	}
	rc = record_list(call, buf_str(&url), FIELDS, ARRAY_LEN(FIELDS), limit, e);
	buf_release(&url);
	return rc;
}

int
cmd_session_show(struct cli_call *call, struct err *e)
{
	static const struct record_field FIELDS[] = {
		{ "id", "id", TABLE_TEXT },
		{ "title", "title|description", TABLE_TEXT },
		{ "status", "status", TABLE_TEXT },
		{ "lifecycle", "lifecycle", TABLE_TEXT },
		{ "stopped", "stop_reason.type", TABLE_TEXT },
		{ "agent", "agent.id", TABLE_TEXT },
		{ "version", "agent.version", TABLE_TEXT },
		{ "model", "agent.model.id", TABLE_TEXT },
		{ "environment", "environment_id", TABLE_TEXT },
		{ "source", "source.kind", TABLE_TEXT },
		{ "messages", "message_count", TABLE_TEXT },
		{ "turns", "counters.completed_turns", TABLE_TEXT },
		{ "tokens", "counters.total_tokens", TABLE_TEXT },
		{ "events", "head_seq", TABLE_TEXT },
		{ "tools running", "tool_processes.running", TABLE_TEXT, .some = true },
		{ "tools waiting", "tool_processes.waiting", TABLE_TEXT, .some = true },
		{ "preview", "preview", TABLE_TEXT },
		{ "created", "created_at", TABLE_TIME },
		{ "active", "last_activity_at|updated_at", TABLE_TIME },
		{ "archived", "archived_at", TABLE_TIME },
	};
	struct json session;
	int rc = call_ask(call, "GET",
			  call_path(call, "/v1/sessions/", args_word(&call->args, 0), ""),
			  (struct str){ 0 }, &session, e);

	if (rc == 0)
		record_show(call, session, FIELDS, ARRAY_LEN(FIELDS));
	return rc;
}

int
cmd_session_rename(struct cli_call *call, struct err *e)
{
	struct json session;
	struct buf body;
	struct jw w;
	int rc;

	buf_init(&body, CALL_BODY_MAX);
	jw_init(&w, &body);
	jw_object(&w);
	jw_field_str(&w, "title", str_of(args_word(&call->args, 1)));
	jw_end_object(&w);
	rc = call_ask(call, "POST", call_path(call, "/v1/sessions/", args_word(&call->args, 0), ""),
		      buf_str(&body), &session, e);
	buf_release(&body);
	if (rc == 0)
		record_done(call, session, "title");
	return rc;
}

int
cmd_session_archive(struct cli_call *call, struct err *e)
{
	struct json session;
	int rc = call_ask(call, "POST",
			  call_path(call, "/v1/sessions/", args_word(&call->args, 0), "/archive"),
			  (struct str){ 0 }, &session, e);

	if (rc == 0)
		record_done(call, session, "id");
	return rc;
}

int
cmd_session_delete(struct cli_call *call, struct err *e)
{
	const char *id = args_word(&call->args, 0);
	struct json gone;
	int rc =
		call_confirm(call, arena_printf(&call->a, "Delete session %s and its log?", id), e);

	if (rc == 0)
		rc = call_ask(call, "DELETE", call_path(call, "/v1/sessions/", id, ""),
			      (struct str){ 0 }, &gone, e);
	if (rc == 0)
		record_done(call, gone, "id");
	return rc;
}

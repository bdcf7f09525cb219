/* cmd_lane - `perdure lane list|show|reset|switch|update|suspend|resume|prune|export|import`. */
#include "cli/commands.h"
#include "cli/record.h"
#include "cli/transfer.h"
#include "cli/url_text.h"

enum { URL_MAX = 8192 };

/* ---- which one ---- */

/* By its id, or by the session that it is in. */
static int
find_lane(struct cli_call *call, const char *word, struct str *out, struct err *e)
{
	struct json page, data = { 0 };
	struct json_iter it;
	struct buf url;
	int rc;

	*out = str_of(word);
	if (str_starts(*out, STR("lane_")))
		return 0;
	buf_init(&url, URL_MAX);
	buf_puts(&url, "/v1/lanes");
	url_text_query(&url, "session_id", str_of(word));
	rc = call_ask(call, "GET", arena_str(&call->a, buf_str(&url)), (struct str){ 0 }, &page, e);
	buf_release(&url);
	if (rc != 0)
		return rc;
	IGNORE(json_find(page, STR("data"), &data)); /* absent: no lane */
	it = json_iter(data);
	if (!json_is_set(data) || !json_next(&it))
		return err_set(e, ERR_NOT_FOUND, "no conversation is in session %s", word);
	*out = arena_str(&call->a, record_value(it.value, "id", &call->a));
	return 0;
}

static int
ask_lane(struct cli_call *call, const char *method, const char *after, struct str body,
	 struct json *out, struct err *e)
{
	struct str lane;
	int rc = find_lane(call, args_word(&call->args, 0), &lane, e);

	return rc != 0 ? rc
		       : call_ask(call, method, call_path(call, "/v1/lanes/", lane.ptr, after),
				  body, out, e);
}

/* One member of text, if it was given. */
static struct str
body_of(struct cli_call *call, const char *member, const char *value)
{
	struct buf body;
	struct str text;
	struct jw w;

	buf_init(&body, CALL_BODY_MAX);
	jw_init(&w, &body);
	jw_object(&w);
	if (value)
		jw_field_str(&w, member, str_of(value));
	jw_end_object(&w);
	text = arena_str(&call->a, buf_str(&body));
	buf_release(&body);
	return text;
}

/* ---- commands ---- */

int
cmd_lane_list(struct cli_call *call, struct err *e)
{
	static const struct record_field FIELDS[] = {
		{ "ID", "id", TABLE_TEXT },
		{ "KEY", "session_key", TABLE_WIDE },
		{ "SESSION", "session_id", TABLE_TEXT },
		{ "NAME", "display_name", TABLE_TEXT },
		{ "TOKENS", "total_tokens", TABLE_NUMBER },
		{ "ACTIVE", "updated_at", TABLE_TIME },
	};
	int64_t limit = 50;
	struct buf url;
	int rc = args_int(&call->args, "--limit", 0, INT64_MAX, &limit, e);

	if (rc != 0)
		return rc;
	buf_init(&url, URL_MAX);
	buf_puts(&url, "/v1/lanes");
	url_text_query(&url, "active_minutes", str_of(args_value(&call->args, "--active")));
	rc = record_list(call, buf_str(&url), FIELDS, ARRAY_LEN(FIELDS), limit, e);
	buf_release(&url);
	return rc;
}

int
cmd_lane_show(struct cli_call *call, struct err *e)
{
	static const struct record_field FIELDS[] = {
		{ "id", "id", TABLE_TEXT },
		{ "key", "session_key", TABLE_TEXT },
		{ "session", "session_id", TABLE_TEXT },
		{ "before it", "previous_session_id", TABLE_TEXT },
		{ "name", "display_name", TABLE_TEXT },
		{ "agent", "agent_id", TABLE_TEXT },
		{ "workspace", "workspace_id", TABLE_TEXT },
		{ "platform", "platform", TABLE_TEXT },
		{ "chat type", "chat_type", TABLE_TEXT },
		{ "surface", "surface", TABLE_TEXT },
		{ "surface id", "surface_id", TABLE_TEXT },
		{ "busy mode", "busy", TABLE_TEXT },
		{ "tokens", "total_tokens", TABLE_TEXT },
		{ "last prompt", "last_prompt_tokens", TABLE_TEXT },
		{ "cost in USD", "estimated_cost_usd", TABLE_TEXT },
		{ "suspended", "suspended", TABLE_TEXT },
		{ "to be resumed", "resume_pending", TABLE_TEXT },
		{ "because of", "resume_reason", TABLE_TEXT },
		{ "was reset", "auto_reset_reason", TABLE_TEXT },
		{ "created", "created_at", TABLE_TIME },
		{ "active", "updated_at", TABLE_TIME },
	};
	struct json lane;
	int rc = ask_lane(call, "GET", "", (struct str){ 0 }, &lane, e);

	if (rc == 0)
		record_show(call, lane, FIELDS, ARRAY_LEN(FIELDS));
	return rc;
}

int
cmd_lane_reset(struct cli_call *call, struct err *e)
{
	struct json lane;
	int rc = ask_lane(call, "POST", "/reset",
			  body_of(call, "display_name", args_value(&call->args, "--name")), &lane,
			  e);

	if (rc == 0)
		record_done(call, lane, "session_id");
	return rc;
}

int
cmd_lane_switch(struct cli_call *call, struct err *e)
{
	struct json lane;
	int rc = ask_lane(call, "POST", "/switch",
			  body_of(call, "session_id", args_word(&call->args, 1)), &lane, e);

	if (rc == 0)
		record_done(call, lane, "session_id");
	return rc;
}

int
cmd_lane_update(struct cli_call *call, struct err *e)
{
	const char *busy = args_value(&call->args, "--busy");
	const char *name = args_value(&call->args, "--name");
	struct buf body;
	struct json lane;
	struct jw w;
	int rc;

	if (!busy && !name)
		return err_set(e, ERR_INVALID, "nothing to change: give --busy or --name");
	buf_init(&body, CALL_BODY_MAX);
	jw_init(&w, &body);
	jw_object(&w);
	if (busy)
		jw_field_str(&w, "busy", str_of(busy));
	if (name)
		jw_field_str(&w, "display_name", str_of(name));
	jw_end_object(&w);
	rc = ask_lane(call, "POST", "", arena_str(&call->a, buf_str(&body)), &lane, e);
	buf_release(&body);
	if (rc == 0)
		record_done(call, lane, "id");
	return rc;
}

int
cmd_lane_suspend(struct cli_call *call, struct err *e)
{
	struct json lane;
	int rc = ask_lane(call, "POST", "/suspend", (struct str){ 0 }, &lane, e);

	if (rc == 0)
		record_done(call, lane, "id");
	return rc;
}

int
cmd_lane_resume(struct cli_call *call, struct err *e)
{
	struct json lane;
	int rc;

	if (args_value(&call->args, "--clear"))
		rc = ask_lane(call, "DELETE", "/resume_pending", (struct str){ 0 }, &lane, e);
	else
		rc = ask_lane(call, "POST", "/resume_pending",
			      body_of(call, "reason", args_value(&call->args, "--reason")), &lane,
			      e);
	if (rc == 0)
		record_done(call, lane, "id");
	return rc;
}

int
cmd_lane_prune(struct cli_call *call, struct err *e)
{
	int64_t days = 0;
	struct json done;
	int rc = args_int(&call->args, "--days", 1, 36500, &days, e);

	if (rc == 0)
		rc = call_ask(call, "POST", STR("/v1/lanes/prune"),
			      arena_printf(&call->a, "{\"max_age_days\":%lld}", (long long)days),
			      &done, e);
	if (rc == 0)
		record_done(call, done, "pruned");
	return rc;
}

/* ---- sessions.json ---- */

int
cmd_lane_export(struct cli_call *call, struct err *e)
{
	return transfer_export(call, STR("/v1/lanes/export"), args_word(&call->args, 0), e);
}

int
cmd_lane_import(struct cli_call *call, struct err *e)
{
	static const struct record_field FIELDS[] = {
		{ "imported", "imported", TABLE_TEXT },
		{ "there already", "skipped", TABLE_TEXT },
		{ "without session", "missing", TABLE_TEXT },
		{ "refused", "refused", TABLE_TEXT },
	};
	struct transfer_import t = { .path = STR("/v1/lanes/import"),
				     .content_type = STR("application/json"),
				     .file = args_word(&call->args, 0) };
	struct json done;
	int rc = transfer_import(call, &t, &done, e);

	if (rc == 0)
		record_show(call, done, FIELDS, ARRAY_LEN(FIELDS));
	return rc;
}

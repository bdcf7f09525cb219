/* cmd_schedule - `perdure schedule create|list|show|update|delete|run|runs|pause|resume`. */
#include <unistd.h>

#include "base/file.h"
#include "cli/commands.h"
#include "cli/record.h"
#include "cli/schedule_words.h"

static struct str
path_of(struct cli_call *call, const char *after)
{
	return call_path(call, "/v1/schedules/", args_word(&call->args, 0), after);
}

/* ---- looking ---- */

static int
list(struct cli_call *call, struct str url, const struct record_field *fields, size_t count,
     int64_t usual, struct err *e)
{
	int64_t limit = usual;
	int rc = args_int(&call->args, "--limit", 0, INT64_MAX, &limit, e);

	return rc == 0 ? record_list(call, url, fields, count, limit, e) : rc;
}

int
cmd_schedule_list(struct cli_call *call, struct err *e)
{
	static const struct record_field FIELDS[] = {
		{ "ID", "id", TABLE_TEXT },
		{ "NAME", "name", TABLE_WIDE },
		{ "RULE", "rule.expression|rule.at|rule.every_ms", TABLE_TEXT },
		{ "ENABLED", "enabled", TABLE_TEXT },
		{ "NEXT", "next_run_at", TABLE_TIME },
		{ "LAST", "last_run_at", TABLE_TIME },
		{ "FAILURES", "consecutive_failures", TABLE_NUMBER },
	};

	return list(call, STR("/v1/schedules"), FIELDS, ARRAY_LEN(FIELDS), 0, e);
}

int
cmd_schedule_runs(struct cli_call *call, struct err *e)
{
	static const struct record_field FIELDS[] = {
		{ "ID", "id", TABLE_TEXT },
		{ "SLOT", "slot", TABLE_TIME },
		{ "STATUS", "status", TABLE_TEXT },
		{ "STOP", "stop_reason", TABLE_TEXT },
		{ "DELIVERY", "delivery.status", TABLE_TEXT },
		{ "ENDED", "ended_at", TABLE_TIME },
		{ "ERROR", "error|delivery.error", TABLE_WIDE },
	};

	return list(call, path_of(call, "/runs"), FIELDS, ARRAY_LEN(FIELDS), 20, e);
}

int
cmd_schedule_show(struct cli_call *call, struct err *e)
{
	static const struct record_field FIELDS[] = {
		{ "id", "id", TABLE_TEXT },
		{ "name", "name", TABLE_TEXT },
		{ "agent", "agent_id", TABLE_TEXT },
		{ "environment", "environment_id", TABLE_TEXT },
		{ "prompt", "prompt", TABLE_TEXT },
		{ "rule", "rule", TABLE_TEXT },
		{ "missed", "missed", TABLE_TEXT },
		{ "timeout_ms", "timeout_ms", TABLE_TEXT },
		{ "delivery", "delivery", TABLE_TEXT },
		{ "enabled", "enabled", TABLE_TEXT },
		{ "next run", "next_run_at", TABLE_TIME },
		{ "last run", "last_run_at", TABLE_TIME },
		{ "failures", "consecutive_failures", TABLE_TEXT },
		{ "open run", "open_run_id", TABLE_TEXT },
		{ "created", "created_at", TABLE_TIME },
		{ "changed", "updated_at", TABLE_TIME },
	};
	struct json schedule;
	int rc = call_ask(call, "GET", path_of(call, ""), (struct str){ 0 }, &schedule, e);

	if (rc == 0)
		record_show(call, schedule, FIELDS, ARRAY_LEN(FIELDS));
	return rc;
}

/* ---- changing ---- */

static int
read_file(struct cli_call *call, const char *path, struct str *out, struct err *e)
{
	if (str_eq(str_of(path), STR("-")))
		return file_read_fd(STDIN_FILENO, "stdin", CALL_BODY_MAX, &call->a, out, e);
	return file_read(path, CALL_BODY_MAX, &call->a, out, e);
}

static int
write_body(struct cli_call *call, struct jw *w, struct err *e)
{
	const char *name = args_value(&call->args, "--name");
	const char *agent = command_option_find(call->args.command, "--agent")
				    ? args_value(&call->args, "--agent")
				    : NULL; /* a schedule stays with its agent */
	const char *prompt = args_value(&call->args, "--prompt");
	struct str text = str_of(prompt);
	int rc = 0;

	jw_object(w);
	if (name)
		jw_field_str(w, "name", str_of(name));
	if (agent)
		jw_field_str(w, "agent_id", str_of(agent));
	if (prompt && prompt[0] == '@')
		rc = read_file(call, prompt + 1, &text, e);
	if (rc == 0 && prompt)
		jw_field_str(w, "prompt", text);
	if (rc == 0)
		rc = schedule_words_write(&call->args, w, e);
	if (rc == 0)
		jw_end_object(w);
	return rc;
}

static int
change(struct cli_call *call, struct str path, struct err *e)
{
	const char *file = args_value(&call->args, "--file");
	struct json schedule;
	struct str body = { 0 };
	struct buf made;
	struct jw w;
	int rc;

	buf_init(&made, CALL_BODY_MAX);
	jw_init(&w, &made);
	rc = file ? read_file(call, file, &body, e) : write_body(call, &w, e);
	if (rc == 0)
		rc = call_ask(call, "POST", path, file ? body : buf_str(&made), &schedule, e);
	buf_release(&made);
	if (rc == 0)
		record_done(call, schedule, "id");
	return rc;
}

int
cmd_schedule_create(struct cli_call *call, struct err *e)
{
	if (!args_value(&call->args, "--file") &&
	    (!args_value(&call->args, "--name") || !args_value(&call->args, "--prompt")))
		return err_set(e, ERR_USAGE,
			       "--name NAME and --prompt TEXT are needed, or --file FILE");
	return change(call, STR("/v1/schedules"), e);
}

int
cmd_schedule_update(struct cli_call *call, struct err *e)
{
	return change(call, path_of(call, ""), e);
}

static int
tell(struct cli_call *call, const char *method, const char *after, struct err *e)
{
	struct json answer;
	int rc = call_ask(call, method, path_of(call, after), (struct str){ 0 }, &answer, e);

	if (rc == 0)
		record_done(call, answer, "id");
	return rc;
}

int
cmd_schedule_run(struct cli_call *call, struct err *e)
{
	return tell(call, "POST", "/run", e);
}

int
cmd_schedule_pause(struct cli_call *call, struct err *e)
{
	return tell(call, "POST", "/pause", e);
}

int
cmd_schedule_resume(struct cli_call *call, struct err *e)
{
	return tell(call, "POST", "/resume", e);
}

int
cmd_schedule_delete(struct cli_call *call, struct err *e)
{
	struct str id = str_of(args_word(&call->args, 0));
	int rc = call_confirm(call,
			      arena_printf(&call->a,
					   "Delete the schedule " STR_FMT " and its history?",
					   STR_ARG(id)),
			      e);

	return rc == 0 ? tell(call, "DELETE", "", e) : rc;
}

/* cmd_agent - `perdure agent list|show|create|update|archive`. */
#include <unistd.h>

#include "base/file.h"
#include "cli/commands.h"
#include "cli/record.h"
#include "cli/url_text.h"

enum { URL_MAX = 8192 };

int
cmd_agent_list(struct cli_call *call, struct err *e)
{
	static const struct record_field FIELDS[] = {
		{ "ID", "id", TABLE_TEXT },
		{ "NAME", "name", TABLE_WIDE },
		{ "MODEL", "model.id", TABLE_TEXT },
		{ "VERSION", "version", TABLE_NUMBER },
		{ "CHANGED", "updated_at", TABLE_TIME },
		{ "ARCHIVED", "archived_at", TABLE_TIME },
	};
	int64_t limit = 0;
	bool all = args_value(&call->args, "--all") != NULL;
	int rc = args_int(&call->args, "--limit", 0, INT64_MAX, &limit, e);

	if (rc != 0)
		return rc;
	return record_list(call, all ? STR("/v1/agents?include_archived=true") : STR("/v1/agents"),
			   FIELDS, ARRAY_LEN(FIELDS) - !all, limit, e);
}

int
cmd_agent_show(struct cli_call *call, struct err *e)
{
	static const struct record_field FIELDS[] = {
		{ "id", "id", TABLE_TEXT },
		{ "name", "name", TABLE_TEXT },
		{ "version", "version", TABLE_TEXT },
		{ "model", "model.id", TABLE_TEXT },
		{ "model named by", "model_source", TABLE_TEXT },
		{ "description", "description", TABLE_TEXT },
		{ "system", "system", TABLE_TEXT },
		{ "tools", "tools", TABLE_TEXT },
		{ "created", "created_at", TABLE_TIME },
		{ "changed", "updated_at", TABLE_TIME },
		{ "archived", "archived_at", TABLE_TIME },
	};
	struct json agent;
	struct buf url;
	int rc;

	buf_init(&url, URL_MAX);
	buf_put_str(&url, call_path(call, "/v1/agents/", args_word(&call->args, 0), ""));
	url_text_query(&url, "version", str_of(args_value(&call->args, "--version")));
	rc = call_ask(call, "GET", buf_str(&url), (struct str){ 0 }, &agent, e);
	buf_release(&url);
	if (rc == 0)
		record_show(call, agent, FIELDS, ARRAY_LEN(FIELDS));
	return rc;
}

/* ---- changes ---- */

static int
read_file(struct cli_call *call, const char *path, struct str *out, struct err *e)
{
	if (str_eq(str_of(path), STR("-")))
		return file_read_fd(STDIN_FILENO, "stdin", CALL_BODY_MAX, &call->a, out, e);
	return file_read(path, CALL_BODY_MAX, &call->a, out, e);
}

/* What the options say, as the body of a request. */
static int
write_body(struct cli_call *call, bool is_new, struct jw *w, struct err *e)
{
	static const struct {
		const char *option, *member;
	} TEXTS[] = { { "--name", "name" },
		      { "--model", "model" },
		      { "--description", "description" } };
	const char *system = args_value(&call->args, "--system");
	struct str text = str_of(system);
	int64_t version = 0;
	int rc = 0;

	jw_object(w);
	for (size_t i = 0; i < ARRAY_LEN(TEXTS); i++) {
		const char *value = args_value(&call->args, TEXTS[i].option);

		if (value)
			jw_field_str(w, TEXTS[i].member, str_of(value));
	}
	if (system && system[0] == '@')
		rc = read_file(call, system + 1, &text, e);
	if (system)
		jw_field_str(w, "system", text);
	if (rc == 0 && !is_new)
		rc = args_int(&call->args, "--version", 1, INT32_MAX, &version, e);
	if (version > 0)
		jw_field_int(w, "version", version);
	jw_end_object(w);
	return rc;
}

static int
change(struct cli_call *call, struct str path, bool is_new, struct err *e)
{
	const char *file = args_value(&call->args, "--file");
	struct json agent;
	struct str body = { 0 };
	struct buf made;
	struct jw w;
	int rc;

	if (is_new && !file && !args_value(&call->args, "--name"))
		return err_set(e, ERR_USAGE, "--name NAME or --file FILE is missing");
	buf_init(&made, CALL_BODY_MAX);
	jw_init(&w, &made);
	rc = file ? read_file(call, file, &body, e) : write_body(call, is_new, &w, e);
	if (rc == 0)
		rc = call_ask(call, "POST", path, file ? body : buf_str(&made), &agent, e);
	buf_release(&made);
	if (rc == 0)
		record_done(call, agent, is_new ? "id" : "version");
	return rc;
}

int
cmd_agent_create(struct cli_call *call, struct err *e)
{
	return change(call, STR("/v1/agents"), true, e);
}

int
cmd_agent_update(struct cli_call *call, struct err *e)
{
	return change(call, call_path(call, "/v1/agents/", args_word(&call->args, 0), ""), false,
		      e);
}

int
cmd_agent_archive(struct cli_call *call, struct err *e)
{
	struct json agent;
	int rc = call_ask(call, "POST",
			  call_path(call, "/v1/agents/", args_word(&call->args, 0), "/archive"),
			  (struct str){ 0 }, &agent, e);

	if (rc == 0)
		record_done(call, agent, "id");
	return rc;
}

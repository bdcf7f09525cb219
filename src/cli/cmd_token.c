/* cmd_token - `perdure token create|list|revoke`. */
#include <stdio.h>

#include "cli/commands.h"
#include "cli/record.h"

int
cmd_token_create(struct cli_call *call, struct err *e)
{
	static const struct {
		const char *option, *member;
	} TEXTS[] = {
		{ "--kind", "kind" },           { "--user", "user_id" },
		{ "--namespace", "namespace" }, { "--environment", "environment_id" },
		{ "--name", "name" },           { "--expires", "expires_at" },
	};
	struct json token;
	struct buf body;
	struct jw w;
	int rc;

	buf_init(&body, CALL_BODY_MAX);
	jw_init(&w, &body);
	jw_object(&w);
	for (size_t i = 0; i < ARRAY_LEN(TEXTS); i++)
		if (args_value(&call->args, TEXTS[i].option))
			jw_field_str(&w, TEXTS[i].member,
				     str_of(args_value(&call->args, TEXTS[i].option)));
	jw_end_object(&w);
	rc = call_ask(call, "POST", STR("/v1/tokens"), buf_str(&body), &token, e);
	buf_release(&body);
	if (rc != 0)
		return rc;
	record_done(call, token, "token");
	if (call->out.is_terminal)
		fprintf(stderr, "This is " STR_FMT "; the secret is not shown again.\n",
			STR_ARG(record_value(token, "id", &call->a)));
	return 0;
}

int
cmd_token_list(struct cli_call *call, struct err *e)
{
	static const struct record_field FIELDS[] = {
		{ "ID", "id", TABLE_TEXT },
		{ "KIND", "kind", TABLE_TEXT },
		{ "NAME", "name", TABLE_WIDE },
		{ "PREFIX", "prefix", TABLE_TEXT },
		{ "FOR", "user_id|namespace|environment_id", TABLE_WIDE },
		{ "CREATED", "created_at", TABLE_TIME },
		{ "USED", "last_used_at", TABLE_TIME },
		{ "EXPIRES", "expires_at", TABLE_TIME },
		{ "REVOKED", "revoked_at", TABLE_TIME },
	};
	int64_t limit = 0;
	int rc = args_int(&call->args, "--limit", 0, INT64_MAX, &limit, e);

	return rc == 0 ? record_list(call, STR("/v1/tokens"), FIELDS, ARRAY_LEN(FIELDS), limit, e)
		       : rc;
}

int
cmd_token_revoke(struct cli_call *call, struct err *e)
{
	struct json gone;
	int rc = call_ask(call, "DELETE",
			  call_path(call, "/v1/tokens/", args_word(&call->args, 0), ""),
			  (struct str){ 0 }, &gone, e);

	if (rc == 0)
		record_done(call, gone, "id");
	return rc;
}

/* cmd_user - `perdure user create|list`. */
#include "cli/commands.h"
#include "cli/record.h"

int
cmd_user_create(struct cli_call *call, struct err *e)
{
	const char *role = args_value(&call->args, "--role");
	struct json user;
	struct buf body;
	struct jw w;
	int rc;

	buf_init(&body, CALL_BODY_MAX);
	jw_init(&w, &body);
	jw_object(&w);
	jw_field_str(&w, "name", str_of(args_value(&call->args, "--name")));
	if (role)
		jw_field_str(&w, "role", str_of(role));
	jw_end_object(&w);
	rc = call_ask(call, "POST", STR("/v1/users"), buf_str(&body), &user, e);
	buf_release(&body);
	if (rc == 0)
		record_done(call, user, "id");
	return rc;
}

int
cmd_user_list(struct cli_call *call, struct err *e)
{
	static const struct record_field FIELDS[] = {
		{ "ID", "id", TABLE_TEXT },
		{ "NAME", "name", TABLE_WIDE },
		{ "ROLE", "role", TABLE_TEXT },
		{ "CREATED", "created_at", TABLE_TIME },
	};
	int64_t limit = 0;
	int rc = args_int(&call->args, "--limit", 0, INT64_MAX, &limit, e);

	return rc == 0 ? record_list(call, STR("/v1/users"), FIELDS, ARRAY_LEN(FIELDS), limit, e)
		       : rc;
}

/* cmd_agent_session - `perdure agent session …` and `perdure agent wake`: a session driven step by
 * step, by scripts as much as by people. */
#include <stdio.h>

#include "cli/commands.h"
#include "cli/event_table.h"
#include "cli/record.h"
#include "cli/send_wait.h"
#include "cli/waiting_text.h"

static const char *
session_of(struct cli_call *call)
{
	return args_value(&call->args, "--session");
}

/* ---- create ---- */

static int
open_session(struct cli_call *call, struct str agent, struct json *out, struct err *e)
{
	const char *environment = args_value(&call->args, "--environment");
	const char *title = args_value(&call->args, "--title");
	struct buf body;
	struct jw w;
	int rc;

	buf_init(&body, CALL_BODY_MAX);
	jw_init(&w, &body);
	jw_object(&w);
	jw_field_str(&w, "agent", agent);
	if (environment)
		jw_field_str(&w, "environment_id", str_of(environment));
	if (title)
		jw_field_str(&w, "title", str_of(title));
	jw_field_object(&w, "source");
	jw_field_str(&w, "kind", STR("cli"));
	jw_end_object(&w);
	jw_end_object(&w);
	rc = call_ask(call, "POST", STR("/v1/sessions"), buf_str(&body), out, e);
	buf_release(&body);
	return rc;
}

/* The id of the one agent that is called so; ptr NULL: there is none. */
static int
find_by_name(struct cli_call *call, struct str name, struct str *out, struct err *e)
{
	struct json page, data;
	struct json_iter it;
	int rc = call_ask(call, "GET", STR("/v1/agents?limit=100"), (struct str){ 0 }, &page, e);

	*out = (struct str){ 0 };
	if (rc != 0 || !json_find(page, STR("data"), &data))
		return rc;
	it = json_iter(data);
	while (json_next(&it)) {
		if (!str_eq(record_value(it.value, "name", &call->a), name))
			continue;
		if (out->ptr)
			return err_set(e, ERR_CONFLICT,
				       "several agents are called " STR_FMT ": give the id",
				       STR_ARG(name));
		*out = record_value(it.value, "id", &call->a);
	}
	return 0;
}

int
cmd_agent_session_create(struct cli_call *call, struct err *e)
{
	struct str name = str_of(args_value(&call->args, "--name")), id;
	struct json session;
	struct err by_id;
	int rc = open_session(call, name, &session, &by_id);

	if (rc == ERR_NOT_FOUND) {
		int found = find_by_name(call, name, &id, e);

		if (found != 0)
			return found;
		if (id.ptr)
			rc = open_session(call, id, &session, &by_id);
	}
	if (rc != 0) {
		*e = by_id;
		return rc;
	}
	record_done(call, session, "id");
	return 0;
}

/* ---- send ---- */

static int
send_only(struct cli_call *call, struct err *e)
{
	struct json answer;
	struct buf body;
	struct jw w;
	int rc;

	buf_init(&body, CALL_BODY_MAX);
	jw_init(&w, &body);
	jw_object(&w);
	jw_field_str(&w, "text", str_of(args_value(&call->args, "--message")));
	jw_end_object(&w);
	rc = call_ask(call, "POST", call_path(call, "/v1/sessions/", session_of(call), "/messages"),
		      buf_str(&body), &answer, e);
	buf_release(&body);
	if (rc == 0)
		record_done(call, answer, "message_id");
	return rc;
}

int
cmd_agent_session_send(struct cli_call *call, struct err *e)
{
	return args_value(&call->args, "--wait")
		       ? send_wait(call, session_of(call),
				   str_of(args_value(&call->args, "--message")), e)
		       : send_only(call, e);
}

/* Sends one event; prints the id that it was stored under. */
static int
send_event(struct cli_call *call, struct str body, struct err *e)
{
	struct json answer, data;
	struct json_iter it;
	int rc = call_ask(call, "POST",
			  call_path(call, "/v1/sessions/", session_of(call), "/events"), body,
			  &answer, e);

	if (rc != 0)
		return rc;
	if (call_wants_json(call)) {
		call_print_foreign_line(call, json_raw(answer));
		return 0;
	}
	if (!json_find(answer, STR("data"), &data))
		return 0;
	it = json_iter(data);
	while (json_next(&it))
		call_print_foreign_line(call, record_value(it.value, "id", &call->a));
	return 0;
}

int
cmd_agent_session_interrupt(struct cli_call *call, struct err *e)
{
	return send_event(call, STR("{\"events\":[{\"type\":\"user.interrupt\"}]}"), e);
}

int
cmd_agent_session_confirm_tool(struct cli_call *call, struct err *e)
{
	struct str allowed = str_of(args_value(&call->args, "--allowed"));
	struct waiting_answer answer = {
		.allowed = str_eq(allowed, STR("true")),
		.always = args_value(&call->args, "--always") != NULL,
		.note = args_value(&call->args, "--note"),
	};
	struct buf body;
	int rc;

	if (!answer.allowed && !str_eq(allowed, STR("false")))
		return err_set(e, ERR_USAGE, "--allowed must be true or false");
	if (answer.allowed ? answer.note != NULL : answer.always)
		return err_set(e, ERR_USAGE,
			       "--note goes with --allowed false, --always with true");
	rc = waiting_call_choose(call, session_of(call), args_value(&call->args, "--request"),
				 WAITING_FOR_PERSON, &answer.id, e);
	if (rc != 0)
		return rc;
	buf_init(&body, CALL_BODY_MAX);
	waiting_call_write_answer(&answer, &body);
	rc = send_event(call, buf_str(&body), e);
	buf_release(&body);
	return rc;
}

int
cmd_agent_session_custom_tool_result(struct cli_call *call, struct err *e)
{
	struct str id;
	struct buf body;
	struct jw w;
	int rc = waiting_call_choose(call, session_of(call), args_value(&call->args, "--request"),
				     WAITING_FOR_PROGRAM, &id, e);

	if (rc != 0)
		return rc;
	buf_init(&body, CALL_BODY_MAX);
	jw_init(&w, &body);
	jw_object(&w);
	jw_field_array(&w, "events");
	jw_object(&w);
	jw_field_str(&w, "type", STR("user.custom_tool_result"));
	jw_field_str(&w, "custom_tool_use_id", id);
	jw_field_array(&w, "content");
	jw_object(&w);
	jw_field_str(&w, "type", STR("text"));
	jw_field_str(&w, "text", str_of(args_value(&call->args, "--output")));
	jw_end_object(&w);
	jw_end_array(&w);
	if (args_value(&call->args, "--error"))
		jw_field_bool(&w, "is_error", true);
	jw_end_object(&w);
	jw_end_array(&w);
	jw_end_object(&w);
	rc = send_event(call, buf_str(&body), e);
	buf_release(&body);
	return rc;
}

/* ---- look ---- */

int
cmd_agent_session_events(struct cli_call *call, struct err *e)
{
	int64_t limit = 10;
	int rc = args_int(&call->args, "--limit", 0, INT64_MAX, &limit, e);

	return rc == 0 ? event_table_print(call, session_of(call), limit, NULL, e) : rc;
}

static void
print_status(struct cli_call *call, struct json session)
{
	static const struct {
		const char *title, *path;
	} LINES[] = {
		{ "session", "id" },
		{ "agent", "agent.id" },
		{ "agent version", "agent.version" },
		{ "environment", "environment_id" },
		{ "status", "status" },
		{ "display status", "display_status" },
		{ "lifecycle", "lifecycle" },
		{ "activity", "activity" },
		{ "stop reason", "stop_reason.type" },
		{ "turn", "turn_id" },
		{ "title", "title|description" },
		{ "events", "head_seq" },
		{ "messages", "message_count" },
		{ "completed turns", "counters.completed_turns" },
		{ "input tokens", "counters.input_tokens" },
		{ "output tokens", "counters.output_tokens" },
		{ "cost (micro-USD)", "counters.cost_microdollars" },
		{ "created", "created_at" },
		{ "last activity", "last_activity_at" },
	};

	for (size_t i = 0; i < ARRAY_LEN(LINES); i++) {
		struct str value = record_value(session, LINES[i].path, &call->a);

		if (value.len == 0)
			continue;
		printf("- %s: ", LINES[i].title);
		call_print_foreign_line(call, value);
	}
}

static int
print_pending(struct cli_call *call, struct err *e)
{
	struct json page, data;
	int rc = call_ask(call, "GET", call_path(call, "/v1/sessions/", session_of(call), "/queue"),
			  (struct str){ 0 }, &page, e);

	if (rc == 0 && json_find(page, STR("data"), &data))
		printf("- pending messages: %zu\n", json_count(data));
	return rc;
}

int
cmd_agent_session_status(struct cli_call *call, struct err *e)
{
	struct waiting_call calls[WAITING_CALLS_MAX];
	struct json session;
	size_t count = 0;
	int rc = call_ask(call, "GET", call_path(call, "/v1/sessions/", session_of(call), ""),
			  (struct str){ 0 }, &session, e);

	if (rc != 0)
		return rc;
	if (call_wants_json(call)) {
		call_print_foreign_line(call, json_raw(session));
		return 0;
	}
	rc = waiting_call_list(call, session, calls, &count, e);
	if (rc != 0)
		return rc;
	print_status(call, session);
	rc = print_pending(call, e);
	waiting_text_print(stdout, str_of(session_of(call)), calls, count);
	return rc;
}

int
cmd_agent_wake(struct cli_call *call, struct err *e)
{
	struct json session;
	int rc = call_ask(call, "POST", call_path(call, "/v1/sessions/", session_of(call), "/wake"),
			  (struct str){ 0 }, &session, e);

	if (rc == 0)
		record_done(call, session, "status");
	return rc;
}

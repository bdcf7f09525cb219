#include "cli/waiting_call.h"

#include "cli/approval_text.h"
#include "cli/event_line.h"
#include "cli/record.h"
#include "cli/url_text.h"
#include "core/call_state.h"

enum { URL_MAX = 8192, LOOK_BACK = 1000 };

/* The calls among the last events, and what people said to them: those that a session waits for are
 * never far back. */
static int
ask_calls(struct cli_call *call, struct str session, struct json *data, struct err *e)
{
	static const char *const KINDS[] = { "agent.tool_use", "agent.mcp_tool_use",
					     "agent.custom_tool_use", "user.tool_confirmation" };
	struct json page;
	struct buf url;
	int rc;

	buf_init(&url, URL_MAX);
	buf_printf(&url, "/v1/sessions/%s/events?order=desc",
		   url_text_encode(&call->a, session).ptr);
	url_text_query_int(&url, "limit", LOOK_BACK);
	for (size_t i = 0; i < ARRAY_LEN(KINDS); i++)
		url_text_query(&url, "types[]", str_of(KINDS[i]));
	rc = call_ask(call, "GET", buf_str(&url), (struct str){ 0 }, &page, e);
	buf_release(&url);
	if (rc == 0 && !json_find(page, STR("data"), data))
		rc = err_set(e, ERR_IO, "the server's answer is no list");
	return rc;
}

static bool
says(struct json event, const char *name, struct str word)
{
	struct json v;

	return json_find(event, str_of(name), &v) && json_str_eq(v, word);
}

static bool
is_allowed(struct json data, struct str id)
{
	struct json_iter it = json_iter(data);

	while (json_next(&it))
		if (says(it.value, "tool_use_id", id) && says(it.value, "result", STR("allow")))
			return true;
	return false;
}

static enum waiting_for
answerer(struct json event, bool allowed)
{
	bool custom = says(event, "type", STR("agent.custom_tool_use"));
	bool client_side = call_state_is_client_side(
		custom ? EVENT_AGENT_CUSTOM_TOOL_USE : EVENT_AGENT_TOOL_USE, event);
	enum call_state state = call_state_first(event, client_side);

	if (allowed && state == CALL_WAITS_APPROVAL)
		state = call_state_answered(state, client_side);
	if (state != CALL_WAITS_RESULT)
		return WAITING_FOR_PERSON;
	return custom ? WAITING_FOR_PROGRAM : WAITING_FOR_WORKER;
}

struct waiting_call
waiting_call_read(struct json event, bool allowed, struct arena *a)
{
	struct waiting_call w = {
		.id = event_line_field(event, "id", a),
		.whole = approval_text(event, a),
		.waits_for = answerer(event, allowed),
	};
	struct buf line;

	buf_init(&line, EVENT_LINE_MAX);
	event_line_call(event, a, &line);
	w.line = arena_str(a, buf_str(&line));
	buf_release(&line);
	return w;
}

int
waiting_call_list(struct cli_call *call, struct json session,
		  struct waiting_call out[WAITING_CALLS_MAX], size_t *count, struct err *e)
{
	struct json stop, ids, data;
	struct json_iter it;
	int rc;

	*count = 0;
	if (!json_find(session, STR("stop_reason"), &stop) ||
	    !json_find(stop, STR("event_ids"), &ids) || json_count(ids) == 0)
		return 0;
	rc = ask_calls(call, record_value(session, "id", &call->a), &data, e);
	if (rc != 0)
		return rc;
	it = json_iter(data);
	while (json_next(&it) && *count < WAITING_CALLS_MAX) {
		struct str id = event_line_field(it.value, "id", &call->a);

		if (event_line_names(stop, "event_ids", id))
			out[(*count)++] =
				waiting_call_read(it.value, is_allowed(data, id), &call->a);
	}
	return 0;
}

int
waiting_call_find(struct cli_call *call, struct str session, struct str id,
		  struct waiting_call *out, struct err *e)
{
	struct json data;
	struct json_iter it;
	int rc = ask_calls(call, session, &data, e);

	if (rc != 0)
		return rc;
	it = json_iter(data);
	while (json_next(&it))
		if (says(it.value, "id", id)) {
			*out = waiting_call_read(it.value, is_allowed(data, id), &call->a);
			return 0;
		}
	return err_set(e, ERR_NOT_FOUND, "the log does not show the call " STR_FMT, STR_ARG(id));
}

int
waiting_call_choose(struct cli_call *call, const char *session, const char *id,
		    enum waiting_for who, struct str *out, struct err *e)
{
	struct waiting_call calls[WAITING_CALLS_MAX];
	struct json object;
	size_t count = 0, found = 0;
	int rc;

	if (id) {
		*out = str_of(id);
		return 0;
	}
	rc = call_ask(call, "GET", call_path(call, "/v1/sessions/", session, ""), (struct str){ 0 },
		      &object, e);
	if (rc == 0)
		rc = waiting_call_list(call, object, calls, &count, e);
	if (rc != 0)
		return rc;
	for (size_t i = 0; i < count; i++)
		if (calls[i].waits_for == who) {
			*out = calls[i].id;
			found++;
		}
	if (found == 1)
		return 0;
	if (found == 0)
		return err_set(e, ERR_CONFLICT, "the session waits for no %s",
			       who == WAITING_FOR_PERSON ? "decision about a tool call"
							 : "result of a custom tool");
	return err_set(
		e, ERR_USAGE,
		"%zu calls wait: say which with --request; perdure agent session status lists "
		"them",
		found);
}

void
waiting_call_write_answer(const struct waiting_answer *answer, struct buf *body)
{
	struct jw w;

	jw_init(&w, body);
	jw_object(&w);
	jw_field_array(&w, "events");
	jw_object(&w);
	jw_field_str(&w, "type", STR("user.tool_confirmation"));
	jw_field_str(&w, "tool_use_id", answer->id);
	jw_field_str(&w, "result", answer->allowed ? STR("allow") : STR("deny"));
	if (!answer->allowed && answer->note)
		jw_field_str(&w, "deny_message", str_of(answer->note));
	if (answer->always)
		jw_field_str(&w, "scope", STR("always"));
	jw_end_object(&w);
	jw_end_array(&w);
	jw_end_object(&w);
}

#include "core/event.h"

#include "core/event_shape.h"

enum field_rule {
	OPTIONAL,
	REQUIRED,
	SERVER_ONLY, /* optional, and refused when a client sends it */
};

struct field {
	const char *name;
	event_shape *shape;
	enum field_rule rule;
};

enum { FIELDS_MAX = 14 };

/* clang-format off: one kind a paragraph, one field a line */
static const struct kind_row {
	const char *type;
	enum event_author author;
	bool client;
	struct field fields[FIELDS_MAX]; /* besides type; ends with a NULL name */
} KINDS[EVENT_KINDS] = {
	/* What people and their clients send. */
	[EVENT_USER_MESSAGE] = { "user.message",
				 AUTHOR_USER,
				 true,
				 { { "content", shape_blocks, REQUIRED },
				   { "session_thread_id", shape_id, OPTIONAL },
				   { "message_id", shape_id, SERVER_ONLY },
				   { "attachments", shape_attachments, SERVER_ONLY },
				   { "metadata", shape_object, SERVER_ONLY },
				   { "sender", shape_object, SERVER_ONLY },
				   { "mentioned", shape_bool, SERVER_ONLY } } },
	[EVENT_USER_INTERRUPT] = { "user.interrupt",
				   AUTHOR_USER,
				   true,
				   { { "session_thread_id", shape_id, OPTIONAL } } },
	[EVENT_USER_TOOL_CONFIRMATION] = { "user.tool_confirmation",
					   AUTHOR_USER,
					   true,
					   { { "tool_use_id", shape_id, REQUIRED },
					     { "result", shape_allow_deny, REQUIRED },
					     { "deny_message", shape_text, OPTIONAL },
					     { "scope", shape_scope, OPTIONAL },
					     { "session_thread_id", shape_id, OPTIONAL } } },
	[EVENT_USER_TOOL_RESULT] = { "user.tool_result",
				     AUTHOR_USER,
				     true,
				     { { "tool_use_id", shape_id, REQUIRED },
				       { "content", shape_result, OPTIONAL },
				       { "is_error", shape_bool, OPTIONAL },
				       { "session_thread_id", shape_id, OPTIONAL } } },
	[EVENT_USER_CUSTOM_TOOL_RESULT] = { "user.custom_tool_result",
					    AUTHOR_USER,
					    true,
					    { { "custom_tool_use_id", shape_id, REQUIRED },
					      { "content", shape_result, OPTIONAL },
					      { "is_error", shape_bool, OPTIONAL },
					      { "session_thread_id", shape_id, OPTIONAL } } },
	[EVENT_USER_DEFINE_OUTCOME] = { "user.define_outcome",
					AUTHOR_USER,
					true,
					{ { "description", shape_text, REQUIRED },
					  { "rubric", shape_rubric, REQUIRED },
					  { "max_iterations", shape_iterations, OPTIONAL },
					  { "outcome_id", shape_id, SERVER_ONLY } } },
	[EVENT_SYSTEM_MESSAGE] = { "system.message",
				   AUTHOR_SYSTEM,
				   true,
				   { { "content", shape_texts, REQUIRED } } },

	/* What the agent says and does. */
	[EVENT_AGENT_MESSAGE] = { "agent.message",
				  AUTHOR_AGENT,
				  false,
				  { { "content", shape_texts, REQUIRED },
				    { "model", shape_text, OPTIONAL },
				    { "interrupted", shape_bool, OPTIONAL },
				    { "synthetic", shape_bool, OPTIONAL } } },
	[EVENT_AGENT_THINKING] = { "agent.thinking",
				   AUTHOR_AGENT,
				   false,
				   { { "text", shape_text, OPTIONAL },
				     { "provider_data", shape_object, OPTIONAL } } },
	[EVENT_AGENT_TOOL_USE] = { "agent.tool_use",
				   AUTHOR_AGENT,
				   false,
				   { { "name", shape_id, REQUIRED },
				     { "input", shape_object, REQUIRED },
				     { "evaluated_permission", shape_permission, OPTIONAL },
				     { "evaluation", shape_object, OPTIONAL },
				     { "executor", shape_executor, OPTIONAL },
				     { "provider_call_id", shape_id, OPTIONAL },
				     { "session_thread_id", shape_id, OPTIONAL } } },
	[EVENT_AGENT_TOOL_RESULT] = { "agent.tool_result",
				      AUTHOR_TOOL,
				      false,
				      { { "tool_use_id", shape_id, REQUIRED },
					{ "content", shape_result, OPTIONAL },
					{ "is_error", shape_bool, OPTIONAL },
					{ "outcome", shape_outcome, OPTIONAL } } },
	[EVENT_AGENT_CUSTOM_TOOL_USE] = { "agent.custom_tool_use",
					  AUTHOR_AGENT,
					  false,
					  { { "name", shape_id, REQUIRED },
					    { "input", shape_object, REQUIRED },
					    { "evaluated_permission", shape_permission, OPTIONAL },
					    { "provider_call_id", shape_id, OPTIONAL },
					    { "session_thread_id", shape_id, OPTIONAL } } },
	[EVENT_AGENT_MCP_TOOL_USE] = { "agent.mcp_tool_use",
				       AUTHOR_AGENT,
				       false,
				       { { "name", shape_id, REQUIRED },
					 { "mcp_server_name", shape_text, REQUIRED },
					 { "mcp_tool_name", shape_text, OPTIONAL },
					 { "input", shape_object, REQUIRED },
					 { "evaluated_permission", shape_permission, OPTIONAL },
					 { "evaluation", shape_object, OPTIONAL },
					 { "provider_call_id", shape_id, OPTIONAL },
					 { "session_thread_id", shape_id, OPTIONAL } } },
	[EVENT_AGENT_MCP_TOOL_RESULT] = { "agent.mcp_tool_result",
					  AUTHOR_TOOL,
					  false,
					  { { "mcp_tool_use_id", shape_id, REQUIRED },
					    { "content", shape_result, OPTIONAL },
					    { "is_error", shape_bool, OPTIONAL },
					    { "outcome", shape_outcome, OPTIONAL } } },
	[EVENT_AGENT_CONTEXT_COMPACTED] = { "agent.thread_context_compacted",
					    AUTHOR_SYSTEM,
					    false,
					    { { "summary", shape_text, OPTIONAL },
					      { "kept_from_id", shape_id, OPTIONAL },
					      { "undoes_id", shape_id, OPTIONAL },
					      { "profile", shape_text, OPTIONAL },
					      { "tokens_before", shape_count, OPTIONAL },
					      { "tokens_after", shape_count, OPTIONAL } } },

	/* What happens to the session and its turns. */
	[EVENT_SESSION_CREATED] = { "session.created",
				    AUTHOR_SYSTEM,
				    false,
				    { { "format", shape_attempt, REQUIRED },
				      { "agent_id", shape_id, REQUIRED },
				      { "agent_version", shape_attempt, REQUIRED },
				      { "environment_id", shape_id, REQUIRED },
				      { "workspace_id", shape_text_or_null, OPTIONAL },
				      { "source", shape_object, REQUIRED },
				      { "session_type", shape_session_type, REQUIRED },
				      { "lane_key", shape_text_or_null, OPTIONAL },
				      { "parent_session_id", shape_text_or_null, OPTIONAL },
				      { "previous_session_id", shape_text_or_null, OPTIONAL },
				      { "title", shape_text_or_null, OPTIONAL },
				      { "metadata", shape_object, OPTIONAL },
				      { "notice", shape_text, OPTIONAL } } },
	[EVENT_STATUS_RUNNING] = { "session.status_running",
				   AUTHOR_SYSTEM,
				   false,
				   { { "turn_id", shape_id, REQUIRED },
				     { "consumes", shape_ids, REQUIRED },
				     { "wakes", shape_ids, REQUIRED },
				     { "model", shape_text, OPTIONAL } } },
	[EVENT_STATUS_IDLE] = { "session.status_idle",
				AUTHOR_SYSTEM,
				false,
				{ { "turn_id", shape_id, REQUIRED },
				  { "stop_reason", shape_stop_reason, REQUIRED },
				  { "stop_details", shape_any, OPTIONAL },
				  { "consumes", shape_ids, REQUIRED } } },
	[EVENT_STATUS_RESCHEDULED] = { "session.status_rescheduled",
				       AUTHOR_SYSTEM,
				       false,
				       { { "turn_id", shape_id, REQUIRED },
					 { "reason", shape_text, REQUIRED },
					 { "attempt", shape_attempt, REQUIRED },
					 { "retry_at", shape_instant, OPTIONAL } } },
	[EVENT_STATUS_TERMINATED] = { "session.status_terminated",
				      AUTHOR_SYSTEM,
				      false,
				      { { "turn_id", shape_id, OPTIONAL },
					{ "reason", shape_text, REQUIRED },
					{ "consumes", shape_ids, REQUIRED } } },
	[EVENT_THREAD_CREATED] = { "session.thread_created",
				   AUTHOR_SYSTEM,
				   false,
				   { { "session_thread_id", shape_id, REQUIRED },
				     { "agent_name", shape_text, REQUIRED },
				     { "workflow_run_id", shape_text_or_null, OPTIONAL } } },
	[EVENT_THREAD_STATUS_RUNNING] = { "session.thread_status_running",
					  AUTHOR_SYSTEM,
					  false,
					  { { "session_thread_id", shape_id, REQUIRED },
					    { "agent_name", shape_text, REQUIRED } } },
	[EVENT_THREAD_STATUS_IDLE] = { "session.thread_status_idle",
				       AUTHOR_SYSTEM,
				       false,
				       { { "session_thread_id", shape_id, REQUIRED },
					 { "agent_name", shape_text, REQUIRED },
					 { "stop_reason", shape_stop_reason, REQUIRED },
					 { "stop_details", shape_any, OPTIONAL } } },
	[EVENT_THREAD_STATUS_RESCHEDULED] = { "session.thread_status_rescheduled",
					      AUTHOR_SYSTEM,
					      false,
					      { { "session_thread_id", shape_id, REQUIRED },
						{ "agent_name", shape_text, REQUIRED } } },
	[EVENT_THREAD_STATUS_TERMINATED] = { "session.thread_status_terminated",
					     AUTHOR_SYSTEM,
					     false,
					     { { "session_thread_id", shape_id, REQUIRED },
					       { "agent_name", shape_text, REQUIRED } } },
	[EVENT_INPUT_CONSUMED] = { "session.input_consumed",
				   AUTHOR_SYSTEM,
				   false,
				   { { "turn_id", shape_id, REQUIRED },
				     { "consumes", shape_some_ids, REQUIRED } } },
	[EVENT_INPUT_EDITED] = { "session.input_edited",
				 AUTHOR_SYSTEM,
				 false,
				 { { "input_id", shape_id, REQUIRED },
				   { "content", shape_blocks, REQUIRED } } },
	[EVENT_INPUT_CANCELLED] = { "session.input_cancelled",
				    AUTHOR_SYSTEM,
				    false,
				    { { "ids", shape_some_ids, OPTIONAL },
				      { "all", shape_true, OPTIONAL } } },
	[EVENT_SESSION_UPDATED] = { "session.updated",
				    AUTHOR_SYSTEM,
				    false,
				    { { "title", shape_text_or_null, OPTIONAL },
				      { "title_source", shape_text, OPTIONAL },
				      { "metadata", shape_object, OPTIONAL },
				      { "agent", shape_object, OPTIONAL },
				      { "budget", shape_any, OPTIONAL },
				      { "lifecycle", shape_lifecycle, OPTIONAL },
				      { "reason", shape_text, OPTIONAL } } },
	[EVENT_SESSION_USAGE] = { "session.usage",
				  AUTHOR_SYSTEM,
				  false,
				  { { "usage", shape_usage, REQUIRED },
				    { "budget", shape_any, OPTIONAL } } },
	[EVENT_SESSION_ERROR] = { "session.error",
				  AUTHOR_SYSTEM,
				  false,
				  { { "error", shape_error, REQUIRED } } },
	[EVENT_SESSION_RESET] = { "session.reset",
				  AUTHOR_SYSTEM,
				  false,
				  { { "reason", shape_reset_reason, REQUIRED },
				    { "lifecycle", shape_replaced, REQUIRED },
				    { "new_session_id", shape_id, OPTIONAL } } },
	[EVENT_SESSION_CHECKPOINT] = { "session.checkpoint",
				       AUTHOR_SYSTEM,
				       false,
				       { { "reason", shape_checkpoint_reason, REQUIRED },
					 { "success", shape_bool, REQUIRED },
					 { "upto_seq", shape_count, REQUIRED },
					 { "summary", shape_text, OPTIONAL } } },
	[EVENT_SESSION_REWOUND] = { "session.rewound",
				    AUTHOR_SYSTEM,
				    false,
				    { { "target_id", shape_id, REQUIRED },
				      { "turns_undone", shape_attempt, REQUIRED } } },
	[EVENT_SESSION_FORKED] = { "session.forked",
				   AUTHOR_SYSTEM,
				   false,
				   { { "parent_session_id", shape_id, REQUIRED },
				     { "at_seq", shape_attempt, REQUIRED } } },
	[EVENT_SESSION_DELETED] = { "session.deleted", AUTHOR_SYSTEM, false, { { 0 } } },

	/* What the model and the outside world did. */
	[EVENT_MODEL_REQUEST_START] = { "span.model_request_start",
					AUTHOR_SYSTEM,
					false,
					{ { "model", shape_text, OPTIONAL },
					  { "prefix_hash", shape_text, OPTIONAL } } },
	[EVENT_MODEL_REQUEST_END] = { "span.model_request_end",
				      AUTHOR_SYSTEM,
				      false,
				      { { "model_request_start_id", shape_id, REQUIRED },
					{ "is_error", shape_bool, REQUIRED },
					{ "model_usage", shape_usage, REQUIRED } } },
	[EVENT_CHANNEL_MESSAGE_SENT] = { "channel.message_sent",
					 AUTHOR_SYSTEM,
					 false,
					 { { "channel", shape_id, REQUIRED },
					   { "to", shape_text, REQUIRED },
					   { "source_event_id", shape_id, OPTIONAL },
					   { "message_id", shape_text, OPTIONAL } } },
	[EVENT_SCHEDULE_FIRED] = { "schedule.fired",
				   AUTHOR_SYSTEM,
				   false,
				   { { "schedule_id", shape_id, REQUIRED },
				     { "slot", shape_instant, REQUIRED },
				     { "content", shape_blocks, REQUIRED } } },
};
/* clang-format on */

const struct json_limits EVENT_PAYLOAD_LIMITS = {
	.bytes = 64 * 1024 * 1024,
	.depth = 64,
	.tokens = 1000000,
};
const struct json_limits EVENT_PART_LIMITS = {
	.bytes = 8 * 1024 * 1024,
	.depth = 60,
	.tokens = 999000,
};

const char *
event_type(enum event_kind k)
{
	return KINDS[k].type;
}

bool
event_kind_parse(struct str type, enum event_kind *out)
{
	for (size_t i = 0; i < ARRAY_LEN(KINDS); i++) {
		if (str_eq(str_of(KINDS[i].type), type)) {
			*out = (enum event_kind)i;
			return true;
		}
	}
	return false;
}

const char *
event_author_name(enum event_author a)
{
	switch (a) {
	case AUTHOR_USER: return "user";
	case AUTHOR_AGENT: return "agent";
	case AUTHOR_TOOL: return "tool";
	case AUTHOR_SYSTEM: return "system";
	}
	return "?";
}

enum event_author
event_usual_author(enum event_kind k)
{
	return KINDS[k].author;
}

/* Rules that tie two fields of one payload together. */
static int
check_pairs(struct json payload, enum event_kind kind, struct err *e)
{
	struct json a = { 0 }, b = { 0 };

	if (kind == EVENT_USER_TOOL_CONFIRMATION && json_find(payload, STR("deny_message"), &a)) {
		if (json_find(payload, STR("result"), &b) && !json_str_eq(b, STR("deny")))
			return json_fail(a, e, "goes only with result deny");
	}
	if (kind == EVENT_INPUT_CANCELLED &&
	    json_find(payload, STR("ids"), &a) == json_find(payload, STR("all"), &b))
		return json_fail(payload, e, "needs either ids or all");
	if (kind == EVENT_AGENT_CONTEXT_COMPACTED &&
	    json_find(payload, STR("summary"), &a) == json_find(payload, STR("undoes_id"), &b))
		return json_fail(payload, e, "needs either a summary or undoes_id");
	return 0;
}

static int
check_fields(struct json payload, const struct kind_row *row, bool from_client, struct err *e)
{
	struct json values[FIELDS_MAX] = { 0 }, type = { 0 };
	struct json_field wanted[FIELDS_MAX + 1] UNSET;
	size_t count = 0;
	int rc;

	for (; count < FIELDS_MAX && row->fields[count].name; count++) {
		const struct field *f = &row->fields[count];
		wanted[count] = (struct json_field){ f->name, JSON_WANT_ANY, f->rule == REQUIRED,
						     &values[count] };
	}
	wanted[count] = (struct json_field){ "type", JSON_WANT_STRING, true, &type };
	rc = json_fields(payload, wanted, count + 1, e);
	for (size_t i = 0; rc == 0 && i < count; i++) {
		if (!json_is_set(values[i]))
			continue;
		if (from_client && row->fields[i].rule == SERVER_ONLY)
			rc = json_fail(values[i], e, "is set by the server, not by clients");
		else
			rc = row->fields[i].shape(values[i], e);
	}
	return rc;
}

static int
check(struct json payload, bool from_client, enum event_kind *kind, struct err *e)
{
	struct json type = { 0 };
	enum event_kind k;
	struct str raw;
	int rc;

	if (json_type(payload) != JSON_OBJECT)
		return json_fail(payload, e, "an event must be an object, not %s",
				 json_type_name(payload));
	if (!json_find(payload, STR("type"), &type) || json_type(type) != JSON_STRING)
		return json_fail(payload, e, "an event needs a type (a string)");
	raw = json_raw(type);
	if (!event_kind_parse(str_slice(raw, 1, raw.len - 1), &k))
		return json_fail(type, e, "'" STR_FMT "' is no event type",
				 STR_ARG(str_slice(raw, 1, raw.len > 60 ? 60 : raw.len - 1)));
	if (from_client && !KINDS[k].client)
		return json_fail(type, e, "%s is made by the server, not sent by clients",
				 KINDS[k].type);
	rc = check_fields(payload, &KINDS[k], from_client, e);
	if (rc == 0)
		rc = check_pairs(payload, k, e);
	if (rc == 0)
		*kind = k;
	return rc;
}

int
event_check(struct json payload, enum event_kind *kind, struct err *e)
{
	return check(payload, false, kind, e);
}

int
event_check_client(struct json payload, enum event_kind *kind, struct err *e)
{
	return check(payload, true, kind, e);
}

static void
hash_u64(struct sha256_ctx *c, uint64_t value)
{
	unsigned char bytes[8];

	for (int i = 0; i < 8; i++)
		bytes[i] = (unsigned char)(value >> (8 * i));
	sha256_update(c, bytes, sizeof bytes);
}

static void
hash_str(struct sha256_ctx *c, struct str s)
{
	hash_u64(c, s.len);
	sha256_update(c, s.ptr, s.len);
}

struct sha256
event_hash(struct sha256_ctx *ctx, const struct sha256 *previous, const struct event *ev)
{
	sha256_begin(ctx);
	sha256_update(ctx, previous->bytes, sizeof previous->bytes);
	hash_u64(ctx, (uint64_t)ev->seq);
	hash_str(ctx, ev->id);
	hash_str(ctx, str_of(event_type(ev->kind)));
	hash_u64(ctx, (uint64_t)ev->created_at_ms);
	hash_str(ctx, str_of(event_author_name(ev->author)));
	hash_str(ctx, ev->turn);
	hash_str(ctx, ev->meta);
	hash_str(ctx, ev->payload);
	return sha256_end(ctx);
}

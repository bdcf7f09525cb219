#include "core/event_make.h"

#include "base/json_write.h"
#include "base/timestamp.h"

/* Opens the payload of its kind. */
static struct jw
begin(struct buf *out, enum event_kind kind)
{
	struct jw w;

	jw_init(&w, out);
	jw_object(&w);
	jw_field_str(&w, "type", str_of(event_type(kind)));
	return w;
}

/* Left out when empty. */
static void
some_text(struct jw *w, const char *name, struct str value)
{
	if (value.len > 0)
		jw_field_str(w, name, value);
}

static void
some_json(struct jw *w, const char *name, struct str value)
{
	if (value.len > 0)
		jw_field_raw(w, name, value);
}

static void
ids(struct jw *w, const char *name, struct str_list list)
{
	jw_field_array(w, name);
	for (size_t i = 0; i < list.len; i++)
		jw_str(w, list.ptr[i]);
	jw_end_array(w);
}

static void
instant(struct jw *w, const char *name, int64_t ms)
{
	char text[TIMESTAMP_TEXT_MAX];

	jw_field_str(w, name, timestamp_format(ms, text));
}

static void
text_blocks(struct jw *w, struct str text)
{
	jw_field_array(w, "content");
	jw_object(w);
	jw_field_str(w, "type", STR("text"));
	jw_field_str(w, "text", text);
	jw_end_object(w);
	jw_end_array(w);
}

static void
stop_reason(struct jw *w, enum stop_kind stop, struct str_list waits_for)
{
	jw_field_object(w, "stop_reason");
	jw_field_str(w, "type", str_of(stop_kind_name(stop)));
	if (stop_kind_limit(stop))
		jw_field_str(w, "limit", str_of(stop_kind_limit(stop)));
	if (stop == STOP_REQUIRES_ACTION)
		ids(w, "event_ids", waits_for);
	jw_end_object(w);
}

static void
usage_object(struct jw *w, const char *name, const struct usage *u, int64_t cost_picodollars)
{
	jw_field_object(w, name);
	jw_field_int(w, "input_tokens", u->input);
	jw_field_int(w, "output_tokens", u->output);
	jw_field_int(w, "cache_creation_input_tokens", u->cache_write);
	jw_field_int(w, "cache_read_input_tokens", u->cache_read);
	if (u->reasoning > 0)
		jw_field_int(w, "reasoning_tokens", u->reasoning);
	if (cost_picodollars >= 0)
		jw_field_int(w, "cost_picodollars", cost_picodollars);
	jw_end_object(w);
}

void
event_make_created(struct buf *out, const struct make_created *m)
{
	struct jw w = begin(out, EVENT_SESSION_CREATED);

	jw_field_int(&w, "format", EVENT_FORMAT);
	jw_field_str(&w, "agent_id", m->agent_id);
	jw_field_int(&w, "agent_version", m->agent_version);
	jw_field_str(&w, "environment_id", m->environment_id);
	jw_field_raw(&w, "source", m->source);
	jw_field_str(&w, "session_type", m->group ? STR("group") : STR("direct"));
	some_text(&w, "workspace_id", m->workspace_id);
	some_text(&w, "lane_key", m->lane_key);
	some_text(&w, "parent_session_id", m->parent_session_id);
	some_text(&w, "previous_session_id", m->previous_session_id);
	some_text(&w, "title", m->title);
	some_json(&w, "metadata", m->metadata);
	some_text(&w, "notice", m->notice);
	jw_end_object(&w);
}

void
event_make_running(struct buf *out, struct str turn, struct str_list consumes,
		   struct str_list wakes, struct str model)
{
	struct jw w = begin(out, EVENT_STATUS_RUNNING);

	jw_field_str(&w, "turn_id", turn);
	ids(&w, "consumes", consumes);
	ids(&w, "wakes", wakes);
	if (model.len > 0)
		jw_field_str(&w, "model", model);
	jw_end_object(&w);
}

void
event_make_idle(struct buf *out, struct str turn, enum stop_kind stop, struct str_list waits_for,
		struct str_list consumes)
{
	struct jw w = begin(out, EVENT_STATUS_IDLE);

	jw_field_str(&w, "turn_id", turn);
	stop_reason(&w, stop, waits_for);
	jw_field_null(&w, "stop_details");
	ids(&w, "consumes", consumes);
	jw_end_object(&w);
}

void
event_make_rescheduled(struct buf *out, struct str turn, struct str reason, int64_t attempt,
		       int64_t retry_at_ms)
{
	struct jw w = begin(out, EVENT_STATUS_RESCHEDULED);

	jw_field_str(&w, "turn_id", turn);
	jw_field_str(&w, "reason", reason);
	jw_field_int(&w, "attempt", attempt);
	if (retry_at_ms != 0)
		instant(&w, "retry_at", retry_at_ms);
	jw_end_object(&w);
}

void
event_make_terminated(struct buf *out, struct str turn, struct str reason, struct str_list consumes)
{
	struct jw w = begin(out, EVENT_STATUS_TERMINATED);

	some_text(&w, "turn_id", turn);
	jw_field_str(&w, "reason", reason);
	ids(&w, "consumes", consumes);
	jw_end_object(&w);
}

void
event_make_input_consumed(struct buf *out, struct str turn, struct str_list consumes)
{
	struct jw w = begin(out, EVENT_INPUT_CONSUMED);

	jw_field_str(&w, "turn_id", turn);
	ids(&w, "consumes", consumes);
	jw_end_object(&w);
}

void
event_make_input_edited(struct buf *out, struct str input_id, struct str content)
{
	struct jw w = begin(out, EVENT_INPUT_EDITED);

	jw_field_str(&w, "input_id", input_id);
	jw_field_raw(&w, "content", content);
	jw_end_object(&w);
}

void
event_make_input_cancelled(struct buf *out, struct str_list list)
{
	struct jw w = begin(out, EVENT_INPUT_CANCELLED);

	if (list.len > 0)
		ids(&w, "ids", list);
	else
		jw_field_bool(&w, "all", true);
	jw_end_object(&w);
}

void
event_make_agent_message(struct buf *out, struct str text, struct str model, bool interrupted)
{
	struct jw w = begin(out, EVENT_AGENT_MESSAGE);

	text_blocks(&w, text);
	some_text(&w, "model", model);
	if (interrupted)
		jw_field_bool(&w, "interrupted", true);
	jw_end_object(&w);
}

void
event_make_thinking(struct buf *out, struct str text, struct str provider_data)
{
	struct jw w = begin(out, EVENT_AGENT_THINKING);

	some_text(&w, "text", text);
	some_json(&w, "provider_data", provider_data);
	jw_end_object(&w);
}

void
event_make_tool_use(struct buf *out, const struct make_tool_use *m)
{
	struct jw w = begin(out, m->kind);

	jw_field_str(&w, "name", m->name);
	if (m->kind == EVENT_AGENT_MCP_TOOL_USE)
		jw_field_str(&w, "mcp_server_name", m->mcp_server_name);
	if (!str_eq(m->mcp_tool_name, m->name))
		some_text(&w, "mcp_tool_name", m->mcp_tool_name);
	jw_field_raw(&w, "input", m->input);
	some_text(&w, "evaluated_permission", m->permission);
	if (m->policy.len > 0) {
		jw_field_object(&w, "evaluation");
		jw_field_str(&w, "type", m->policy);
		jw_field_str(&w, "digest", m->digest);
		jw_end_object(&w);
	}
	if (m->kind == EVENT_AGENT_TOOL_USE && m->client_side)
		jw_field_str(&w, "executor", STR("client"));
	some_text(&w, "provider_call_id", m->call_id);
	jw_end_object(&w);
}

const char *
tool_outcome_name(enum tool_outcome o)
{
	switch (o) {
	case OUTCOME_OK: return "ok";
	case OUTCOME_ERROR: return "error";
	case OUTCOME_DENIED: return "denied";
	case OUTCOME_CANCELLED: return "cancelled";
	case OUTCOME_INTERRUPTED: return "interrupted";
	case OUTCOME_TIMEOUT: return "timeout";
	}
	return "?";
}

void
event_make_tool_result(struct buf *out, bool mcp, struct str call_event_id,
		       enum tool_outcome outcome, struct str text)
{
	struct jw w = begin(out, mcp ? EVENT_AGENT_MCP_TOOL_RESULT : EVENT_AGENT_TOOL_RESULT);

	jw_field_str(&w, mcp ? "mcp_tool_use_id" : "tool_use_id", call_event_id);
	text_blocks(&w, text);
	if (outcome != OUTCOME_OK)
		jw_field_bool(&w, "is_error", true);
	jw_field_str(&w, "outcome", str_of(tool_outcome_name(outcome)));
	jw_end_object(&w);
}

void
event_make_confirmation(struct buf *out, struct str call_event_id, bool allow,
			struct str deny_message)
{
	struct jw w = begin(out, EVENT_USER_TOOL_CONFIRMATION);

	jw_field_str(&w, "tool_use_id", call_event_id);
	jw_field_str(&w, "result", allow ? STR("allow") : STR("deny"));
	if (!allow)
		some_text(&w, "deny_message", deny_message);
	jw_end_object(&w);
}

void
event_make_request_start(struct buf *out, struct str model, struct str prefix_hash)
{
	struct jw w = begin(out, EVENT_MODEL_REQUEST_START);

	some_text(&w, "model", model);
	some_text(&w, "prefix_hash", prefix_hash);
	jw_end_object(&w);
}

void
event_make_request_end(struct buf *out, struct str start_id, bool is_error,
		       const struct usage *usage, int64_t cost_picodollars)
{
	struct jw w = begin(out, EVENT_MODEL_REQUEST_END);

	jw_field_str(&w, "model_request_start_id", start_id);
	jw_field_bool(&w, "is_error", is_error);
	usage_object(&w, "model_usage", usage, cost_picodollars);
	jw_end_object(&w);
}

static void
error(struct buf *out, struct str type, struct str message, struct str retry, struct str server)
{
	struct jw w = begin(out, EVENT_SESSION_ERROR);

	jw_field_object(&w, "error");
	jw_field_str(&w, "type", type);
	jw_field_str(&w, "message", message);
	jw_field_object(&w, "retry_status");
	jw_field_str(&w, "type", retry);
	jw_end_object(&w);
	some_text(&w, "mcp_server_name", server);
	jw_end_object(&w);
	jw_end_object(&w);
}

void
event_make_error(struct buf *out, struct str type, struct str message, struct str retry)
{
	error(out, type, message, retry, (struct str){ 0 });
}

void
event_make_server_error(struct buf *out, struct str type, struct str message,
			struct str mcp_server_name)
{
	error(out, type, message, STR("retrying"), mcp_server_name);
}

void
event_make_usage(struct buf *out, const struct usage *usage, int64_t cost_picodollars)
{
	struct jw w = begin(out, EVENT_SESSION_USAGE);

	usage_object(&w, "usage", usage, cost_picodollars);
	jw_end_object(&w);
}

void
event_make_lifecycle(struct buf *out, enum lifecycle to, struct str reason)
{
	struct jw w = begin(out, EVENT_SESSION_UPDATED);

	jw_field_str(&w, "lifecycle", str_of(lifecycle_name(to)));
	some_text(&w, "reason", reason);
	jw_end_object(&w);
}

void
event_make_title(struct buf *out, struct str title, struct str source)
{
	struct jw w = begin(out, EVENT_SESSION_UPDATED);

	jw_field_str(&w, "title", title);
	some_text(&w, "title_source", source);
	jw_end_object(&w);
}

void
event_make_reset(struct buf *out, struct str reason, enum lifecycle to, struct str new_session_id)
{
	struct jw w = begin(out, EVENT_SESSION_RESET);

	jw_field_str(&w, "reason", reason);
	jw_field_str(&w, "lifecycle", str_of(lifecycle_name(to)));
	some_text(&w, "new_session_id", new_session_id);
	jw_end_object(&w);
}

void
event_make_compacted(struct buf *out, const struct make_compacted *m)
{
	struct jw w = begin(out, EVENT_AGENT_CONTEXT_COMPACTED);

	jw_field_str(&w, "summary", m->summary);
	some_text(&w, "kept_from_id", m->kept_from_id);
	some_text(&w, "profile", m->profile);
	jw_field_int(&w, "tokens_before", m->tokens_before);
	jw_field_int(&w, "tokens_after", m->tokens_after);
	jw_end_object(&w);
}

void
event_make_compaction_undone(struct buf *out, struct str undoes_id)
{
	struct jw w = begin(out, EVENT_AGENT_CONTEXT_COMPACTED);

	jw_field_str(&w, "undoes_id", undoes_id);
	jw_end_object(&w);
}

void
event_make_checkpoint(struct buf *out, struct str reason, bool success, int64_t upto_seq,
		      struct str summary)
{
	struct jw w = begin(out, EVENT_SESSION_CHECKPOINT);

	jw_field_str(&w, "reason", reason);
	jw_field_bool(&w, "success", success);
	jw_field_int(&w, "upto_seq", upto_seq);
	some_text(&w, "summary", summary);
	jw_end_object(&w);
}

void
event_make_rewound(struct buf *out, struct str target_id, int64_t turns_undone)
{
	struct jw w = begin(out, EVENT_SESSION_REWOUND);

	jw_field_str(&w, "target_id", target_id);
	jw_field_int(&w, "turns_undone", turns_undone);
	jw_end_object(&w);
}

void
event_make_forked(struct buf *out, struct str parent_session_id, int64_t at_seq)
{
	struct jw w = begin(out, EVENT_SESSION_FORKED);

	jw_field_str(&w, "parent_session_id", parent_session_id);
	jw_field_int(&w, "at_seq", at_seq);
	jw_end_object(&w);
}

void
event_make_deleted(struct buf *out)
{
	struct jw w = begin(out, EVENT_SESSION_DELETED);

	jw_end_object(&w);
}

void
event_make_thread_created(struct buf *out, struct str thread_id, struct str agent_name)
{
	struct jw w = begin(out, EVENT_THREAD_CREATED);

	jw_field_str(&w, "session_thread_id", thread_id);
	jw_field_str(&w, "agent_name", agent_name);
	jw_field_null(&w, "workflow_run_id");
	jw_end_object(&w);
}

void
event_make_thread_status(struct buf *out, enum event_kind kind, struct str thread_id,
			 struct str agent_name, enum stop_kind stop)
{
	struct jw w = begin(out, kind);

	jw_field_str(&w, "session_thread_id", thread_id);
	jw_field_str(&w, "agent_name", agent_name);
	if (kind == EVENT_THREAD_STATUS_IDLE) {
		stop_reason(&w, stop, (struct str_list){ 0 });
		jw_field_null(&w, "stop_details");
	}
	jw_end_object(&w);
}

void
event_make_channel_sent(struct buf *out, struct str channel, struct str to,
			struct str source_event_id, struct str message_id)
{
	struct jw w = begin(out, EVENT_CHANNEL_MESSAGE_SENT);

	jw_field_str(&w, "channel", channel);
	jw_field_str(&w, "to", to);
	some_text(&w, "source_event_id", source_event_id);
	some_text(&w, "message_id", message_id);
	jw_end_object(&w);
}

void
event_make_schedule_fired(struct buf *out, struct str schedule_id, int64_t slot_ms,
			  struct str content)
{
	struct jw w = begin(out, EVENT_SCHEDULE_FIRED);

	jw_field_str(&w, "schedule_id", schedule_id);
	instant(&w, "slot", slot_ms);
	jw_field_raw(&w, "content", content);
	jw_end_object(&w);
}

#include "api/message_json.h"

#include "base/timestamp.h"
#include "core/result_view.h"
#include "core/token_estimate.h"

enum { TEXT_MAX = STORE_PAYLOAD_MAX };

struct str
message_json_text(struct json payload, struct arena *a)
{
	struct json content, text;
	struct json_iter it;
	struct buf joined;
	struct str out;

	if (!json_find(payload, STR("content"), &content))
		return (struct str){ 0 };
	buf_init(&joined, TEXT_MAX);
	it = json_iter(content);
	while (json_next(&it)) {
		if (!json_find(it.value, STR("text"), &text))
			continue;
		if (joined.len > 0)
			buf_putc(&joined, '\n');
		buf_put_str(&joined, json_str(text, a));
	}
	out = arena_str(a, buf_str(&joined));
	buf_release(&joined);
	return out;
}

static const char *
speaker_name(enum item_role role)
{
	switch (role) {
	case ITEM_USER: return "user";
	case ITEM_ASSISTANT: return "assistant";
	case ITEM_TOOL: return "tool";
	case ITEM_SYSTEM:
	case ITEM_SUMMARY: return "system";
	}
	return "system";
}

/* The member of that name, as it is and under its own name or another. */
static void
copy(struct jw *w, struct json from, const char *name, const char *as)
{
	struct json v;

	if (json_find(from, str_of(name), &v))
		jw_field_raw(w, as, json_raw(v));
}

/* One text block, or none. */
static void
field_content(struct jw *w, struct json payload, const char *text_member)
{
	struct json v;

	if (json_find(payload, STR("content"), &v)) {
		jw_field_raw(w, "content", json_raw(v));
		return;
	}
	jw_field_array(w, "content");
	if (text_member && json_find(payload, str_of(text_member), &v)) {
		jw_object(w);
		jw_field_str(w, "type", STR("text"));
		jw_field_raw(w, "text", json_raw(v));
		jw_end_object(w);
	}
	jw_end_array(w);
}

/* A tool's result; long texts as head and tail, as the model reads them. */
static void
field_result(struct jw *w, struct json payload, struct arena *scratch)
{
	struct json content, text;

	if (!json_find(payload, STR("content"), &content) ||
	    json_raw(content).len <= RESULT_VIEW_BYTES_MAX) {
		field_content(w, payload, NULL);
		return;
	}
	jw_field_array(w, "content");
	for (struct json_iter it = json_iter(content); json_next(&it);) {
		if (!json_find(it.value, STR("text"), &text)) {
			jw_raw(w, json_raw(it.value));
			continue;
		}
		jw_object(w);
		jw_field_str(w, "type", STR("text"));
		jw_field_str(w, "text", result_view(json_str(text, scratch), scratch));
		jw_end_object(w);
	}
	jw_end_array(w);
}

static void
field_call(struct jw *w, const struct event *ev, struct json payload)
{
	jw_field_array(w, "tool_calls");
	jw_object(w);
	jw_field_str(w, "id", ev->id);
	jw_field_str(w, "type", str_of(event_type(ev->kind)));
	copy(w, payload, "name", "name");
	copy(w, payload, "mcp_server_name", "mcp_server_name");
	copy(w, payload, "input", "input");
	jw_end_object(w);
	jw_end_array(w);
}

static void
field_answered(struct jw *w, struct json payload)
{
	copy(w, payload, "tool_use_id", "tool_call_id");
	copy(w, payload, "custom_tool_use_id", "tool_call_id");
	copy(w, payload, "mcp_tool_use_id", "tool_call_id");
	copy(w, payload, "is_error", "is_error");
	copy(w, payload, "outcome", "outcome");
}

/* own: of the entry itself; content: of the event that holds its text. */
static void
write_kind(struct jw *w, const struct event *ev, struct json own, struct json content,
	   struct arena *scratch)
{
	switch ((int)ev->kind) {
	case EVENT_AGENT_THINKING:
		field_content(w, content, NULL);
		copy(w, own, "text", "reasoning");
		break;
	case EVENT_AGENT_TOOL_USE:
	case EVENT_AGENT_CUSTOM_TOOL_USE:
	case EVENT_AGENT_MCP_TOOL_USE:
		field_content(w, content, NULL);
		field_call(w, ev, own);
		break;
	case EVENT_AGENT_CONTEXT_COMPACTED:
		field_content(w, content, "summary");
		jw_field_bool(w, "summary", true);
		break;
	case EVENT_USER_DEFINE_OUTCOME: field_content(w, content, "description"); break;
	case EVENT_AGENT_TOOL_RESULT:
	case EVENT_AGENT_MCP_TOOL_RESULT:
	case EVENT_USER_TOOL_RESULT:
	case EVENT_USER_CUSTOM_TOOL_RESULT:
		field_result(w, content, scratch);
		field_answered(w, own);
		break;
	default:
		field_content(w, content, NULL);
		field_answered(w, own);
		break;
	}
	copy(w, own, "message_id", "message_id");
	copy(w, own, "attachments", "attachments");
	copy(w, own, "metadata", "metadata");
	copy(w, own, "sender", "sender");
	copy(w, own, "model", "model");
	copy(w, own, "synthetic", "synthetic");
	copy(w, own, "interrupted", "interrupted");
}

static struct json
parse(const struct event *ev, struct json_doc *doc, struct arena *scratch)
{
	if (json_parse(scratch, ev->payload, &EVENT_PAYLOAD_LIMITS, doc, NULL) != 0)
		IGNORE(json_parse(scratch, STR("{}"), &EVENT_PAYLOAD_LIMITS, doc, NULL));
	return json_root(doc);
}

static int64_t
estimate(struct json own, struct json content, struct arena *scratch)
{
	static const char *const MEMBERS[] = { "text", "summary", "description", "input" };
	int64_t tokens = token_estimate_text(message_json_text(content, scratch), scratch).tokens;
	struct json v;

	for (size_t i = 0; i < ARRAY_LEN(MEMBERS); i++)
		if (json_find(own, str_of(MEMBERS[i]), &v))
			tokens += token_estimate_text(json_raw(v), scratch).tokens;
	return tokens;
}

void
message_json_write(struct jw *w, const struct store_item_row *row, struct arena *scratch)
{
	char at[TIMESTAMP_TEXT_MAX];
	struct json_doc own_doc, content_doc;
	struct json own = parse(&row->ev, &own_doc, scratch), content = own;

	if (row->item.content_seq != row->item.seq)
		content = parse(&row->content, &content_doc, scratch);
	jw_object(w);
	jw_field_str(w, "id", row->ev.id);
	jw_field_str(w, "type", STR("message"));
	jw_field_str(w, "role", str_of(speaker_name(row->item.role)));
	write_kind(w, &row->ev, own, content, scratch);
	jw_field_int(w, "seq", row->ev.seq);
	if (row->item.depth > 0)
		jw_field_bool(w, "inherited", true); /* seq is of another session's log */
	jw_field_str(w, "created_at", timestamp_format(row->ev.created_at_ms, at));
	if (row->ev.turn.len > 0)
		jw_field_str(w, "turn_id", row->ev.turn);
	jw_field_int(w, "token_estimate", estimate(own, content, scratch));
	if (row->item.archived_by_seq != 0)
		jw_field_bool(w, "archived", true);
	jw_end_object(w);
}

#include "api/agent_chat_form.h"

enum { FRAME_MAX = 256 * 1024 * 1024 };

/* ---- the answer ---- */

static void
write_tools(const struct message_wait *fold, struct jw *w, struct arena *scratch)
{
	struct str calls = arena_printf(scratch, "[" STR_FMT "]", STR_ARG(buf_str(&fold->calls)));
	struct json_doc doc;
	struct json name;

	jw_field_array(w, "toolsUsed");
	if (json_parse(scratch, calls, &EVENT_PAYLOAD_LIMITS, &doc, NULL) == 0)
		for (struct json_iter it = json_iter(json_root(&doc)); json_next(&it);)
			if (json_find(it.value, STR("name"), &name))
				jw_str(w, json_str(name, scratch));
	jw_end_array(w);
}

static void
write_usage(const struct usage *u, struct jw *w)
{
	jw_field_object(w, "usage");
	jw_field_int(w, "inputTokens", u->input);
	jw_field_int(w, "outputTokens", u->output);
	jw_field_int(w, "totalTokens", usage_prompt_tokens(u) + u->output);
	jw_field_int(w, "reasoningTokens", u->reasoning);
	jw_field_int(w, "cacheReadTokens", u->cache_read);
	jw_field_int(w, "cacheWriteTokens", u->cache_write);
	jw_end_object(w);
}

static struct str
stop_of(const struct message_wait *fold, struct arena *scratch)
{
	struct json_doc doc;
	struct json type;

	if (json_parse(scratch, fold->stop_reason, &JSON_LIMITS_DEFAULT, &doc, NULL) != 0 ||
	    !json_find(json_root(&doc), STR("type"), &type))
		return (struct str){ 0 };
	return json_str(type, scratch);
}

static void
write_resolved(const struct message_posted *m, struct jw *w)
{
	jw_field_str(w, "sessionId", m->session);
	jw_field_bool(w, "isNew", m->created);
	jw_field_opt(w, "resetReason", m->reset_reason);
}

static void
write_answer(const struct message_posted *m, const struct message_wait *fold, struct jw *w,
	     struct arena *scratch)
{
	jw_field_str(w, "content", message_wait_text(fold, scratch));
	write_resolved(m, w);
	write_tools(fold, w, scratch);
	write_usage(&fold->usage, w);
	jw_field_opt(w, "stopReason", stop_of(fold, scratch));
}

/* ---- frames ---- */

struct frame {
	struct buf text;
	struct jw w;
};

static void
frame_begin(struct frame *f, const char *type)
{
	buf_init(&f->text, FRAME_MAX);
	jw_init(&f->w, &f->text);
	jw_object(&f->w);
	jw_field_str(&f->w, "type", str_of(type));
}

static void
frame_end(struct frame *f, const char *type, struct event_out *o)
{
	jw_end_object(&f->w);
	event_out_put_other(o, type, buf_str(&f->text));
	buf_release(&f->text);
}

static void
put_resolved(const struct message_posted *m, struct event_out *o)
{
	struct frame f;

	frame_begin(&f, "session_resolved");
	write_resolved(m, &f.w);
	frame_end(&f, "session_resolved", o);
}

static void
put_content(struct str text, struct event_out *o)
{
	struct frame f;

	if (text.len == 0)
		return;
	frame_begin(&f, "content");
	jw_field_str(&f.w, "content", text);
	frame_end(&f, "content", o);
}

/* The message goes on: tells what of its next piece people are shown. */
static void
put_piece(struct message_told *told, struct str piece, struct event_out *o)
{
	told->heard += piece.len;
	put_content(reply_stream_push(&told->reply, piece), o);
}

/* What is told from here on is of that message. */
static void
turn_to(struct message_told *told, struct str id)
{
	if (str_eq(told->id, id))
		return;
	told->id = arena_str(told->arena, id);
	told->heard = 0;
	reply_stream_release(&told->reply);
	reply_stream_init(&told->reply, FRAME_MAX);
}

/* What the previews have not told of it. */
static void
put_message(struct message_told *told, const struct event *ev, struct json payload, struct arena *a,
	    struct event_out *o)
{
	struct json content, text;
	struct buf whole;

	turn_to(told, ev->id);
	buf_init(&whole, FRAME_MAX);
	if (json_find(payload, STR("content"), &content))
		for (struct json_iter it = json_iter(content); json_next(&it);)
			if (json_find(it.value, STR("text"), &text))
				buf_put_str(&whole, json_str(text, a));
	put_piece(told, str_slice(buf_str(&whole), told->heard, whole.len), o);
	put_content(reply_stream_rest(&told->reply), o);
	buf_release(&whole);
}

static void
put_call(const char *type, const struct event *ev, struct json payload, struct arena *a,
	 struct event_out *o)
{
	struct json name, input;
	struct frame f;

	frame_begin(&f, type);
	jw_field_str(&f.w, "id", ev->id);
	if (json_find(payload, STR("name"), &name))
		jw_field_str(&f.w, "name", json_str(name, a));
	if (json_find(payload, STR("input"), &input))
		jw_field_raw(&f.w, "input", json_raw(input));
	frame_end(&f, type, o);
}

static void
put_result(struct json payload, struct arena *a, struct event_out *o)
{
	static const char *const CALLS[] = { "tool_use_id", "mcp_tool_use_id",
					     "custom_tool_use_id" };
	struct json v;
	struct frame f;

	frame_begin(&f, "tool_result");
	for (size_t i = 0; i < ARRAY_LEN(CALLS); i++)
		if (json_find(payload, str_of(CALLS[i]), &v))
			jw_field_str(&f.w, "id", json_str(v, a));
	if (json_find(payload, STR("content"), &v))
		jw_field_raw(&f.w, "content", json_raw(v));
	jw_field_bool(&f.w, "isError",
		      json_find(payload, STR("is_error"), &v) && json_type(v) == JSON_TRUE);
	frame_end(&f, "tool_result", o);
}

static void
keep_failure(struct message_told *told, struct json payload, struct arena *a)
{
	struct json error, message;

	if (json_find(payload, STR("error"), &error) && json_find(error, STR("message"), &message))
		told->failure = arena_str(told->arena, json_str(message, a));
}

static void
put_event(struct message_told *told, const struct event *ev, struct event_out *o)
{
	struct json_doc doc;
	struct json payload;
	struct arena a;

	arena_init(&a);
	if (json_parse(&a, ev->payload, &EVENT_PAYLOAD_LIMITS, &doc, NULL) != 0) {
		arena_release(&a);
		return; /* the log holds no such thing */
	}
	payload = json_root(&doc);
	if (ev->kind == EVENT_AGENT_MESSAGE) {
		put_message(told, ev, payload, &a, o);
	} else if (ev->kind == EVENT_AGENT_TOOL_USE || ev->kind == EVENT_AGENT_MCP_TOOL_USE ||
		   ev->kind == EVENT_AGENT_CUSTOM_TOOL_USE) {
		put_call("tool_call", ev, payload, &a, o);
		put_call("tool_call_complete", ev, payload, &a, o);
	} else if (ev->kind == EVENT_AGENT_TOOL_RESULT || ev->kind == EVENT_AGENT_MCP_TOOL_RESULT) {
		put_result(payload, &a, o);
	} else if (ev->kind == EVENT_SESSION_ERROR) {
		keep_failure(told, payload, &a);
	}
	arena_release(&a);
}

static void
put_preview(struct message_told *told, const struct engine_preview *p, struct event_out *o)
{
	struct str text = p->text;

	if (p->event_kind != EVENT_AGENT_MESSAGE || p->kind == PREVIEW_END)
		return;
	turn_to(told, p->event_id);
	if (p->kind == PREVIEW_START) /* the text so far: some of it was told */
		text = str_slice(text, told->heard, text.len);
	put_piece(told, text, o);
}

static void
put_failure(const struct message_posted *m, struct str why, struct event_out *o)
{
	struct frame f;

	frame_begin(&f, "error");
	jw_field_str(&f.w, "error", why);
	write_resolved(m, &f.w);
	frame_end(&f, "error", o);
}

static void
put_end(const struct message_posted *m, const struct message_wait *fold, struct message_told *told,
	struct event_out *o)
{
	struct arena a;
	struct frame f;

	arena_init(&a);
	if (told->failure.len > 0 && !str_eq(stop_of(fold, &a), STR("end_turn"))) {
		put_failure(m, told->failure, o);
	} else {
		frame_begin(&f, "done");
		write_answer(m, fold, &f.w, &a);
		frame_end(&f, "done", o);
	}
	arena_release(&a);
}

const struct message_form AGENT_CHAT_FORM = {
	.answer = write_answer,
	.begin = put_resolved,
	.event = put_event,
	.preview = put_preview,
	.end = put_end,
	.fail = put_failure,
};

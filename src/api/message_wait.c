#include "api/message_wait.h"

#include "api/message_json.h"
#include "core/reply_filter.h"
#include "engine/engine.h"

enum { ANSWER_MAX = STORE_PAYLOAD_MAX };

void
message_wait_init(struct message_wait *w, struct str input_id)
{
	*w = (struct message_wait){ 0 };
	arena_init(&w->arena);
	arena_init(&w->scratch);
	w->input_id = arena_str(&w->arena, input_id);
	buf_init(&w->text, ANSWER_MAX);
	buf_init(&w->calls, ANSWER_MAX);
	buf_init(&w->partial, ANSWER_MAX);
}

void
message_wait_release(struct message_wait *w)
{
	buf_release(&w->text);
	buf_release(&w->calls);
	buf_release(&w->partial);
	arena_release(&w->scratch);
	arena_release(&w->arena);
}

void
message_wait_rewind(struct message_wait *w)
{
	buf_clear(&w->text);
	buf_clear(&w->calls);
	w->usage = (struct usage){ 0 };
	w->joined = false;
	w->state = MESSAGE_RUNS;
}

bool
message_wait_is_over(const struct message_wait *w)
{
	return w->state == MESSAGE_DONE || w->state == MESSAGE_CANCELLED;
}

/* ---- who consumed it ---- */

static bool
names_input(const struct message_wait *w, struct json ids)
{
	struct json_iter it = json_iter(ids);

	while (json_next(&it))
		if (json_str_eq(it.value, w->input_id))
			return true;
	return false;
}

static void
take_consumer(struct message_wait *w, const struct event *ev, struct json payload)
{
	struct json ids, turn;

	if (w->consumed_seq != 0 || !json_find(payload, STR("consumes"), &ids) ||
	    !names_input(w, ids) || !json_find(payload, STR("turn_id"), &turn))
		return;
	w->turn = arena_str(&w->arena, json_str(turn, &w->scratch));
	w->consumed_seq = ev->seq;
	w->joined = ev->kind == EVENT_INPUT_CONSUMED;
	w->state = MESSAGE_RUNS;
}

static void
cancel(struct message_wait *w)
{
	w->stop_reason = STR("{\"type\":\"cancelled\"}");
	w->state = MESSAGE_CANCELLED;
}

static void
take_cancel(struct message_wait *w, struct json payload)
{
	struct json ids;

	if (w->state != MESSAGE_WAITS)
		return;
	if (json_find(payload, STR("all"), &ids) ||
	    (json_find(payload, STR("ids"), &ids) && names_input(w, ids)))
		cancel(w);
}

/* ---- what the turn said ---- */

static bool
is_of_turn(const struct message_wait *w, const struct event *ev)
{
	return w->turn.len > 0 && str_eq(ev->turn, w->turn);
}

static void
put_paragraph(struct buf *out, struct str text)
{
	struct buf kept;
	struct reply reply;

	buf_init(&kept, text.len + 1);
	reply = reply_filter_strip(text, &kept);
	if (reply.deliver && out->len > 0)
		buf_put_str(out, STR("\n\n"));
	if (reply.deliver)
		buf_put_str(out, reply.text);
	buf_release(&kept);
}

static void
take_message(struct message_wait *w, const struct event *ev, struct json payload)
{
	put_paragraph(&w->text, message_json_text(payload, &w->scratch));
	if (str_eq(ev->id, w->partial_id))
		buf_clear(&w->partial);
}

static void
take_call(struct message_wait *w, const struct event *ev, struct json payload)
{
	struct json name, input;
	struct jw out;

	if (!json_find(payload, STR("name"), &name) || !json_find(payload, STR("input"), &input))
		return;
	if (w->calls.len > 0)
		buf_putc(&w->calls, ',');
	jw_init(&out, &w->calls);
	jw_object(&out);
	jw_field_str(&out, "id", ev->id);
	jw_field_str(&out, "type", str_of(event_type(ev->kind)));
	jw_field_raw(&out, "name", json_raw(name));
	jw_field_raw(&out, "input", json_raw(input));
	jw_end_object(&out);
}

static int64_t
tokens(struct json usage, const char *name)
{
	struct json v;
	int64_t n = 0;

	return json_find(usage, str_of(name), &v) && json_int(v, &n) && n > 0 ? n : 0;
}

static void
take_usage(struct message_wait *w, struct json payload)
{
	struct json usage;

	if (!json_find(payload, STR("model_usage"), &usage))
		return;
	w->usage.input += tokens(usage, "input_tokens");
	w->usage.output += tokens(usage, "output_tokens");
	w->usage.reasoning += tokens(usage, "reasoning_tokens");
	w->usage.cache_read += tokens(usage, "cache_read_input_tokens");
	w->usage.cache_write += tokens(usage, "cache_creation_input_tokens");
}

static void
finish(struct message_wait *w, const struct event *ev, struct json payload)
{
	struct json reason;

	if (ev->seq < w->consumed_seq)
		return; /* parked before the message joined */
	w->stop_reason = json_find(payload, STR("stop_reason"), &reason)
				 ? arena_str(&w->arena, json_raw(reason))
				 : STR("{\"type\":\"terminated\"}");
	w->state = MESSAGE_DONE;
}

static void
take_turn_event(struct message_wait *w, const struct event *ev, struct json payload)
{
	switch ((int)ev->kind) {
	case EVENT_AGENT_MESSAGE: take_message(w, ev, payload); break;
	case EVENT_AGENT_TOOL_USE:
	case EVENT_AGENT_CUSTOM_TOOL_USE:
	case EVENT_AGENT_MCP_TOOL_USE: take_call(w, ev, payload); break;
	case EVENT_MODEL_REQUEST_END: take_usage(w, payload); break;
	case EVENT_STATUS_IDLE:
	case EVENT_STATUS_TERMINATED: finish(w, ev, payload); break;
	default: break; /* the rest says nothing about the answer */
	}
}

/* What ends the wait although no turn took the message. */
static void
take_session_event(struct message_wait *w, const struct event *ev, struct json payload)
{
	switch ((int)ev->kind) {
	case EVENT_STATUS_RUNNING:
	case EVENT_INPUT_CONSUMED: take_consumer(w, ev, payload); break;
	case EVENT_INPUT_CANCELLED: take_cancel(w, payload); break;
	case EVENT_STATUS_TERMINATED:
	case EVENT_SESSION_DELETED:
		if (!message_wait_is_over(w))
			cancel(w);
		break;
	default: break;
	}
}

static bool
matters(enum event_kind kind)
{
	static const uint64_t KINDS =
		UINT64_C(1) << EVENT_STATUS_RUNNING | UINT64_C(1) << EVENT_INPUT_CONSUMED |
		UINT64_C(1) << EVENT_INPUT_CANCELLED | UINT64_C(1) << EVENT_STATUS_TERMINATED |
		UINT64_C(1) << EVENT_SESSION_DELETED | UINT64_C(1) << EVENT_AGENT_MESSAGE |
		UINT64_C(1) << EVENT_AGENT_TOOL_USE | UINT64_C(1) << EVENT_AGENT_CUSTOM_TOOL_USE |
		UINT64_C(1) << EVENT_AGENT_MCP_TOOL_USE | UINT64_C(1) << EVENT_MODEL_REQUEST_END |
		UINT64_C(1) << EVENT_STATUS_IDLE;

	return KINDS >> kind & 1;
}

bool
message_wait_apply(struct message_wait *w, const struct event *ev)
{
	struct json_doc doc;

	if (message_wait_is_over(w))
		return false;
	if (!matters(ev->kind))
		return is_of_turn(w, ev);
	if (json_parse(&w->scratch, ev->payload, &EVENT_PAYLOAD_LIMITS, &doc, NULL) != 0)
		return false; /* the log holds no such thing */
	if (is_of_turn(w, ev))
		take_turn_event(w, ev, json_root(&doc));
	if (!message_wait_is_over(w))
		take_session_event(w, ev, json_root(&doc));
	arena_reset(&w->scratch);
	return is_of_turn(w, ev) || message_wait_is_over(w);
}

void
message_wait_preview(struct message_wait *w, struct str event_id, struct str piece)
{
	if (!str_eq(event_id, w->partial_id)) {
		w->partial_id = arena_str(&w->arena, event_id);
		buf_clear(&w->partial);
	}
	buf_put_str(&w->partial, piece);
}

/* ---- the answer ---- */

struct str
message_wait_text(const struct message_wait *w, struct arena *a)
{
	struct buf all;
	struct str out;

	buf_init(&all, 2 * (size_t)ANSWER_MAX + 2);
	buf_put_str(&all, buf_str(&w->text));
	if (w->partial.len > 0)
		put_paragraph(&all, buf_str(&w->partial));
	out = arena_str(a, buf_str(&all));
	buf_release(&all);
	return out;
}

void
message_wait_write(const struct message_wait *w, struct jw *out, struct arena *scratch)
{
	jw_field_str(out, "text", message_wait_text(w, scratch));
	jw_field_array(out, "tool_calls");
	if (w->calls.len > 0)
		jw_raw(out, buf_str(&w->calls));
	jw_end_array(out);
	if (w->stop_reason.len > 0)
		jw_field_raw(out, "stop_reason", w->stop_reason);
	else
		jw_field_null(out, "stop_reason");
	jw_field_object(out, "usage");
	jw_field_int(out, "input_tokens", w->usage.input);
	jw_field_int(out, "output_tokens", w->usage.output);
	jw_field_int(out, "reasoning_tokens", w->usage.reasoning);
	jw_field_int(out, "cache_read_input_tokens", w->usage.cache_read);
	jw_field_int(out, "cache_creation_input_tokens", w->usage.cache_write);
	jw_end_object(out);
}

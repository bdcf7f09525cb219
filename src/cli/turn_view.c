#include "cli/turn_view.h"

#include "cli/event_line.h"

enum { TEXT_MAX = 256 * 1024 * 1024 };

void
turn_view_init(struct turn_view *v, struct str message_id, const struct turn_view_events *events)
{
	*v = (struct turn_view){ .events = *events, .message_id = message_id };
	arena_init(&v->arena);
	arena_init(&v->scratch);
	buf_init(&v->text, TEXT_MAX);
	buf_init(&v->told, TEXT_MAX);
	reply_stream_init(&v->reply, TEXT_MAX);
}

void
turn_view_release(struct turn_view *v)
{
	vec_release(&v->calls);
	vec_release(&v->waits_for);
	vec_release(&v->settled);
	buf_release(&v->text);
	buf_release(&v->told);
	reply_stream_release(&v->reply);
	arena_release(&v->arena);
	arena_release(&v->scratch);
}

const struct waiting_call *
turn_view_find_call(const struct turn_view *v, struct str id)
{
	for (size_t i = 0; i < v->calls.len; i++)
		if (str_eq(v->calls.ptr[i].id, id))
			return &v->calls.ptr[i];
	return NULL;
}

static void
note(struct turn_view *v, const char *before, struct str text)
{
	struct str line = arena_printf(&v->scratch, "%s" STR_FMT, before, STR_ARG(text));

	v->events.on_note(v->events.context, line);
}

/* ---- text ---- */

/* What was shown of a message ends here. */
static void
end_shown(struct turn_view *v)
{
	if (v->shown)
		v->events.on_text_end(v->events.context);
	v->shown = false;
	reply_stream_release(&v->reply);
	reply_stream_init(&v->reply, TEXT_MAX);
}

static void
show(struct turn_view *v, struct str piece)
{
	if (piece.len == 0)
		return;
	v->shown = true;
	v->events.on_text(v->events.context, piece);
}

static void
forget_preview(struct turn_view *v)
{
	end_shown(v);
	v->preview_id = (struct str){ 0 };
	buf_clear(&v->told);
	v->at = 0;
}

static void
begin_message(struct turn_view *v, struct str id)
{
	if (!str_eq(v->preview_id, id))
		v->preview_id = arena_str(&v->arena, id);
	v->at = 0; /* who joins in the middle is told the text so far */
}

/* It says something else than what was told of it before: all of it is told again. */
static void
begin_again(struct turn_view *v, struct str same)
{
	struct str text = arena_str(&v->scratch, same);
	bool shown = v->shown;

	end_shown(v);
	if (shown)
		note(v, "the answer was cut short and begins again", STR(""));
	buf_clear(&v->told);
	buf_put_str(&v->told, text);
	show(v, reply_stream_push(&v->reply, text));
}

static void
tell(struct turn_view *v, struct str piece)
{
	struct str told = str_slice(buf_str(&v->told), v->at, v->told.len), fresh;
	size_t known = told.len < piece.len ? told.len : piece.len;

	if (!str_eq(str_slice(told, 0, known), str_slice(piece, 0, known))) {
		begin_again(v, str_slice(buf_str(&v->told), 0, v->at));
		known = 0;
	}
	fresh = str_slice(piece, known, piece.len);
	v->at += piece.len;
	if (fresh.len == 0)
		return;
	show(v, reply_stream_push(&v->reply, fresh));
	buf_put_str(&v->told, fresh);
}

static void
on_start(struct turn_view *v, struct json frame)
{
	struct json event;

	if (v->running && json_find(frame, STR("event"), &event) &&
	    str_eq(event_line_field(event, "type", &v->scratch), STR("agent.message")))
		begin_message(v, event_line_field(event, "id", &v->scratch));
}

static void
on_delta(struct turn_view *v, struct json frame)
{
	struct str id = event_line_field(frame, "event_id", &v->scratch);
	struct json delta, content;

	if (!v->running || !json_find(frame, STR("delta"), &delta) ||
	    !json_find(delta, STR("content"), &content))
		return;
	if (!str_eq(v->preview_id, id))
		begin_message(v, id);
	tell(v, event_line_field(content, "text", &v->scratch));
}

static void
on_message(struct turn_view *v, struct json event)
{
	struct json content;
	struct str text = { 0 };
	struct buf kept;
	struct reply reply;

	if (json_find(event, STR("content"), &content))
		text = event_line_content(content, &v->scratch);
	buf_init(&kept, text.len);
	reply = reply_filter_strip(text, &kept);
	if (v->told.len == 0) {
		show(v, reply.deliver ? reply.text : (struct str){ 0 });
	} else {
		begin_message(v, event_line_field(event, "id", &v->scratch));
		tell(v, text);
		if (v->at < v->told.len) /* shorter than what was told */
			begin_again(v, text);
		show(v, reply_stream_rest(&v->reply));
	}
	forget_preview(v);
	if (v->text.len > 0 && reply.deliver)
		buf_puts(&v->text, "\n\n");
	if (reply.deliver)
		buf_put_str(&v->text, reply.text);
	buf_release(&kept);
}

/* ---- tools ---- */

static void
on_call(struct turn_view *v, struct json event)
{
	struct waiting_call call = waiting_call_read(event, false, &v->scratch);

	call.id = arena_str(&v->arena, call.id);
	call.line = arena_str(&v->arena, call.line);
	call.whole = arena_str(&v->arena, call.whole);
	*vec_push(&v->calls) = call;
	v->events.on_call(v->events.context, call.line);
}

static void
on_result(struct turn_view *v, struct json event)
{
	struct json is_error, content;

	if (!json_find(event, STR("is_error"), &is_error) || json_type(is_error) != JSON_TRUE)
		return;
	if (json_find(event, STR("content"), &content))
		note(v, "failed: ", event_line_content(content, &v->scratch));
	else
		note(v, "failed", STR(""));
}

/* ---- the turn ---- */

static bool
names_input(struct turn_view *v, struct json event, const char *member)
{
	return v->input_id.len > 0 && event_line_names(event, member, v->input_id);
}

static bool
is_ours(struct turn_view *v, struct json event)
{
	return v->turn.len > 0 && str_eq(event_line_field(event, "turn_id", &v->scratch), v->turn);
}

static void
on_running(struct turn_view *v, struct json event)
{
	if (names_input(v, event, "consumes"))
		v->turn = arena_str(&v->arena, event_line_field(event, "turn_id", &v->scratch));
	if (v->turn.len == 0 || is_ours(v, event)) {
		v->running = v->turn.len > 0;
		v->waits = false;
		v->stop_reason = (struct str){ 0 };
		vec_clear(&v->waits_for);
	}
}

static bool
has(const struct str *ids, size_t count, struct str id)
{
	for (size_t i = 0; i < count; i++)
		if (str_eq(ids[i], id))
			return true;
	return false;
}

static void
note_waits(struct turn_view *v, struct json ids)
{
	struct json_iter it = json_iter(ids);

	while (json_next(&it)) {
		struct str id = json_str(it.value, &v->scratch);

		if (!has(v->settled.ptr, v->settled.len, id))
			*vec_push(&v->waits_for) = arena_str(&v->arena, id);
	}
}

void
turn_view_join(struct turn_view *v, struct str turn, struct json ids)
{
	v->turn = arena_str(&v->arena, turn);
	v->stop_reason = STR("requires_action");
	if (json_is_set(ids))
		note_waits(v, ids);
	v->waits = v->waits_for.len > 0;
}

/* Before the message is consumed, an idle session that waits keeps it from being so. */
static void
on_idle(struct turn_view *v, struct json event)
{
	bool ours = is_ours(v, event), asks;
	struct json stop, ids;

	if ((!ours && v->turn.len > 0) || !json_find(event, STR("stop_reason"), &stop))
		return;
	if (ours) {
		forget_preview(v);
		v->running = false;
	}
	v->stop_reason = arena_str(&v->arena, event_line_field(stop, "type", &v->scratch));
	asks = str_eq(v->stop_reason, STR("requires_action"));
	v->over = ours && !asks;
	v->waits = asks && (ours || v->input_id.len > 0);
	vec_clear(&v->waits_for);
	if (!asks && !ours)
		v->stop_reason = (struct str){ 0 };
	if (!asks || !json_find(stop, STR("event_ids"), &ids))
		return;
	note_waits(v, ids);
	if (json_count(ids) > 0)
		v->waits &= v->waits_for.len > 0;
}

bool
turn_view_waits_for(const struct turn_view *v, struct str id)
{
	return has(v->waits_for.ptr, v->waits_for.len, id);
}

void
turn_view_settle(struct turn_view *v, struct str id)
{
	size_t kept = 0;

	*vec_push(&v->settled) = arena_str(&v->arena, id);
	for (size_t i = 0; i < v->waits_for.len; i++)
		if (!str_eq(v->waits_for.ptr[i], id))
			v->waits_for.ptr[kept++] = v->waits_for.ptr[i];
	v->waits_for.len = kept;
	v->waits = v->waits && kept > 0;
}

static void
on_input(struct turn_view *v, struct json event)
{
	struct str id = event_line_field(event, "id", &v->scratch);

	if (!str_eq(event_line_field(event, "message_id", &v->scratch), v->message_id) &&
	    !str_eq(id, v->message_id))
		return;
	v->input_id = arena_str(&v->arena, id);
	v->waits |= v->waits_for.len > 0; /* it is behind a question that was there before */
}

static void
end_as(struct turn_view *v, struct str reason)
{
	forget_preview(v);
	v->running = v->waits = false;
	v->over = true;
	v->stop_reason = reason;
}

static void
on_error(struct turn_view *v, struct json event)
{
	struct json error;

	if (json_find(event, STR("error"), &error))
		note(v, "error: ", event_line_field(error, "message", &v->scratch));
}

static void
on_rescheduled(struct turn_view *v, struct json event)
{
	struct str reason = event_line_field(event, "reason", &v->scratch);

	if (str_starts(reason, STR("restart")))
		note(v, "the server restarted; the turn goes on", STR(""));
	else
		note(v, "waits to try again: ", reason);
}

/* What concerns a turn only while it is ours. */
static void
apply_to_turn(struct turn_view *v, struct str type, struct json event)
{
	if (str_eq(type, STR("agent.message")))
		on_message(v, event);
	else if (str_ends(type, STR("tool_use")))
		on_call(v, event);
	else if (str_ends(type, STR("tool_result")))
		on_result(v, event);
	else if (str_eq(type, STR("session.error")))
		on_error(v, event);
	else if (str_eq(type, STR("session.status_rescheduled")))
		on_rescheduled(v, event);
	else if (str_eq(type, STR("agent.thread_context_compacted")))
		note(v, "the conversation so far was summarised", STR(""));
}

void
turn_view_apply(struct turn_view *v, struct str type, struct json event)
{
	arena_reset(&v->scratch);
	if (v->over)
		return;
	if (str_eq(type, STR("event_start")))
		on_start(v, event);
	else if (str_eq(type, STR("event_delta")))
		on_delta(v, event);
	else if (str_eq(type, STR("user.message")))
		on_input(v, event);
	else if (str_eq(type, STR("session.status_running")) ||
		 str_eq(type, STR("session.input_consumed")))
		on_running(v, event);
	else if (str_eq(type, STR("session.status_idle")))
		on_idle(v, event);
	else if (str_eq(type, STR("user.tool_confirmation")))
		turn_view_settle(v, event_line_field(event, "tool_use_id", &v->scratch));
	else if (str_eq(type, STR("session.input_cancelled")) && names_input(v, event, "ids"))
		end_as(v, STR("cancelled"));
	else if (str_eq(type, STR("session.status_terminated")))
		end_as(v, STR("terminated"));
	else if (str_eq(type, STR("session.deleted")))
		end_as(v, STR("deleted"));
	else if (is_ours(v, event))
		apply_to_turn(v, type, event);
}

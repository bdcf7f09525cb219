#include "api/event_json.h"

#include "base/json_write.h"
#include "base/timestamp.h"

/* ---- the object ---- */

/* Kinds whose payload says itself which turn it is about. */
static bool
names_its_turn(enum event_kind kind)
{
	static const uint64_t KINDS =
		UINT64_C(1) << EVENT_STATUS_RUNNING | UINT64_C(1) << EVENT_STATUS_IDLE |
		UINT64_C(1) << EVENT_STATUS_RESCHEDULED | UINT64_C(1) << EVENT_STATUS_TERMINATED |
		UINT64_C(1) << EVENT_INPUT_CONSUMED;

	return KINDS >> kind & 1;
}

/* What stands between the payload's braces. */
static struct str
members_of(struct str payload)
{
	struct str text = str_trim(payload);

	return str_trim(str_slice(text, 1, text.len > 0 ? text.len - 1 : 0));
}

/* A line end in JSON is white space between tokens: a blank means the same and keeps one line. */
static void
put_on_one_line(struct buf *out, struct str json)
{
	char *to = json.len > 0 ? buf_extend(out, json.len) : NULL, *end;

	if (!to)
		return;
	end = to + json.len;
	memcpy(to, json.ptr, json.len);
	for (char *at = to; (at = memchr(at, '\n', (size_t)(end - at))) != NULL;)
		*at = ' ';
	for (char *at = to; (at = memchr(at, '\r', (size_t)(end - at))) != NULL;)
		*at = ' ';
}

static void
put_text(struct buf *out, struct str text)
{
	buf_putc(out, '"');
	json_escape(out, text);
	buf_putc(out, '"');
}

static void
put_instant(struct buf *out, int64_t ms)
{
	char text[TIMESTAMP_TEXT_MAX];

	buf_putc(out, '"');
	buf_put_str(out, timestamp_format(ms, text));
	buf_putc(out, '"');
}

int64_t
event_json_accepted_at(const struct event *ev)
{
	return ev->meta.len == 0 || str_starts(ev->meta, STR("{\"class\":\"passive\""))
		       ? ev->created_at_ms
		       : 0;
}

void
event_json_write(struct buf *out, const struct event_view *v)
{
	const struct event *ev = v->ev;

	buf_put_str(out, STR("{\"id\":"));
	put_text(out, ev->id);
	buf_putc(out, ',');
	put_on_one_line(out, members_of(ev->payload));
	buf_put_str(out, STR(",\"seq\":"));
	buf_put_int(out, ev->seq);
	buf_put_str(out, STR(",\"created_at\":"));
	put_instant(out, ev->created_at_ms);
	buf_put_str(out, STR(",\"processed_at\":"));
	if (v->processed_at_ms != 0)
		put_instant(out, v->processed_at_ms);
	else
		buf_put_str(out, STR("null"));
	if (ev->turn.len > 0 && !names_its_turn(ev->kind)) {
		buf_put_str(out, STR(",\"turn_id\":"));
		put_text(out, ev->turn);
	}
	if (v->session_id.len > 0) {
		buf_put_str(out, STR(",\"session_id\":"));
		put_text(out, v->session_id);
	}
	buf_putc(out, '}');
}

/* ---- frames ---- */

void
event_json_frame(struct buf *out, const struct event_view *v, int64_t frame_id)
{
	buf_put_str(out, STR("id: "));
	buf_put_int(out, frame_id);
	buf_put_str(out, STR("\nevent: "));
	buf_puts(out, event_type(v->ev->kind));
	buf_put_str(out, STR("\ndata: "));
	event_json_write(out, v);
	buf_put_str(out, STR("\n\n"));
}

static struct jw
begin_frame(struct buf *out, const char *name)
{
	struct jw w;

	buf_put_str(out, STR("event: "));
	buf_puts(out, name);
	buf_put_str(out, STR("\ndata: "));
	jw_init(&w, out);
	jw_object(&w);
	jw_field_str(&w, "type", str_of(name));
	return w;
}

static void
end_frame(struct jw *w)
{
	jw_end_object(w);
	buf_put_str(w->out, STR("\n\n"));
}

void
event_json_preview_start(struct buf *out, const struct engine_preview *p, bool with_session)
{
	struct jw w = begin_frame(out, "event_start");

	jw_field_object(&w, "event");
	jw_field_str(&w, "type", str_of(event_type(p->event_kind)));
	jw_field_str(&w, "id", p->event_id);
	jw_end_object(&w);
	if (with_session)
		jw_field_str(&w, "session_id", p->session);
	end_frame(&w);
}

void
event_json_preview_delta(struct buf *out, const struct engine_preview *p, bool with_session)
{
	struct jw w = begin_frame(out, "event_delta");

	jw_field_str(&w, "event_id", p->event_id);
	jw_field_object(&w, "delta");
	jw_field_str(&w, "type", STR("content_delta"));
	jw_field_int(&w, "index", 0);
	jw_field_object(&w, "content");
	jw_field_str(&w, "type", STR("text"));
	jw_field_str(&w, "text", p->text);
	jw_end_object(&w);
	jw_end_object(&w);
	if (with_session)
		jw_field_str(&w, "session_id", p->session);
	end_frame(&w);
}

void
event_json_gap(struct buf *out, int64_t from, int64_t to)
{
	struct jw w = begin_frame(out, "gap");

	jw_field_int(&w, "from", from);
	jw_field_int(&w, "to", to);
	end_frame(&w);
}

void
event_json_reset(struct buf *out, int64_t head)
{
	struct jw w = begin_frame(out, "reset");

	jw_field_int(&w, "head", head);
	end_frame(&w);
}

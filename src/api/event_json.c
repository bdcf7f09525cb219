#include "api/event_json.h"

#include "base/json_write.h"
#include "base/timestamp.h"
#include "net/ws_frame.h"

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
put_instant(struct buf *out, struct str text)
{
	buf_putc(out, '"');
	buf_put_str(out, text);
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
	char text[TIMESTAMP_TEXT_MAX];
	struct str created_at = timestamp_format(ev->created_at_ms, text);

	buf_put_str(out, STR("{\"id\":"));
	put_text(out, ev->id);
	buf_putc(out, ',');
	put_on_one_line(out, members_of(ev->payload));
	buf_put_str(out, STR(",\"seq\":"));
	buf_put_int(out, ev->seq);
	buf_put_str(out, STR(",\"created_at\":"));
	put_instant(out, created_at);
	buf_put_str(out, STR(",\"processed_at\":"));
	if (v->processed_at_ms == ev->created_at_ms)
		put_instant(out, created_at);
	else if (v->processed_at_ms != 0)
		put_instant(out, timestamp_format(v->processed_at_ms, text));
	else
		buf_put_str(out, STR("null"));
	if (v->position > 0) {
		buf_put_str(out, STR(",\"queue_position\":"));
		buf_put_int(out, v->position);
	}
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

struct frame {
	struct buf *out;
	enum event_framing framing;
	size_t at; /* of its head */
};

/* cursor -1: none, it is not stored. */
static struct frame
begin_frame(struct buf *out, enum event_framing framing, const char *name, int64_t cursor)
{
	struct frame f = { out, framing, 0 };

	if (framing == EVENT_WS) {
		f.at = ws_frame_reserve(out);
		buf_put_str(out, STR("\"type\":\"event\","));
	}
	if (cursor >= 0) {
		buf_put_str(out, framing == EVENT_WS ? STR("\"cursor\":") : STR("id: "));
		buf_put_int(out, cursor);
		buf_putc(out, framing == EVENT_WS ? ',' : '\n');
	}
	if (framing == EVENT_WS) {
		buf_put_str(out, STR("\"event\":"));
	} else {
		buf_put_str(out, STR("event: "));
		buf_puts(out, name);
		buf_put_str(out, STR("\ndata: "));
	}
	return f;
}

static void
end_frame(const struct frame *f)
{
	if (f->framing == EVENT_SSE) {
		buf_put_str(f->out, STR("\n\n"));
		return;
	}
	buf_putc(f->out, '}');
	ws_frame_finish(f->out, f->at, WS_END);
}

void
event_json_frame(struct buf *out, enum event_framing framing, const struct event_view *v,
		 int64_t cursor)
{
	struct frame f = begin_frame(out, framing, event_type(v->ev->kind), cursor);

	event_json_write(out, v);
	end_frame(&f);
}

void
event_json_other(struct buf *out, enum event_framing framing, const char *name, struct str json)
{
	struct frame f = begin_frame(out, framing, name, -1);

	put_on_one_line(out, json);
	end_frame(&f);
}

/* Its object begins with the frame's name. */
static struct jw
begin_object(struct buf *out, const char *name)
{
	struct jw w;

	jw_init(&w, out);
	jw_object(&w);
	jw_field_str(&w, "type", str_of(name));
	return w;
}

void
event_json_preview_start(struct buf *out, enum event_framing framing,
			 const struct engine_preview *p, bool with_session)
{
	struct frame f = begin_frame(out, framing, "event_start", -1);
	struct jw w = begin_object(out, "event_start");

	jw_field_object(&w, "event");
	jw_field_str(&w, "type", str_of(event_type(p->event_kind)));
	jw_field_str(&w, "id", p->event_id);
	jw_end_object(&w);
	if (with_session)
		jw_field_str(&w, "session_id", p->session);
	jw_end_object(&w);
	end_frame(&f);
}

void
event_json_preview_delta(struct buf *out, enum event_framing framing,
			 const struct engine_preview *p, bool with_session)
{
	struct frame f = begin_frame(out, framing, "event_delta", -1);
	struct jw w = begin_object(out, "event_delta");

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
	jw_end_object(&w);
	end_frame(&f);
}

void
event_json_gap(struct buf *out, enum event_framing framing, int64_t from, int64_t to)
{
	struct frame f = begin_frame(out, framing, "gap", -1);
	struct jw w = begin_object(out, "gap");

	jw_field_int(&w, "from", from);
	jw_field_int(&w, "to", to);
	jw_end_object(&w);
	end_frame(&f);
}

void
event_json_reset(struct buf *out, enum event_framing framing, int64_t head)
{
	struct frame f = begin_frame(out, framing, "reset", -1);
	struct jw w = begin_object(out, "reset");

	jw_field_int(&w, "head", head);
	jw_end_object(&w);
	end_frame(&f);
}

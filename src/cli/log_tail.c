#include "cli/log_tail.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "cli/url_text.h"

enum { RETRY_MS = 500, RETRY_MAX_MS = 5000, EVENT_TOKENS = 8 * 1000 * 1000 };

struct log_tail {
	struct client *client;
	struct log_tail_events events;
	char *path;
	int64_t cursor, retry_ms, wait_ms;
	struct client_stream *stream;
	struct loop_timer *again;
	bool connected, over;
	struct arena scratch;
};

static void connect_now(void *context);

static bool
ends_session(struct str type)
{
	return str_eq(type, STR("session.deleted")) ||
	       str_eq(type, STR("session.status_terminated"));
}

/* False: it was told before. */
static bool
move_cursor(struct log_tail *t, struct str type, struct json event)
{
	struct json seq;
	int64_t at;

	if (str_eq(type, STR("reset")) && json_find(event, STR("head"), &seq) &&
	    json_int(seq, &at)) {
		t->cursor = at;
		return true;
	}
	if (!json_find(event, STR("seq"), &seq) || !json_int(seq, &at))
		return true; /* a preview, which the log does not have */
	if (at <= t->cursor)
		return false;
	t->cursor = at;
	return true;
}

static bool
on_event(void *context, const struct sse_event *frame)
{
	static const struct json_limits LIMITS = { UINT32_MAX, 64, EVENT_TOKENS };
	struct log_tail *t = context;
	struct json_doc doc;

	if (frame->retry_ms > 0)
		t->retry_ms = frame->retry_ms;
	t->wait_ms = 0;
	if (frame->name.len == 0 || !frame->data.ptr || frame->data.len == 0)
		return true;
	arena_reset(&t->scratch);
	if (json_parse(&t->scratch, frame->data, &LIMITS, &doc, NULL) != 0 ||
	    !move_cursor(t, frame->name, json_root(&doc)))
		return true;
	t->over = ends_session(frame->name);
	t->events.on_event(t->events.context, frame->name, json_root(&doc));
	return true;
}

static void
tell_state(struct log_tail *t, bool connected, const struct err *why)
{
	if (t->connected != connected && t->events.on_state)
		t->events.on_state(t->events.context, connected, why);
	t->connected = connected;
}

static void
on_open(void *context)
{
	tell_state(context, true, NULL);
}

/* The server or the way to it is gone: it will be back. Else it said no. */
static bool
may_come_back(int rc)
{
	return rc == 0 || rc == ERR_IO || rc == ERR_UNAVAILABLE || rc == ERR_TIMEOUT ||
	       rc == ERR_CONFLICT;
}

static void
on_end(void *context, int rc, const struct err *e)
{
	struct log_tail *t = context;

	t->stream = NULL;
	if (t->over || !may_come_back(rc)) {
		t->events.on_end(t->events.context, t->over ? 0 : rc, e);
		return;
	}
	t->wait_ms = t->wait_ms == 0 ? t->retry_ms : t->wait_ms * 2;
	if (t->wait_ms > RETRY_MAX_MS)
		t->wait_ms = RETRY_MAX_MS;
	loop_timer_set(t->again, t->wait_ms);
	tell_state(t, false, rc == 0 ? NULL : e);
}

static void
connect_now(void *context)
{
	struct log_tail *t = context;

	t->stream =
		client_stream_open(t->client, str_of(t->path), t->cursor,
				   &(struct client_stream_events){ on_open, on_event, on_end, t });
}

struct log_tail *
log_tail_new(struct client *c, struct str session, int64_t after, bool previews,
	     const struct log_tail_events *events)
{
	struct log_tail *t = xcalloc(1, sizeof *t);
	struct str path;

	arena_init(&t->scratch);
	t->client = c;
	t->events = *events;
	t->cursor = after;
	t->retry_ms = RETRY_MS;
	t->connected = true; /* so that a first failure is told */
	path = arena_printf(&t->scratch, "/v1/sessions/%s/events/stream%s",
			    url_text_encode(&t->scratch, session).ptr,
			    previews ? "?event_deltas%5B%5D=agent.message" : "");
	t->path = xstrdup(path.ptr);
	t->again = loop_timer_new(client_loop(c), connect_now, t);
	connect_now(t);
	return t;
}

void
log_tail_free(struct log_tail **tail)
{
	struct log_tail *t = *tail;

	if (!t)
		return;
	client_stream_close(&t->stream);
	loop_timer_free(&t->again);
	arena_release(&t->scratch);
	free(t->path);
	free(t);
	*tail = NULL;
}

void
log_tail_pause(struct log_tail *t)
{
	client_stream_close(&t->stream);
	loop_timer_cancel(t->again);
}

void
log_tail_resume(struct log_tail *t)
{
	if (!t->stream)
		connect_now(t);
}

int64_t
log_tail_cursor(const struct log_tail *t)
{
	return t->cursor;
}

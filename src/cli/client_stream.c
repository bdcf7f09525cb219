/* client_stream - a stream of events that is read until somebody has enough of it. */
#include "cli/client_private.h"
#include "cli/client_refusal.h"

#include <stdlib.h>

#include "base/xalloc.h"

enum { EVENT_MAX = 64 * 1024 * 1024 };
static const int64_t IDLE_MS = 45 * 1000; /* the server says something every 15 s */

struct client_stream {
	struct list node;
	struct client *client;
	struct http_exchange *x;
	struct sse_decode decode;
	struct client_stream_events events;
	struct loop_task end;
	int status, rc;
	struct err err;
	struct buf refusal;   /* an answer that is no stream */
	bool stopped;         /* by the owner's own word */
	bool feeding, closed; /* closed while it is fed: freed behind that */
};

static void
stream_free(struct client_stream *s)
{
	list_remove(&s->node);
	http_exchange_cancel(&s->x);
	loop_task_cancel(&s->end);
	sse_decode_release(&s->decode);
	buf_release(&s->refusal);
	free(s);
}

static void
stream_over(struct client_stream *s)
{
	struct client_stream_events events = s->events;
	struct err e = s->err;
	int rc = s->rc;

	stream_free(s);
	events.on_end(events.context, rc, &e);
}

static void
on_end_task(struct loop_task *task)
{
	stream_over(LIST_OWNER(task, struct client_stream, end));
}

static void
on_head(void *context, const struct http_answer *answer)
{
	struct client_stream *s = context;
	char request_id[CLIENT_REQUEST_ID_MAX];

	client_head(s->client, "stream", answer, &s->status, request_id);
	if (s->status == 200 && s->events.on_open)
		s->events.on_open(s->events.context);
}

static bool
on_frame(void *context, const struct sse_event *event)
{
	struct client_stream *s = context;

	if (!s->stopped && !s->events.on_event(s->events.context, event))
		s->stopped = true;
	return !s->stopped;
}

static void
feed(struct client_stream *s, struct str piece)
{
	int rc;

	s->feeding = true;
	rc = sse_decode_feed(&s->decode, piece, &s->err);
	s->feeding = false;
	if (s->closed) {
		stream_free(s);
	} else if (rc != 0) {
		s->rc = rc;
		http_exchange_cancel(&s->x);
		loop_defer(s->client->loop, &s->end);
	}
}

static void
on_body(void *context, struct str piece)
{
	struct client_stream *s = context;

	if (s->status != 200)
		buf_put_str(&s->refusal, piece);
	else if (!s->stopped)
		feed(s, piece);
}

static void
on_done(void *context, int rc, const struct err *e)
{
	struct client_stream *s = context;

	s->x = NULL;
	if (rc != 0) {
		s->rc = rc;
		s->err = *e;
	} else if (s->status != 200) {
		s->rc = client_refusal_of_answer(s->client->place, s->status, buf_str(&s->refusal),
						 "", &s->err);
	}
	stream_over(s);
}

struct client_stream *
client_stream_open(struct client *c, struct str path, int64_t after,
		   const struct client_stream_events *events)
{
	struct client_stream *s = xcalloc(1, sizeof *s);
	const struct http_call_events calls = { on_head, on_body, NULL, on_done, s };
	struct http_header headers[CLIENT_HEADERS_MAX];
	struct http_call call = {
		.method = STR("GET"),
		.headers = headers,
		.unix_socket = c->place->unix_socket,
		.idle_ms = IDLE_MS,
		.max_body_bytes = HTTP_CALL_UNLIMITED_BYTES,
	};
	struct arena a;

	s->client = c;
	s->events = *events;
	buf_init(&s->refusal, CLIENT_ANSWER_MAX);
	sse_decode_init(&s->decode, EVENT_MAX, on_frame, s);
	loop_task_init(&s->end, on_end_task);
	list_append(&c->streams, &s->node);
	arena_init(&a);
	call.url = arena_printf(&a, STR_FMT STR_FMT, STR_ARG(c->place->url), STR_ARG(path));
	call.header_count = client_headers(c, &a, STR("text/event-stream"), headers);
	if (after >= 0)
		headers[call.header_count++] =
			(struct http_header){ STR("last-event-id"),
					      arena_printf(&a, "%lld", (long long)after) };
	s->rc = egress_send(c->egress, EGRESS_OPERATOR, &call, &calls, &s->x, &s->err);
	if (s->rc != 0)
		loop_defer(c->loop, &s->end);
	arena_release(&a);
	return s;
}

void
client_stream_close(struct client_stream **s)
{
	struct client_stream *gone = TAKE(*s);

	if (gone && gone->feeding)
		gone->stopped = gone->closed = true;
	else if (gone)
		stream_free(gone);
}

void
client_streams_free(struct client *c)
{
	while (!list_is_empty(&c->streams))
		stream_free(LIST_OWNER(c->streams.next, struct client_stream, node));
}

#include "tool/mcp/http.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "net/sse_decode.h"
#include "tool/mcp/http_refusal.h"
#include "tool/mcp/param_header.h"

enum {
	SESSION_ID_MAX = 1024,
	HEADERS_MAX = 8, /* besides those of arguments */
	LINGER_MS = 1000,
	RESUMES_MAX = 5, /* in a row, without a word of the peer's in between */
	RESUME_MS = 1000,
	RESUME_MS_MAX = 60 * 1000,
	LIVED_MS = 10 * 1000,  /* a stream that lasted so long was ended for being quiet */
	ASIDE_MS = 30 * 1000,  /* for a message that nobody answers */
	ANSWERS_OPEN_MAX = 32, /* as many as the peer likes to ask for: it has to take them */
};

#define EVENTS_TYPE STR("text/event-stream")

struct http {
	struct transport port;
	struct host *host;
	struct egress *egress;
	enum egress_policy policy;
	struct arena arena;
	struct str url;
	struct transport_mode mode;
	struct str session; /* empty: none */
	struct list streams;
	size_t answers_open;     /* of ours, that the peer has not taken yet */
	struct host_task closed; /* it hung up, or is given up */
	struct mcp_failure why;
	bool leaving;
};

enum stream_kind {
	STREAM_POST,
	STREAM_LISTEN, /* what the peer says of itself */
	STREAM_LEAVE,  /* DELETE */
};

/* A message that was sent and what comes back, over several exchanges when it breaks off. */
struct stream {
	struct list node;
	struct http *http;
	enum stream_kind kind;
	int64_t id; /* MESSAGE_NO_ID: nobody waits for an answer */
	struct http_exchange *exchange;
	struct host_timer *timer; /* to go on, or to stop waiting for the end */
	struct sse_decode events;
	struct buf body;
	int status;
	unsigned resumes;
	int64_t since_ms;   /* is_events: when it began */
	bool opens_session; /* its answer may name one */
	bool is_answer;     /* to what the peer asked */
	bool is_events, was_events;
	bool settled, busy, dead;
	struct mcp_failure unsent; /* err.code 0: it was sent */
};

/* ---- a stream's life ---- */

static void
stream_free(struct stream *s)
{
	s->dead = true;
	if (s->busy)
		return; /* whoever is busy with it frees it */
	s->http->answers_open -= s->is_answer;
	http_exchange_cancel(&s->exchange);
	s->http->host->ops->timer_free(s->timer);
	sse_decode_release(&s->events);
	buf_release(&s->body);
	list_remove(&s->node);
	free(s);
}

/* Done with it; tells the one who waits, who may then do anything. */
static void
stream_fail(struct stream *s, enum mcp_fail kind, int code, const char *why)
{
	struct http *h = s->http;
	struct mcp_failure failure = { .kind = kind };
	int64_t id = s->settled ? MESSAGE_NO_ID : s->id;
	bool heard = s->kind == STREAM_LISTEN && s->was_events && !h->leaving;

	err_set(&failure.err, code, "%s", why);
	stream_free(s);
	if (id != MESSAGE_NO_ID || heard)
		h->port.events->on_failed(h->port.ctx, id, &failure);
}

/* The peer took it and began to answer: whatever ends it now, what was done is not known. */
static bool
had_begun(const struct stream *s)
{
	return s->kind == STREAM_POST && s->was_events;
}

static void stream_send(struct stream *s, const struct http_call *call);

/* ---- what is sent ---- */

struct head {
	struct http_header headers[HEADERS_MAX];
	size_t count;
};

static void
head_add(struct head *head, struct str name, struct str value)
{
	if (value.len > 0)
		head->headers[head->count++] = (struct http_header){ name, value };
}

/* What every call of the session carries. */
static void
head_of_session(const struct http *h, struct head *head)
{
	head_add(head, STR("mcp-protocol-version"), h->mode.version);
	if (!h->mode.stateless)
		head_add(head, STR("mcp-session-id"), h->session);
}

/* ---- going on ---- */

static void
resume(struct stream *s)
{
	struct http *h = s->http;
	struct head head = { 0 };
	struct http_call call = { .method = STR("GET"),
				  .url = h->url,
				  .headers = head.headers,
				  .idle_ms = HTTP_CALL_UNLIMITED_MS,
				  .max_body_bytes = HTTP_CALL_UNLIMITED_BYTES };

	head_add(&head, STR("accept"), EVENTS_TYPE);
	head_add(&head, STR("last-event-id"), buf_str(&s->events.last_id));
	head_of_session(h, &head);
	call.header_count = head.count;
	buf_clear(&s->body);
	sse_decode_restart(&s->events);
	stream_send(s, &call);
}

static void
on_timer(void *ctx)
{
	struct stream *s = ctx;

	if (s->settled)
		stream_free(s);
	else if (s->unsent.err.code != 0)
		stream_fail(s, s->unsent.kind, s->unsent.err.code, s->unsent.err.text);
	else
		resume(s);
}

/* false: it cannot go on, or not for ever. */
static bool
resume_later(struct stream *s)
{
	int64_t wait_ms = s->events.retry_ms > 0 ? s->events.retry_ms : RESUME_MS;

	if (s->is_events && host_now_ms(s->http->host) - s->since_ms >= LIVED_MS)
		s->resumes = 0;
	if (s->http->mode.stateless || s->http->leaving || s->resumes >= RESUMES_MAX ||
	    (s->kind == STREAM_POST && (s->id == MESSAGE_NO_ID || s->events.last_id.len == 0)))
		return false;
	s->resumes++;
	s->http->host->ops->timer_set(s->timer, wait_ms < RESUME_MS_MAX ? wait_ms : RESUME_MS_MAX);
	return true;
}

/* ---- what comes back ---- */

static bool
is_success(const struct stream *s)
{
	return s->status >= 200 && s->status <= 299;
}

static void
on_head(void *context, const struct http_answer *answer)
{
	struct stream *s = context;
	struct http *h = s->http;
	struct str type = http_answer_find(answer, STR("content-type"));
	struct str session = http_answer_find(answer, STR("mcp-session-id"));

	s->status = answer->status;
	s->is_events =
		is_success(s) && str_eq_nocase(str_slice(type, 0, EVENTS_TYPE.len), EVENTS_TYPE);
	s->was_events = s->was_events || s->is_events;
	s->since_ms = host_now_ms(h->host);
	if (s->opens_session && is_success(s) && !h->mode.stateless && session.len > 0 &&
	    session.len <= SESSION_ID_MAX)
		h->session = arena_str(&h->arena, session);
}

static bool
on_event(void *context, const struct sse_event *event)
{
	struct stream *s = context;
	struct http *h = s->http;

	s->resumes = 0;
	if (event->data.len > 0 && !s->settled)
		h->port.events->on_text(h->port.ctx, event->data, s->id);
	return !s->dead;
}

static void
on_body(void *context, struct str piece)
{
	struct stream *s = context;
	struct err e;
	int rc;

	if (!s->is_events) {
		buf_put_str(&s->body, piece);
		if (s->body.overflow)
			stream_fail(s, MCP_FAIL_MALFORMED, ERR_TOO_LARGE, "its answer is too long");
		return;
	}
	s->busy = true;
	rc = sse_decode_feed(&s->events, piece, &e);
	s->busy = false;
	if (s->dead)
		stream_free(s);
	else if (rc != 0)
		stream_fail(s, MCP_FAIL_MALFORMED, rc, e.text);
}

/* Its answer is a document. */
static void
take_document(struct stream *s)
{
	struct http *h = s->http;

	if (s->id == MESSAGE_NO_ID) {
		stream_free(s);
		return;
	}
	if (s->body.len > 0) {
		s->busy = true;
		h->port.events->on_text(h->port.ctx, buf_str(&s->body), s->id);
		s->busy = false;
	}
	if (s->dead || s->settled)
		stream_free(s);
	else
		stream_fail(s, MCP_FAIL_MALFORMED, ERR_INVALID,
			    "it answered without an answer to what was asked");
}

/* It said no. A message in the body says why, if it is one; the one who asked reads it. A no to going
 * on is none to what was asked. */
static void
take_refusal(struct stream *s)
{
	struct http *h = s->http;
	struct http_refusal refusal;

	http_refusal_read(s->status, buf_str(&s->body), h->session.len > 0 && !h->mode.stateless,
			  &refusal);
	if (had_begun(s)) {
		refusal.failure.kind = MCP_FAIL_GONE;
	} else if (refusal.is_message && s->id != MESSAGE_NO_ID && !s->settled) {
		take_document(s);
		return;
	}
	stream_fail(s, refusal.failure.kind, refusal.failure.err.code, refusal.failure.err.text);
}

static void
close_later(struct http *h, enum mcp_fail kind, int code, const char *why)
{
	h->why.kind = kind;
	err_set(&h->why.err, code, "%s", why);
	host_defer(h->host, &h->closed);
}

static void
on_left(struct http *h)
{
	close_later(h, MCP_FAIL_GONE, ERR_UNAVAILABLE, "hung up");
}

static void
on_done(void *context, int rc, const struct err *e)
{
	struct stream *s = context;

	s->exchange = NULL;
	if (s->kind == STREAM_LEAVE) {
		on_left(s->http);
		stream_free(s);
	} else if (s->settled) {
		stream_free(s);
	} else if (s->status != 0 && !is_success(s)) {
		take_refusal(s);
	} else if (s->is_events || s->resumes > 0) {
		if (!resume_later(s))
			stream_fail(s, MCP_FAIL_GONE, ERR_UNAVAILABLE,
				    rc != 0 ? e->text : "its answer ended in the middle");
	} else if (rc != 0) {
		stream_fail(s, MCP_FAIL_GONE, rc, e->text);
	} else {
		take_document(s);
	}
}

/* What could not even be sent is told later, as everything is. */
static void
stream_send(struct stream *s, const struct http_call *call)
{
	struct http_call_events events = {
		.on_head = on_head, .on_body = on_body, .on_done = on_done, .context = s
	};

	s->status = 0;
	s->is_events = false;
	if (egress_send(s->http->egress, s->http->policy, call, &events, &s->exchange,
			&s->unsent.err) == 0) {
		s->unsent.err.code = 0;
		return;
	}
	s->unsent.kind = had_begun(s) ? MCP_FAIL_GONE : MCP_FAIL_LOCAL;
	s->http->host->ops->timer_set(s->timer, 0);
}

static struct stream *
stream_new(struct http *h, enum stream_kind kind, int64_t id)
{
	struct stream *s = xcalloc(1, sizeof *s);

	s->http = h;
	s->kind = kind;
	s->id = id;
	s->timer = h->host->ops->timer_new(h->host, on_timer, s);
	sse_decode_init(&s->events, MESSAGE_BYTES_MAX, on_event, s);
	buf_init(&s->body, MESSAGE_BYTES_MAX);
	list_append(&h->streams, &s->node);
	return s;
}

static void
end_streams(struct http *h)
{
	list_for_each (at, &h->streams)
		stream_free(LIST_OWNER(at, struct stream, node));
}

/* ---- the port ---- */

static void
speak(struct transport *t, const struct transport_mode *mode)
{
	struct http *h = (struct http *)t;

	h->mode = *mode;
}

static bool
is_answer(const struct transport_out *out)
{
	return out->id == MESSAGE_NO_ID && out->method.len == 0;
}

static void
send_post(struct http *h, const struct transport_out *out)
{
	struct stream *s = stream_new(h, STREAM_POST, out->id);
	struct head head = { 0 };
	struct http_call call = { .method = STR("POST"),
				  .url = h->url,
				  .body = out->text,
				  .idle_ms = HTTP_CALL_UNLIMITED_MS,
				  .total_ms = out->id == MESSAGE_NO_ID ? ASIDE_MS : 0,
				  .max_body_bytes = HTTP_CALL_UNLIMITED_BYTES };
	struct http_header *headers;
	struct arena a;

	arena_init(&a);
	s->is_answer = is_answer(out);
	h->answers_open += s->is_answer;
	s->opens_session = str_eq(out->method, STR("initialize"));
	head_add(&head, STR("content-type"), STR("application/json"));
	head_add(&head, STR("accept"), STR("application/json, text/event-stream"));
	head_of_session(h, &head);
	if (h->mode.stateless) {
		head_add(&head, STR("mcp-method"), out->method);
		if (out->name.len > 0)
			head_add(&head, STR("mcp-name"), param_header_encode(out->name, &a));
	}
	headers = ARENA_ARRAY(&a, head.count + out->header_count, struct http_header);
	memcpy(headers, head.headers, head.count * sizeof *headers);
	if (out->header_count > 0)
		memcpy(headers + head.count, out->headers, out->header_count * sizeof *headers);
	call.headers = headers;
	call.header_count = head.count + out->header_count;
	stream_send(s, &call);
	arena_release(&a);
}

/* What we ask is bounded by what we do, but it is the peer that decides how much it asks. */
static void
send_text(struct transport *t, const struct transport_out *out)
{
	struct http *h = (struct http *)t;

	if (h->leaving)
		return; /* whoever waits for it hears that it is over */
	if (!is_answer(out) || h->answers_open < ANSWERS_OPEN_MAX) {
		send_post(h, out);
		return;
	}
	h->leaving = true;
	end_streams(h);
	close_later(h, MCP_FAIL_MALFORMED, ERR_LIMIT,
		    "it asks back without end, and takes no answers");
}

/* An answered stream ends by itself in a moment, and its connection can be used again. */
static bool
settle(struct transport *t, int64_t id, bool cancelled)
{
	struct http *h = (struct http *)t;

	list_for_each (at, &h->streams) {
		struct stream *s = LIST_OWNER(at, struct stream, node);

		if (s->id != id || s->settled)
			continue;
		s->settled = true;
		if (cancelled)
			stream_free(s);
		else
			h->host->ops->timer_set(s->timer, LINGER_MS);
		break;
	}
	return h->mode.stateless;
}

static void
listen_to(struct transport *t)
{
	struct http *h = (struct http *)t;

	if (!h->mode.stateless)
		resume(stream_new(h, STREAM_LISTEN, MESSAGE_NO_ID));
}

static void
hang_up(struct transport *t)
{
	struct http *h = (struct http *)t;
	struct head head = { 0 };
	struct http_call call = { .method = STR("DELETE"), .url = h->url, .headers = head.headers };

	if (h->leaving)
		return;
	h->leaving = true;
	end_streams(h);
	if (h->session.len == 0 || h->mode.stateless) {
		on_left(h);
		return;
	}
	head_of_session(h, &head);
	call.header_count = head.count;
	stream_send(stream_new(h, STREAM_LEAVE, MESSAGE_NO_ID), &call);
}

/* ---- life ---- */

static void
on_closed(struct host_task *task)
{
	struct http *h = LIST_OWNER(task, struct http, closed);
	struct mcp_failure failure = h->why;

	h->port.events->on_closed(h->port.ctx, &failure);
}

static void
http_free(struct transport *t)
{
	struct http *h = (struct http *)t;

	end_streams(h);
	list_remove(&h->closed.node);
	arena_release(&h->arena);
	free(h);
}

struct transport *
mcp_http_new(const struct http_config *config)
{
	static const struct transport_ops OPS = { speak,     send_text, settle,
						  listen_to, hang_up,   http_free };
	struct http *h = xcalloc(1, sizeof *h);

	h->port.ops = &OPS;
	h->host = config->host;
	h->egress = config->egress;
	h->policy = config->policy;
	arena_init(&h->arena);
	h->url = arena_str(&h->arena, config->url);
	list_init(&h->streams);
	h->closed.fn = on_closed;
	list_init(&h->closed.node);
	return &h->port;
}

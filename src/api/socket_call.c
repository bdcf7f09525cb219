#include "api/socket_call.h"

#include <stdlib.h>

#include "api/api_private.h"
#include "api/event_out.h"
#include "api/socket.h"
#include "api/socket_message.h"
#include "base/json_write.h"
#include "base/xalloc.h"
#include "net/ws_frame.h"

enum {
	ANSWER_MAX = 1024 * 1024 * 1024, /* any answer of HTTP, with every byte of a text escaped */
	SMALL_MAX = 4096,
	ABOUT_A_FRAME = 512 /* what stands around a payload */
};

struct socket_call {
	struct exchange_port port;
	struct list node;      /* among its socket's calls */
	struct list wait;      /* among those that wait for room */
	struct socket *socket; /* NULL: gone */
	struct arena arena;    /* of the exchange */
	bool has_id;
	bool unwanted; /* unsubscribed from before it was a stream */
	int64_t id;
	struct event_out *out; /* NULL: no stream, or over */
	struct net_bytes *beginning;
};

struct socket_call *
socket_call_of(struct exchange_port *port)
{
	return LIST_OWNER(port, struct socket_call, port);
}

/* ---- what is said ---- */

/* {"id":1,"type":"…" */
static size_t
begin_message(const struct socket_call *c, struct buf *out, struct jw *w, const char *type)
{
	size_t at = ws_frame_reserve(out);

	jw_init(w, out);
	jw_object(w);
	if (c->has_id)
		jw_field_int(w, "id", c->id);
	else
		jw_field_null(w, "id");
	jw_field_str(w, "type", str_of(type));
	return at;
}

static void
send_message(struct socket_call *c, struct buf *out, struct jw *w, size_t at)
{
	struct net_bytes *bytes;

	jw_end_object(w);
	if (out->overflow)
		abort(); /* no answer is that long */
	ws_frame_finish(out, at, WS_WHOLE);
	bytes = net_bytes_copy(buf_str(out));
	socket_call_send(c, bytes);
	net_bytes_unref(bytes);
	buf_release(out);
}

/* A short one: its type and one word about it. */
static void
say(struct socket_call *c, const char *type, const char *name, struct str value)
{
	struct buf out;
	struct jw w;
	size_t at;

	buf_init(&out, SMALL_MAX);
	at = begin_message(c, &out, &w, type);
	jw_field_str(&w, name, value);
	send_message(c, &out, &w, at);
}

static void
on_reply(struct exchange_port *port, const struct http_reply *reply)
{
	struct socket_call *c = socket_call_of(port);
	struct buf out;
	struct jw w;
	size_t at;

	buf_init(&out, ANSWER_MAX);
	at = begin_message(c, &out, &w, "response");
	jw_field_int(&w, "status", reply->status);
	jw_field_object(&w, "headers");
	for (size_t i = 0; i < reply->header_count; i++) {
		jw_key(&w, reply->headers[i].name);
		jw_str(&w, reply->headers[i].value);
	}
	jw_end_object(&w);
	if (str_eq(reply->content_type, STR("application/json")))
		jw_field_raw(&w, "body", reply->body);
	else
		jw_field_str(&w, "body", reply->body);
	send_message(c, &out, &w, at);
}

/* ---- life ---- */

void
socket_call_free(struct socket_call **out)
{
	struct socket_call *c = TAKE(*out);

	list_remove(&c->node);
	list_remove(&c->wait);
	net_bytes_unref(c->beginning);
	arena_release(&c->arena);
	free(c);
}

static void
on_release(struct exchange_port *port)
{
	struct socket_call *c = socket_call_of(port);

	socket_call_free(&c);
}

static struct socket_call *
call_new(struct socket *s)
{
	struct socket_call *c = xcalloc(1, sizeof *c);

	c->port = (struct exchange_port){ .reply = on_reply, .release = on_release };
	c->socket = s;
	arena_init(&c->arena);
	list_init(&c->wait);
	list_append(socket_calls(s), &c->node);
	return c;
}

void
socket_call_abandon(struct list *calls)
{
	list_for_each (at, calls) {
		struct socket_call *c = LIST_OWNER(at, struct socket_call, node);
		struct event_out *o = TAKE(c->out);

		list_remove(&c->node);
		list_remove(&c->wait);
		c->socket = NULL;
		if (o)
			o->ops->on_over(o); /* which frees it, now or later */
		else if (c->port.exchange)
			exchange_left(c->port.exchange);
	}
}

/* ---- what comes ---- */

/* Another call of that name. */
static struct socket_call *
find_call(struct socket *s, const struct socket_call *but, int64_t id)
{
	list_for_each (at, socket_calls(s)) {
		struct socket_call *c = LIST_OWNER(at, struct socket_call, node);

		if (c != but && c->has_id && c->id == id)
			return c;
	}
	return NULL;
}

static size_t
count(struct list *calls)
{
	size_t n = 0;

	list_for_each (at, calls)
		n++;
	return n;
}

/* The stream's last word comes after everything it sent. One that is still on its way ends when it
 * begins; a request that is none is answered as if nothing had been said. */
static void
unsubscribe(struct socket_call *stream)
{
	struct event_out *o = stream->out;

	stream->unwanted = true;
	if (!o)
		return;
	socket_call_end_stream(stream, "interrupted");
	o->ops->on_over(o);
}

static void
refuse(struct socket_call *c, const struct api_problem *p)
{
	exchange_problem(exchange_new(socket_api(c->socket), NULL, &c->port, &c->arena), p);
}

static void
refuse_message(struct socket_call *c, struct str message)
{
	refuse(c, &(struct api_problem){ .status = 400, .message = message });
}

static void
handle(struct socket_call *c, const struct socket_message *m, const struct engine_caller *caller)
{
	struct socket *s = c->socket;
	struct socket_call *other = find_call(s, c, m->id);

	if (m->type == SOCKET_UNSUBSCRIBE && !other) {
		refuse_message(c, STR("id: there is no stream of that id"));
	} else if (m->type == SOCKET_UNSUBSCRIBE) {
		socket_call_free(&c);
		unsubscribe(other);
	} else if (other) {
		refuse_message(c, STR("id: a request or stream of that id is still open"));
	} else if (count(socket_calls(s)) > SOCKET_CALLS_MAX) {
		refuse(c, &(struct api_problem){ .status = 429,
						 .message = STR("too many requests and streams at "
								"a time: wait for an answer, or "
								"unsubscribe") });
	} else {
		api_ask(socket_api(s), &(struct api_ask){ .port = &c->port,
							  .arena = &c->arena,
							  .caller = caller,
							  .method = m->method,
							  .path = m->path,
							  .query = m->query,
							  .body = m->body,
							  .idempotency_key = m->idempotency_key });
	}
}

bool
socket_call_take(struct socket *s, struct str text)
{
	const struct engine_caller *caller = socket_caller(s);
	struct socket_message m;
	struct socket_call *c;
	struct err e;
	int rc;

	if (!caller)
		return false;
	c = call_new(s);
	rc = socket_message_parse(&c->arena, arena_str(&c->arena, text), &m, &e);
	c->has_id = m.has_id;
	c->id = m.id;
	if (rc != 0)
		refuse_message(c, str_of(e.text));
	else
		handle(c, &m, caller);
	return true;
}

/* ---- streams ---- */

void
socket_call_open_stream(struct socket_call *c, struct event_out *o, struct str request_id)
{
	struct buf out;
	size_t at;

	buf_init(&out, SMALL_MAX);
	at = ws_frame_reserve(&out);
	buf_printf(&out, "{\"id\":%lld,", (long long)c->id);
	ws_frame_finish(&out, at, WS_BEGINNING);
	c->beginning = net_bytes_copy(buf_str(&out));
	buf_release(&out);
	say(c, "subscribed", "request_id", request_id);
	if (!socket_call_is_over(c))
		c->out = o;
	arena_release(&c->arena); /* a stream that lives for hours must not keep its message */
}

bool
socket_call_is_over(const struct socket_call *c)
{
	return !c->socket || c->unwanted;
}

struct str
socket_call_beginning(const struct socket_call *c)
{
	return net_bytes_data(c->beginning);
}

void
socket_call_send(struct socket_call *c, struct net_bytes *messages)
{
	if (c->socket)
		socket_send(c->socket, messages);
}

void
socket_call_send_shared(struct socket_call *c, struct net_bytes *end)
{
	if (!c->socket)
		return;
	socket_send_now(c->socket, c->beginning);
	socket_send_now(c->socket, end);
}

void
socket_call_await_room(struct socket_call *c)
{
	if (c->socket && c->out && list_is_empty(&c->wait))
		list_append(socket_waiting(c->socket), &c->wait);
}

bool
socket_call_has_room(struct socket_call *c, size_t bytes)
{
	if (!c->socket || socket_has_room(c->socket, bytes + ABOUT_A_FRAME))
		return true;
	socket_call_await_room(c);
	return false;
}

void
socket_call_give_room(struct list *waiting)
{
	struct list now;

	/* Those that find no room again wait for the next time. */
	list_init(&now);
	list_for_each (at, waiting) {
		list_remove(at);
		list_append(&now, at);
	}
	while (!list_is_empty(&now)) {
		struct socket_call *c = LIST_OWNER(now.next, struct socket_call, wait);

		list_remove(&c->wait);
		c->out->ops->on_room(c->out);
	}
}

void
socket_call_end_stream(struct socket_call *c, const char *reason)
{
	say(c, "unsubscribed", "reason", str_of(c->unwanted ? "asked" : reason));
	c->out = NULL;
	c->has_id = false; /* the client may use it again; a page may still be read */
	list_remove(&c->wait);
}

#include "net/http_conn.h"

#include <poll.h>
#include <stdlib.h>

#include "base/json_write.h"
#include "base/xalloc.h"
#include "net/http_read.h"
#include "net/http_send.h"

enum {
	BODY_BYTES_PER_MS = 16, /* a body slower than this is no body */
	DRAIN_LINGER_MS = 200,  /* nobody's hanging up may hold up a server that stops */
	REFUSAL_MAX = 16 * 1024
};

/* --- requests and their owners --- */

/* The connection has done its part; the owner may still hold the handle. */
static void
leave_request(struct http_conn *c)
{
	struct http_request *r = c->request;

	c->request = NULL;
	if (!r)
		return;
	r->conn = NULL;
	if (!r->with_owner || r->released)
		http_request_free(r);
}

/* The owner hears of it at the end of this turn. */
static void
queue_gone(struct http_request *r, enum http_gone why)
{
	if (!r->with_owner || r->released || r->told_gone)
		return;
	r->told_gone = true;
	r->gone_why = why;
	list_append(&r->server->gone, &r->gone_node);
	loop_defer(r->server->loop, &r->server->turn);
}

void
http_conn_tell_gone(struct http_request *r, enum http_gone why)
{
	if (r->answer != HTTP_ANSWER_COMPLETE)
		queue_gone(r, why);
}

/* --- closing --- */

static void
on_closed(uv_handle_t *uv)
{
	struct http_conn *c = uv->data;
	struct http_server *s = c->server;
	struct http_peer *peer = c->peer;

	tls_free(&c->tls);
	out_queue_release(&c->out);
	buf_release(&c->pending);
	list_remove(&c->node);
	free(c);
	http_server_conn_closed(s, peer);
}

void
http_conn_close(struct http_conn *c)
{
	if (c->state == HTTP_CONN_CLOSED)
		return;
	leave_request(c);
	c->state = HTTP_CONN_CLOSED;
	timeout_cancel(&c->timeout);
	list_remove(&c->due);
	uv_close((uv_handle_t *)&c->uv.stream, on_closed);
}

void
http_conn_abort(struct http_conn *c, enum http_gone why)
{
	if (c->request)
		http_conn_tell_gone(c->request, why);
	http_conn_close(c);
}

static void
on_shut(uv_shutdown_t *uv, int status)
{
	(void)status; /* a client that is gone is noticed by reading */
	free(uv);
}

/* Everything is sent. Closing now would make the kernel take back what the client has not read yet,
 * if it sent us more than we looked at: say that nothing follows, and wait for it to hang up. */
static void
shut(struct http_conn *c)
{
	uv_shutdown_t *uv;

	if (c->tls && !http_send_goodbye(c))
		return; /* it waits for the socket, like any other bytes: then this comes again */
	if (c->peer_ended) {
		http_conn_close(c);
		return;
	}
	if (c->shut_sent)
		return;
	c->shut_sent = true;
	uv = xcalloc(1, sizeof *uv);
	if (uv_shutdown(uv, &c->uv.stream, on_shut) < 0) {
		free(uv);
		http_conn_close(c);
	}
}

void
http_conn_linger(struct http_conn *c)
{
	if (c->request)
		http_conn_tell_gone(c->request, HTTP_GONE_BROKEN);
	leave_request(c);
	c->state = HTTP_CONN_LINGER;
	buf_release(&c->pending);
	http_read_start(c);
	http_conn_arm(c);
	http_send_flush(c);
	if (c->out.bytes == 0 && c->state != HTTP_CONN_CLOSED)
		shut(c);
}

/* --- refusing --- */

static void
write_refusal(const struct http_refusal *why, struct arena *a, struct http_reply *reply)
{
	struct buf body;
	struct jw w;

	buf_init(&body, REFUSAL_MAX);
	jw_init(&w, &body);
	jw_object(&w);
	jw_field_object(&w, "error");
	jw_field_int(&w, "status", why->status);
	jw_field_str(&w, "message", why->reason);
	jw_end_object(&w);
	jw_end_object(&w);
	reply->content_type = STR("application/json");
	reply->body = arena_str(a, buf_str(&body));
	buf_release(&body);
}

void
http_conn_word_refusal(const struct http_server *s, const struct http_refusal *why, struct arena *a,
		       struct http_reply *reply)
{
	const struct http_handler *handler = &s->handler;

	*reply = (struct http_reply){ .status = why->status };
	if (handler->on_refuse)
		handler->on_refuse(handler->context, why, a, reply);
	else
		write_refusal(why, a, reply);
}

static void
answer_refusal(struct http_conn *c, int status, const char *reason)
{
	struct http_refusal why = { status, str_of(reason) };
	struct http_reply reply;
	struct arena a;

	arena_init(&a);
	http_conn_word_refusal(c->server, &why, &a, &reply);
	c->must_close = true;
	http_send_reply(c, &reply);
	arena_release(&a);
}

void
http_conn_refuse(struct http_conn *c, int status, const char *reason)
{
	struct http_request *r = c->request;

	if (r && r->answer == HTTP_ANSWER_STREAM) { /* an end would look like a complete answer */
		http_conn_abort(c, HTTP_GONE_BROKEN);
		return;
	}
	if (!r || r->answer == HTTP_ANSWER_NONE) {
		if (r)
			http_conn_tell_gone(r, HTTP_GONE_BROKEN);
		leave_request(c);
		c->state = HTTP_CONN_LINGER; /* nothing more is read from here on */
		answer_refusal(c, status, reason);
	}
	if (c->state != HTTP_CONN_CLOSED)
		http_conn_linger(c);
}

/* --- time --- */

/* The owner has not asked for the body, or holds it back: the client is not to blame. */
bool
http_conn_waits_for_owner(const struct http_conn *c)
{
	const struct http_request *r = c->request;

	return c->state == HTTP_CONN_ANSWER ||
	       (c->state == HTTP_CONN_BODY && (r->body_mode == HTTP_BODY_UNASKED || r->body_held));
}

static int64_t
patience_ms(const struct http_conn *c)
{
	const struct http_limits *limits = &c->server->limits;
	int64_t now_ms = loop_now_ms(c->server->loop);

	if (c->write_busy || http_conn_waits_for_owner(c))
		return limits->stall_ms;
	switch (c->state) {
	case HTTP_CONN_IDLE: return c->served ? limits->idle_ms : limits->header_ms;
	case HTTP_CONN_HEAD: return c->request->since_ms + limits->header_ms - now_ms;
	case HTTP_CONN_BODY:
		return c->request->since_ms + limits->body_ms +
		       (int64_t)(c->request->body_total / BODY_BYTES_PER_MS) - now_ms;
	case HTTP_CONN_LINGER:
		return c->server->draining && limits->linger_ms > DRAIN_LINGER_MS
			       ? DRAIN_LINGER_MS
			       : limits->linger_ms;
	case HTTP_CONN_ANSWER:
	case HTTP_CONN_CLOSED: break;
	}
	return 0;
}

/* The owner is due, and the client's leaving would be read. */
static bool
needs_no_timeout(const struct http_conn *c)
{
	return http_conn_waits_for_owner(c) && c->reading && !c->write_busy;
}

void
http_conn_arm(struct http_conn *c)
{
	if (c->state == HTTP_CONN_CLOSED || needs_no_timeout(c))
		timeout_cancel(&c->timeout);
	else
		loop_timeout_set(c->server->loop, &c->timeout, patience_ms(c));
}

static void
on_stall(struct http_conn *c)
{
	size_t queued = uv_stream_get_write_queue_size(&c->uv.stream);

	if (queued == c->stalled_at) {
		http_conn_abort(c, HTTP_GONE_STALLED);
		return;
	}
	c->stalled_at = queued;
	http_conn_arm(c);
}

/* Nothing is read now: the client said that it will send no more, or sent more than its turn. */
static void
look_for_peer(struct http_conn *c)
{
	struct pollfd look = { .fd = -1, .events = POLLRDHUP };

	if (uv_fileno((const uv_handle_t *)&c->uv.stream, &look.fd) == 0 && poll(&look, 1, 0) > 0 &&
	    look.revents & (POLLERR | POLLHUP)) {
		http_conn_abort(c, HTTP_GONE_PEER);
		return;
	}
	if (look.revents & POLLRDHUP && c->request)
		http_conn_tell_gone(c->request, HTTP_GONE_PEER);
	http_conn_arm(c);
}

static void
on_timeout(struct timeout *t)
{
	struct http_conn *c = LIST_OWNER(t, struct http_conn, timeout);

	if (c->write_busy)
		on_stall(c);
	else if (http_conn_waits_for_owner(c))
		look_for_peer(c);
	else if (c->state == HTTP_CONN_HEAD)
		http_conn_refuse(c, 408, "the headers did not arrive in time");
	else if (c->state == HTTP_CONN_BODY)
		http_conn_refuse(c, 408, "the body did not arrive in time");
	else
		http_conn_close(c);
}

/* --- whose turn it is --- */

static void
at_end_of_turn(struct http_conn *c)
{
	if (c->state == HTTP_CONN_CLOSED || !list_is_empty(&c->due))
		return;
	list_append(&c->server->due, &c->due);
	loop_defer(c->server->loop, &c->server->turn);
}

void
http_conn_flush_later(struct http_conn *c)
{
	c->flush_due = true;
	at_end_of_turn(c);
}

void
http_conn_process_later(struct http_conn *c)
{
	if (c->processing)
		return; /* the loop that is under way sees it */
	c->process_due = true;
	at_end_of_turn(c);
}

void
http_conn_turn(struct http_conn *c)
{
	bool flush = c->flush_due, go_on = c->process_due;

	c->flush_due = c->process_due = false;
	if (flush) {
		http_send_flush(c);
		if (c->out.bytes == 0 && c->state != HTTP_CONN_CLOSED)
			http_conn_drained(c);
	}
	if (go_on && c->state != HTTP_CONN_CLOSED && c->state != HTTP_CONN_LINGER)
		http_read_pending(c);
}

void
http_conn_finish_exchange(struct http_conn *c)
{
	leave_request(c);
	c->state = HTTP_CONN_IDLE;
	if (c->must_close)
		http_conn_linger(c);
}

void
http_conn_answered(struct http_conn *c)
{
	struct http_request *r = c->request;

	r->answer = HTTP_ANSWER_COMPLETE;
	list_remove(&r->gone_node); /* an answer that was given after all */
	if (c->state == HTTP_CONN_ANSWER)
		http_conn_finish_exchange(c);
	else if (c->must_close)
		http_conn_linger(c);
	if (c->state == HTTP_CONN_LINGER || c->state == HTTP_CONN_CLOSED || c->processing)
		return;
	http_conn_arm(c);
	if (c->pending.len > 0 || c->peer_ended || c->state == HTTP_CONN_BODY)
		http_conn_process_later(c);
}

void
http_conn_drained(struct http_conn *c)
{
	struct http_request *r = c->request;

	if (c->state == HTTP_CONN_LINGER)
		shut(c);
	else if (r && r->answer == HTTP_ANSWER_STREAM && !r->told_gone && r->owner.on_drained)
		r->owner.on_drained(r->owner.context);
	else if (c->state == HTTP_CONN_IDLE && (c->pending.len > 0 || c->peer_ended))
		http_conn_process_later(c);
	if (c->state != HTTP_CONN_CLOSED)
		http_conn_arm(c);
}

void
http_conn_drain(struct http_conn *c)
{
	struct http_request *r = c->request;

	c->must_close = true;
	if (r && r->answer == HTTP_ANSWER_STREAM) {
		if (!r->is_tunnel)        /* how that ends is for its owner to say */
			http_send_end(c); /* its owner still holds r */
		queue_gone(r, HTTP_GONE_SHUTDOWN);
		return;
	}
	switch (c->state) {
	case HTTP_CONN_IDLE: http_conn_linger(c); return;
	case HTTP_CONN_HEAD:
	case HTTP_CONN_BODY: /* what is half sent may come whole to the next server */
		if (!http_conn_waits_for_owner(c))
			http_conn_refuse(c, 503, "the server is shutting down");
		return;
	case HTTP_CONN_LINGER: http_conn_arm(c); return;
	case HTTP_CONN_ANSWER:
	case HTTP_CONN_CLOSED: return;
	}
}

/* --- birth --- */

static struct http_peer *
find_peer(struct http_conn *c)
{
	struct sockaddr_storage address;
	char text[46] = "";
	int len = sizeof address;

	if (c->uv.stream.type == UV_NAMED_PIPE)
		return &c->server->unix_peer;
	if (uv_tcp_getpeername(&c->uv.tcp, (struct sockaddr *)&address, &len) == 0)
		uv_ip_name((struct sockaddr *)&address, text, sizeof text);
	return http_server_peer(c->server, text);
}

void
http_conn_welcome(struct http_conn *c)
{
	if (c->refused_as == 503)
		http_conn_refuse(c, 503, "the server has no room for more connections");
	else if (c->refused_as != 0)
		http_conn_refuse(c, c->refused_as, "this address has too many connections");
}

void
http_conn_accept(struct http_server *s, uv_stream_t *listener, bool with_tls)
{
	struct http_conn *c = xcalloc(1, sizeof *c);
	int status;

	if (listener->type == UV_NAMED_PIPE)
		status = uv_pipe_init(loop_uv(s->loop), &c->uv.pipe, 0);
	else
		status = uv_tcp_init(loop_uv(s->loop), &c->uv.tcp);
	if (status < 0)
		abort();
	c->server = s;
	c->uv.stream.data = c;
	list_init(&c->due);
	list_append(&s->conns, &c->node);
	timeout_init(&c->timeout, on_timeout);
	http_read_init(c);
	if (uv_accept(listener, &c->uv.stream) < 0) {
		c->peer = &s->unix_peer;
		http_server_admit(s, c->peer); /* counted, because closing uncounts it */
		http_conn_close(c);
		return;
	}
	if (listener->type == UV_TCP)
		uv_tcp_nodelay(&c->uv.tcp, 1);
	c->peer = find_peer(c);
	status = http_server_admit(s, c->peer);
	if (with_tls)
		c->tls = tls_new(s->tls, &s->sealed);
	http_read_start(c);
	http_conn_arm(c);
	if (status < 0) {
		http_conn_close(c);
		return;
	}
	c->refused_as = (uint16_t)status;
	if (!with_tls)
		http_conn_welcome(c);
}

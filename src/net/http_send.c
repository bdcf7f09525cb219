#include "net/http_send.h"

#include <assert.h>
#include <stdlib.h>

#include "base/xalloc.h"
#include "net/http_write.h"

/* A body that nobody asked for is read past up to here; above, closing is cheaper. */
enum { SKIP_MAX = 256 * 1024, PIECES_MAX = 64, SEAL_BYTES = 64 * 1024, SHORT_BODY = 4 * 1024 };

static_assert(sizeof(uv_buf_t) == sizeof(struct iovec) &&
		      offsetof(uv_buf_t, base) == offsetof(struct iovec, iov_base) &&
		      offsetof(uv_buf_t, len) == offsetof(struct iovec, iov_len),
	      "libuv promises that one is the other");

/* A write that the socket did not take at once. */
struct slow_write {
	uv_write_t uv;
	struct http_conn *conn;
	size_t bytes;
};

static void
on_written(uv_write_t *uv, int status)
{
	struct slow_write *w = LIST_OWNER(uv, struct slow_write, uv);
	struct http_conn *c = w->conn;
	size_t bytes = w->bytes;

	free(w);
	c->write_busy = false;
	if (c->state == HTTP_CONN_CLOSED)
		return;
	if (status < 0) {
		http_conn_abort(c, HTTP_GONE_PEER);
		return;
	}
	out_queue_consume(&c->out, bytes);
	http_send_flush(c);
	if (c->out.bytes == 0 && c->state != HTTP_CONN_CLOSED)
		http_conn_drained(c);
}

/* The rest goes when the socket is ready; the queue keeps the bytes alive until then. */
static void
write_slowly(struct http_conn *c)
{
	struct slow_write *w = xmalloc(sizeof *w);
	struct iovec pieces[PIECES_MAX];
	unsigned n = out_queue_peek(&c->out, pieces, PIECES_MAX);
	int status;

	*w = (struct slow_write){ .conn = c };
	for (unsigned i = 0; i < n; i++)
		w->bytes += pieces[i].iov_len;
	status = uv_write(&w->uv, &c->uv.stream, (const uv_buf_t *)pieces, n, on_written);
	if (status < 0) {
		free(w);
		http_conn_abort(c, HTTP_GONE_PEER);
		return;
	}
	c->write_busy = true;
	c->stalled_at = uv_stream_get_write_queue_size(&c->uv.stream);
	http_conn_arm(c);
}

void
http_send_flush(struct http_conn *c)
{
	struct iovec pieces[PIECES_MAX];

	while (c->out.bytes > 0 && !c->write_busy && c->state != HTTP_CONN_CLOSED) {
		unsigned n = out_queue_peek(&c->out, pieces, PIECES_MAX);
		int sent = uv_try_write(&c->uv.stream, (const uv_buf_t *)pieces, n);

		if (sent > 0)
			out_queue_consume(&c->out, (size_t)sent);
		else if (sent == UV_EAGAIN)
			write_slowly(c);
		else
			http_conn_abort(c, HTTP_GONE_PEER);
	}
}

/* --- encrypted --- */

/* What TLS wrote joins the queue. */
static void
queue_records(struct http_conn *c)
{
	struct buf *sealed = &c->server->sealed;
	struct net_bytes *records;

	if (sealed->len == 0)
		return;
	records = net_bytes_copy(buf_str(sealed));
	out_queue_push(&c->out, records, false);
	net_bytes_unref(records);
	buf_clear(sealed);
}

static void
seal(struct http_conn *c, struct str plain)
{
	for (size_t at = 0; at < plain.len && c->state != HTTP_CONN_CLOSED; at += SEAL_BYTES) {
		if (tls_write(c->tls, str_slice(plain, at, at + SEAL_BYTES)) != 0)
			http_conn_abort(c, HTTP_GONE_BROKEN);
		queue_records(c);
	}
}

void
http_send_records(struct http_conn *c)
{
	/* A peer that provokes alerts and reads none of them must not fill the memory. */
	if (c->server->sealed.len > 0 && c->out.bytes > c->server->limits.stream_queue_bytes)
		http_conn_abort(c, HTTP_GONE_SLOW);
	queue_records(c);
	http_send_flush(c);
}

bool
http_send_goodbye(struct http_conn *c)
{
	tls_end(c->tls);
	queue_records(c);
	http_send_flush(c);
	return c->out.bytes == 0;
}

/* --- what was given --- */

/* What the socket does not take is copied: head and body belong to the caller. */
static void
queue_rest(struct http_conn *c, struct str head, struct str body, size_t sent)
{
	struct str texts[] = { str_slice(head, sent, head.len),
			       str_slice(body, sent > head.len ? sent - head.len : 0, body.len) };
	struct net_bytes *rest = net_bytes_new(texts[0].len + texts[1].len);
	char *to = net_bytes_fill(rest);

	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		if (texts[i].len > 0)
			to = mempcpy(to, texts[i].ptr, texts[i].len);
	out_queue_push(&c->out, rest, false);
	net_bytes_unref(rest);
	http_send_flush(c);
}

static void
send_texts(struct http_conn *c, struct str head, struct str body)
{
	uv_buf_t pieces[] = { { (char *)(uintptr_t)head.ptr, head.len },
			      { (char *)(uintptr_t)body.ptr, body.len } };
	int sent = 0;

	if (c->tls) {
		seal(c, head);
		seal(c, body);
		http_send_flush(c);
		return;
	}
	if (c->out.bytes == 0)
		sent = uv_try_write(&c->uv.stream, pieces, body.len > 0 ? 2 : 1);
	if (sent < 0 && sent != UV_EAGAIN)
		http_conn_abort(c, HTTP_GONE_PEER);
	else if (sent < 0 || (size_t)sent < head.len + body.len)
		queue_rest(c, head, body, sent > 0 ? (size_t)sent : 0);
}

static void
send_head(struct http_conn *c, const struct http_reply *reply, enum http_framing framing)
{
	struct buf *head = &c->server->head;
	const struct http_request *r = c->request;
	struct http_write_facts facts = {
		.framing = framing,
		.keep_alive = !c->must_close,
		.http_1_0 = r && r->head.http_1_0,
	};
	bool bare = http_write_has_no_body(reply->status) || (r && r->is_head) ||
		    framing != HTTP_LENGTH;
	struct str body = bare ? (struct str){ 0 } : reply->body;

	buf_clear(head);
	http_write_head(head, reply, &facts);
	if (body.len <=
	    SHORT_BODY) { /* one piece costs the kernel less than two, and is one record */
		buf_put_str(head, body);
		body = (struct str){ 0 };
	}
	if (head->overflow) { /* headers of ours beyond any measure: a bug, but the peer's to see */
		http_conn_abort(c, HTTP_GONE_BROKEN);
		return;
	}
	send_texts(c, buf_str(head), body);
}

/* The request's body may still be on its way: read past it, or close when that would take long or
 * when the client still waits to be told to send it. */
static void
settle_body(struct http_conn *c)
{
	struct http_request *r = c->request;

	if (!r->head.keep_alive || c->server->draining)
		c->must_close = true;
	if (c->state != HTTP_CONN_BODY)
		return;
	if ((r->continue_due && r->head.content_length != 0) ||
	    r->head.content_length > SKIP_MAX + (int64_t)r->body_total)
		c->must_close = true;
	r->body_mode = HTTP_BODY_SKIPPED;
	r->want.max_bytes = r->body_total + SKIP_MAX;
	r->body_held = false;
}

void
http_send_reply(struct http_conn *c, const struct http_reply *reply)
{
	if (c->request)
		settle_body(c);
	send_head(c, reply, HTTP_LENGTH);
	if (c->request && c->state != HTTP_CONN_CLOSED)
		http_conn_answered(c);
}

void
http_send_open(struct http_conn *c, const struct http_reply *reply)
{
	struct http_request *r = c->request;

	settle_body(c);
	r->chunked = !r->head.http_1_0;
	if (!r->chunked)
		c->must_close = true;
	r->answer = HTTP_ANSWER_STREAM;
	if (c->peer_ended) { /* nothing would ever show that nobody reads it */
		r->told_gone = !list_is_empty(&r->gone_node); /* this owner was not told */
		http_conn_abort(c, HTTP_GONE_PEER);
		return;
	}
	send_head(c, reply, r->chunked ? HTTP_CHUNKED : HTTP_UNTIL_CLOSE);
	if (c->state == HTTP_CONN_CLOSED)
		return;
	if (r->is_head)
		http_conn_answered(c);
	else if (c->server->draining)
		http_conn_drain(c);
	else if (r->body_mode == HTTP_BODY_SKIPPED)
		http_conn_process_later(c);
}

void
http_send_upgrade(struct http_conn *c, const struct http_reply *reply)
{
	struct http_request *r = c->request;

	r->answer = HTTP_ANSWER_STREAM;
	r->is_tunnel = true;
	c->state = HTTP_CONN_ANSWER; /* what follows is neither body nor request */
	if (c->peer_ended) {
		http_conn_abort(c, HTTP_GONE_PEER);
		return;
	}
	send_head(c, reply, HTTP_UNTIL_CLOSE);
	c->must_close = true;
	if (c->state == HTTP_CONN_CLOSED)
		return;
	http_conn_arm(c);
	if (c->pending.len > 0)
		http_conn_process_later(c);
}

static void
enqueue(struct http_conn *c, struct net_bytes *bytes, bool as_chunk)
{
	if (c->tls)
		seal(c, as_chunk ? net_bytes_chunk(bytes) : net_bytes_data(bytes));
	else
		out_queue_push(&c->out, bytes, as_chunk);
	http_conn_flush_later(c);
}

int
http_send_push(struct http_conn *c, struct net_bytes *bytes)
{
	size_t limit = c->server->limits.stream_queue_bytes, len = net_bytes_data(bytes).len;

	if (c->out.bytes > 0 && c->out.bytes + len > limit)
		http_send_flush(c);
	if (c->state == HTTP_CONN_CLOSED)
		return ERR_UNAVAILABLE;
	/* One piece alone may be larger than the limit: cut for it, a reader could never get past. */
	if (c->out.bytes > 0 && c->out.bytes + len > limit) {
		http_conn_abort(c, HTTP_GONE_SLOW);
		return ERR_LIMIT;
	}
	enqueue(c, bytes, c->request->chunked);
	return c->state == HTTP_CONN_CLOSED ? ERR_UNAVAILABLE : 0;
}

void
http_send_end(struct http_conn *c)
{
	if (c->request->chunked) {
		struct net_bytes *last = net_bytes_copy(STR("0\r\n\r\n"));
		enqueue(c, last, false);
		net_bytes_unref(last);
	}
	if (c->state != HTTP_CONN_CLOSED)
		http_conn_answered(c);
}

void
http_send_continue(struct http_conn *c)
{
	c->request->continue_due = false;
	send_texts(c, STR("HTTP/1.1 100 Continue\r\n\r\n"), (struct str){ 0 });
}

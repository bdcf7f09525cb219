#include "net/http_read.h"

#include "net/http_send.h"

enum {
	PENDING_STOP_BYTES = 64 * 1024, /* read ahead this much of a pipeline, then stop reading */
	RECORD_BYTES = 16 * 1024 + 256, /* of which all but the end may have come before */
	PENDING_MAX = PENDING_STOP_BYTES + HTTP_READ_BYTES + RECORD_BYTES,
	BODY_FIRST_BYTES =
		64 * 1024 /* what a length alone, before a byte of it came, may allocate */
};

/* Grows to what has really come; a length that was only announced is believed up to a bound. */
static void
make_body_room(struct http_request *r, size_t more)
{
	size_t need = r->body_len + more, cap = r->body_cap * 2;

	if (need <= r->body_cap)
		return;
	if (r->head.content_length > 0 && !r->want.in_pieces) {
		size_t whole = (size_t)r->head.content_length;
		cap = r->body_cap > 0 || whole <= BODY_FIRST_BYTES ? whole : BODY_FIRST_BYTES;
	}
	if (cap < need)
		cap = need;
	r->body = r->body ? arena_resize(&r->arena, r->body, r->body_cap, cap)
			  : arena_alloc_raw(&r->arena, cap);
	r->body_cap = cap;
}

static bool
take_body(void *context, const char *ptr, size_t len)
{
	struct http_request *r = ((struct http_conn *)context)->request;

	r->body_total += len;
	if (r->body_total > r->want.max_bytes)
		return false;
	if (r->body_mode == HTTP_BODY_WANTED) {
		make_body_room(r, len);
		memcpy(r->body + r->body_len, ptr, len);
		r->body_len += len;
	}
	return true;
}

/* Hands over what is there: all of it at the end, or a piece. */
static void
give_body(struct http_conn *c, bool last)
{
	struct http_request *r = c->request;
	struct str part = { r->body ? r->body : "", r->body_len };
	bool goes_on;

	if (r->body_mode != HTTP_BODY_WANTED || (!last && (!r->want.in_pieces || part.len == 0)))
		return;
	if (last) /* the owner may do anything in the call, also release r */
		r->body_mode = HTTP_BODY_SKIPPED;
	r->body_len = 0;
	goes_on = r->want.fn(r->want.context, part, last);
	if (c->request == r && !last && !goes_on && r->body_mode == HTTP_BODY_WANTED)
		r->body_held = true;
}

static bool
may_parse(const struct http_conn *c)
{
	switch (c->state) {
	case HTTP_CONN_IDLE: return c->out.bytes == 0 && !c->must_close;
	case HTTP_CONN_HEAD: return true;
	case HTTP_CONN_BODY: return !http_conn_waits_for_owner(c);
	case HTTP_CONN_ANSWER:
	case HTTP_CONN_LINGER:
	case HTTP_CONN_CLOSED: break;
	}
	return false;
}

static void
begin_request(struct http_conn *c)
{
	c->request = http_request_new(c);
	c->state = HTTP_CONN_HEAD;
	c->served = true;
	http_parse_begin(&c->parse, &c->request->arena);
}

static void
on_head(struct http_conn *c, const struct http_head *head)
{
	struct http_request *r = c->request;
	const struct http_handler *handler = &c->server->handler;

	c->state = HTTP_CONN_BODY;
	r->head = *head;
	r->head.peer = arena_str(&r->arena, str_of(c->peer->text));
	r->head.over_tls = c->tls != NULL;
	r->is_head = str_eq(head->method, STR("HEAD"));
	r->continue_due = head->expects_continue;
	r->since_ms = loop_now_ms(c->server->loop);
	r->with_owner = true;
	handler->on_request(handler->context, r);
}

static void
on_request_read(struct http_conn *c)
{
	bool answered = c->request->answer == HTTP_ANSWER_COMPLETE;

	c->state = HTTP_CONN_ANSWER;
	if (answered)
		http_conn_finish_exchange(c);
	else
		give_body(c, true);
}

/* The request has come, and nothing but its answer is due. */
static bool
is_whole(const struct http_conn *c)
{
	return c->state == HTTP_CONN_ANSWER ||
	       (http_conn_waits_for_owner(c) && c->request->head.content_length == 0);
}

/* The client will send no more: what it began must be complete by now. */
static void
on_input_over(struct http_conn *c)
{
	if (c->state == HTTP_CONN_IDLE)
		http_conn_linger(c);
	else if (c->state == HTTP_CONN_HEAD || (c->state == HTTP_CONN_BODY && may_parse(c)))
		http_conn_refuse(c, 400, "the request ends too early");
}

/* What comes behind an upgrade; returns how much its owner used. The rest waits, and what comes
 * behind it, until the owner resumes. */
static size_t
give_tunnel(struct http_conn *c, struct str input)
{
	const struct http_request *r = c->request;

	return r && r->is_tunnel ? r->tunnel.fn(r->tunnel.context, input) : 0;
}

/* Requests out of the input, as far as it is their turn; returns how much was used. */
static size_t
process(struct http_conn *c, struct str input)
{
	size_t at = 0, used;
	struct http_head head;
	enum http_parse_step step = HTTP_PARSE_DONE;

	c->processing = true;
	while (may_parse(c) && (at < input.len || (c->state == HTTP_CONN_BODY))) {
		if (c->state == HTTP_CONN_IDLE)
			begin_request(c);
		step = http_parse_feed(&c->parse, str_slice(input, at, input.len), &used, &head);
		at += used;
		if (step == HTTP_PARSE_HEAD)
			on_head(c, &head);
		else if (step == HTTP_PARSE_DONE)
			on_request_read(c);
		else if (step == HTTP_PARSE_BAD)
			http_conn_refuse(c, c->parse.status, c->parse.reason);
		else
			give_body(c, false);
		if (step == HTTP_PARSE_MORE && at == input.len)
			break;
	}
	at += give_tunnel(c, str_slice(input, at, input.len));
	c->processing = false;
	if (c->peer_ended && at == input.len)
		on_input_over(c);
	if (c->peer_ended && is_whole(c)) /* one that came before the end */
		http_conn_tell_gone(c->request, HTTP_GONE_PEER);
	http_conn_arm(c);
	return at;
}

static void
on_alloc(uv_handle_t *uv, size_t suggested, uv_buf_t *out)
{
	struct http_conn *c = uv->data;

	(void)suggested;
	*out = uv_buf_init(c->server->read_buf, HTTP_READ_BYTES);
}

static void
stop_reading(struct http_conn *c)
{
	uv_read_stop(&c->uv.stream);
	c->reading = false;
}

/* What is not used now waits, up to a bound; then the client waits. Nothing is ever left out: input that
 * has a hole is worse than none. */
static void
keep(struct http_conn *c, struct str rest)
{
	if (rest.len == 0 || c->state == HTTP_CONN_LINGER || c->state == HTTP_CONN_CLOSED)
		return;
	buf_put_str(&c->pending, rest);
	if (c->pending.overflow)
		http_conn_abort(c, HTTP_GONE_BROKEN);
	else if (c->pending.len >= PENDING_STOP_BYTES && c->reading)
		stop_reading(c);
	http_conn_arm(c);
}

static void
process_pending(struct http_conn *c)
{
	struct buf input = c->pending;
	size_t used;

	buf_init(&c->pending, PENDING_MAX);
	used = process(c, buf_str(&input));
	keep(c, str_slice(buf_str(&input), used, input.len));
	buf_release(&input);
}

static void
on_input(struct http_conn *c, struct str input)
{
	size_t used = c->pending.len == 0 ? process(c, input) : 0;

	keep(c, str_slice(input, used, input.len));
}

static void
on_peer_ended(struct http_conn *c)
{
	c->peer_ended = true;
	stop_reading(c);
	if (c->state == HTTP_CONN_LINGER) {
		if (c->out.bytes == 0)
			http_conn_close(c);
	} else if (c->request && c->request->answer == HTTP_ANSWER_STREAM) {
		http_conn_abort(c, HTTP_GONE_PEER);
	} else if (is_whole(c)) {
		http_conn_tell_gone(c->request, HTTP_GONE_PEER);
		http_conn_arm(c);
	} else {
		process_pending(c);
	}
}

static bool
listens(const struct http_conn *c)
{
	return c->state != HTTP_CONN_LINGER && c->state != HTTP_CONN_CLOSED;
}

/* Records to plain bytes; what TLS itself has to say leaves on the way. */
static void
on_records(struct http_conn *c, struct str wire)
{
	enum tls_step step = TLS_DATA;
	size_t len;

	while (step == TLS_DATA && listens(c)) {
		step = tls_read(c->tls, &wire, c->server->plain_buf, HTTP_READ_BYTES, &len);
		http_send_records(c);
		if (listens(c) && tls_is_open(c->tls))
			http_conn_welcome(c);
		if (listens(c) && step == TLS_DATA)
			on_input(c, (struct str){ c->server->plain_buf, len });
	}
	if (!listens(c))
		return;
	if (step == TLS_ENDED) {
		on_peer_ended(c);
	} else if (step == TLS_FAILED) {
		http_conn_linger(c); /* for the alert to arrive */
	} else if (step == TLS_PLAIN) {
		tls_free(&c->tls);
		http_conn_refuse(c, 400, "this port speaks TLS: the address begins with https://");
	}
}

static void
on_read(uv_stream_t *uv, ssize_t len, const uv_buf_t *read)
{
	struct http_conn *c = uv->data;

	if (c->state == HTTP_CONN_CLOSED || len == 0)
		return;
	if (len == UV_EOF)
		on_peer_ended(c);
	else if (len < 0)
		http_conn_abort(c, HTTP_GONE_PEER);
	else if (c->state == HTTP_CONN_LINGER)
		return;
	else if (c->tls)
		on_records(c, (struct str){ read->base, (size_t)len });
	else
		on_input(c, (struct str){ read->base, (size_t)len });
}

void
http_read_start(struct http_conn *c)
{
	if (c->reading || c->peer_ended || c->state == HTTP_CONN_CLOSED)
		return;
	c->reading = uv_read_start(&c->uv.stream, on_alloc, on_read) == 0;
	if (!c->reading)
		http_conn_abort(c, HTTP_GONE_PEER);
}

void
http_read_pending(struct http_conn *c)
{
	process_pending(c);
	if (c->pending.len < PENDING_STOP_BYTES)
		http_read_start(c);
}

void
http_read_init(struct http_conn *c)
{
	buf_init(&c->pending, PENDING_MAX);
	http_parse_init(&c->parse, &c->server->parse_limits);
	c->parse.on_body = take_body;
	c->parse.context = c;
}

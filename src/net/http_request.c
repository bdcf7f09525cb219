#include "net/http_request.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "net/http_conn.h"
#include "net/http_send.h"

struct str
http_head_find(const struct http_head *head, struct str name)
{
	for (size_t i = 0; i < head->header_count; i++)
		if (str_eq(head->headers[i].name, name))
			return head->headers[i].value;
	return (struct str){ 0 };
}

const struct http_head *
http_request_head(const struct http_request *r)
{
	return &r->head;
}

struct arena *
http_request_arena(struct http_request *r)
{
	return &r->arena;
}

void
http_request_own(struct http_request *r, const struct http_owner *owner)
{
	r->owner = *owner;
}

bool
http_request_is_over(const struct http_request *r)
{
	return !r->conn || r->answer == HTTP_ANSWER_COMPLETE;
}

static bool
is_unanswered(const struct http_request *r)
{
	return r->conn && r->answer == HTTP_ANSWER_NONE;
}

static bool
is_streaming(const struct http_request *r)
{
	return r->conn && r->answer == HTTP_ANSWER_STREAM;
}

struct http_request *
http_request_new(struct http_conn *c)
{
	struct http_server *s = c->server;
	struct http_request *r;

	if (list_is_empty(&s->spare)) {
		r = xmalloc(sizeof *r);
	} else {
		r = LIST_OWNER(s->spare.prev, struct http_request, gone_node); /* still cached */
		list_remove(&r->gone_node);
		s->spare_count--;
	}
	*r = (struct http_request){ .server = s, .conn = c, .since_ms = loop_now_ms(s->loop) };
	list_init(&r->gone_node);
	arena_init_in(&r->arena, &s->arenas);
	s->request_count++;
	return r;
}

void
http_request_free(struct http_request *r)
{
	struct http_server *s = r->server;

	list_remove(&r->gone_node);
	arena_release(&r->arena);
	if (s->spare_count < HTTP_SPARE_MAX) {
		list_append(&s->spare, &r->gone_node);
		s->spare_count++;
	} else {
		free(r);
	}
	http_server_request_freed(s);
}

void
http_request_free_spare(struct http_server *s)
{
	while (!list_is_empty(&s->spare)) {
		struct http_request *r = LIST_OWNER(s->spare.next, struct http_request, gone_node);
		list_remove(&r->gone_node);
		free(r);
	}
	s->spare_count = 0;
}

void
http_request_release(struct http_request *r)
{
	struct http_conn *c = r->conn;

	r->released = true;
	list_remove(&r->gone_node);
	if (!c)
		http_request_free(r);
	else if (r->answer != HTTP_ANSWER_COMPLETE)
		http_conn_abort(c, HTTP_GONE_BROKEN); /* nobody is left to answer; frees r */
}

void
http_request_body(struct http_request *r, const struct http_body_want *want)
{
	if (!is_unanswered(r) || r->body_mode != HTTP_BODY_UNASKED)
		return;
	r->want = *want;
	if (r->want.max_bytes == HTTP_BODY_DEFAULT)
		r->want.max_bytes = r->server->limits.body_bytes;
	r->body_mode = HTTP_BODY_WANTED;
	if (r->head.content_length > 0 && (uint64_t)r->head.content_length > r->want.max_bytes) {
		http_conn_refuse(r->conn, 413, "the body is too large");
		return;
	}
	if (r->continue_due && r->head.content_length != 0)
		http_send_continue(r->conn);
	if (r->conn)
		http_conn_process_later(r->conn);
}

void
http_request_resume(struct http_request *r)
{
	r->body_held = false;
	if (is_unanswered(r) || (is_streaming(r) && r->is_tunnel))
		http_conn_process_later(r->conn);
}

void
http_request_reply(struct http_request *r, const struct http_reply *reply)
{
	if (is_unanswered(r))
		http_send_reply(r->conn, reply);
}

void
http_request_refuse(struct http_request *r, int status, const char *reason,
		    const struct http_header *headers, size_t header_count)
{
	struct http_reply reply;
	struct http_header *all;

	if (!is_unanswered(r))
		return;
	http_conn_word_refusal(r->server, &(struct http_refusal){ status, str_of(reason) },
			       &r->arena, &reply);
	all = ARENA_ARRAY(&r->arena, reply.header_count + header_count, struct http_header);
	if (reply.header_count > 0)
		memcpy(all, reply.headers, reply.header_count * sizeof *all);
	if (header_count > 0)
		memcpy(all + reply.header_count, headers, header_count * sizeof *all);
	reply.headers = all;
	reply.header_count += header_count;
	http_send_reply(r->conn, &reply);
}

/* A stream may live for hours: what only the request needed goes. */
static void
forget_request(struct http_request *r)
{
	r->head = (struct http_head){ .keep_alive = r->head.keep_alive,
				      .http_1_0 = r->head.http_1_0 };
	r->body = NULL;
	r->body_len = r->body_cap = 0;
	arena_release(&r->arena);
}

void
http_request_open(struct http_request *r, const struct http_reply *reply)
{
	if (is_unanswered(r))
		http_send_open(r->conn, reply);
	forget_request(r);
}

int
http_request_upgrade(struct http_request *r, const struct http_reply *reply, http_tunnel_fn fn,
		     void *context)
{
	if (!is_unanswered(r))
		return ERR_UNAVAILABLE;
	if (r->head.content_length != 0)
		abort(); /* the caller looked at the head */
	if (r->server->draining) {
		http_request_refuse(r, 503, "the server is shutting down", NULL, 0);
		return ERR_UNAVAILABLE;
	}
	r->tunnel = (struct http_tunnel){ fn, context };
	http_send_upgrade(r->conn, reply);
	forget_request(r);
	return is_streaming(r) ? 0 : ERR_UNAVAILABLE;
}

void
http_request_cut(struct http_request *r, enum http_gone why)
{
	if (!http_request_is_over(r))
		http_conn_abort(r->conn, why);
}

int
http_request_push(struct http_request *r, struct net_bytes *bytes)
{
	return is_streaming(r) ? http_send_push(r->conn, bytes) : ERR_UNAVAILABLE;
}

size_t
http_request_queued_bytes(const struct http_request *r)
{
	return is_streaming(r) ? r->conn->out.bytes : 0;
}

bool
http_request_has_room(const struct http_request *r, size_t bytes)
{
	size_t queued = http_request_queued_bytes(r);

	return queued == 0 || queued + bytes <= r->server->limits.stream_queue_bytes / 2;
}

void
http_request_end(struct http_request *r)
{
	if (is_streaming(r))
		http_send_end(r->conn);
}

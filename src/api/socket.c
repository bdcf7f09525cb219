#include "api/socket.h"

#include <stdlib.h>

#include "api/api_private.h"
#include "api/handlers.h"
#include "api/socket_call.h"
#include "api/stream_hub.h"
#include "base/xalloc.h"
#include "net/ws.h"
#include "net/ws_handshake.h"

struct socket {
	struct stream_member member;
	struct api *api;
	struct engine_caller caller;
	struct ws *ws;
	struct list calls, waiting;
	struct list backlog; /* of struct piece: what had no room */
	bool held;           /* no message is read before the backlog is sent */
};

struct piece {
	struct list node;
	struct net_bytes *bytes;
};

struct api *
socket_api(struct socket *s)
{
	return s->api;
}

const struct engine_caller *
socket_caller(struct socket *s)
{
	return engine_renew_caller(s->api->config.engine, &s->caller) ? &s->caller : NULL;
}

struct list *
socket_calls(struct socket *s)
{
	return &s->calls;
}

struct list *
socket_waiting(struct socket *s)
{
	return &s->waiting;
}

/* ---- what goes ---- */

bool
socket_has_room(const struct socket *s, size_t bytes)
{
	return list_is_empty(&s->backlog) && ws_has_room(s->ws, bytes);
}

void
socket_send_now(struct socket *s, struct net_bytes *frame)
{
	IGNORE(ws_send(s->ws, frame)); /* one that is over says so itself */
}

void
socket_send(struct socket *s, struct net_bytes *messages)
{
	struct piece *p;

	if (socket_has_room(s, net_bytes_data(messages).len)) {
		socket_send_now(s, messages);
		return;
	}
	p = xmalloc(sizeof *p);
	p->bytes = net_bytes_ref(messages);
	list_append(&s->backlog, &p->node);
}

static void
drop_piece(struct piece *p)
{
	list_remove(&p->node);
	net_bytes_unref(p->bytes);
	free(p);
}

static void
on_drained(void *context)
{
	struct socket *s = context;

	list_for_each (at, &s->backlog) {
		struct piece *p = LIST_OWNER(at, struct piece, node);

		if (!ws_has_room(s->ws, net_bytes_data(p->bytes).len))
			return;
		socket_send_now(s, p->bytes);
		drop_piece(p);
	}
	if (s->held) {
		s->held = false;
		ws_resume(s->ws);
	}
	socket_call_give_room(&s->waiting);
}

/* ---- the end ---- */

static void
drop(struct socket *s)
{
	s->api->open_sockets--;
	stream_hub_leave(&s->member);
	socket_call_abandon(&s->calls);
	list_for_each (at, &s->backlog)
		drop_piece(LIST_OWNER(at, struct piece, node));
	ws_free(&s->ws);
	free(s);
}

static void
on_gone(void *context, const struct ws_gone *gone)
{
	(void)gone;
	drop(context);
}

static void
end_for_token(struct socket *s)
{
	ws_close(s->ws, SOCKET_TOKEN_ENDED, STR("the token is revoked or expired"));
	drop(s);
}

static void
on_dead(struct stream_member *m)
{
	end_for_token(LIST_OWNER(m, struct socket, member));
}

/* ---- what comes ---- */

static bool
on_message(void *context, struct str text)
{
	struct socket *s = context;

	if (!socket_call_take(s, text)) {
		end_for_token(s);
		return true;
	}
	s->held = !list_is_empty(&s->backlog);
	return !s->held;
}

/* ---- the beginning ---- */

static bool
refuse(struct exchange *x, int status, const char *message)
{
	static const struct http_header WANTED[] = {
		{ STR("Upgrade"), STR("websocket") },
		{ STR("Sec-WebSocket-Version"), STR("13") },
	};
	struct api_problem p = { .status = status, .message = str_of(message) };

	exchange_refuse(x, &p, WANTED, status == 426 ? ARRAY_LEN(WANTED) : 0);
	return false;
}

static bool
check(struct exchange *x)
{
	const struct http_head *head = http_request_head(x->request);
	struct ws_handshake shake;

	ws_handshake_check(head, &shake);
	if (shake.status != 101)
		return refuse(x, shake.status, shake.reason);
	if (http_head_find(head, STR("sec-websocket-protocol")).ptr &&
	    !ws_handshake_offers(head, SOCKET_PROTOCOL))
		return refuse(x, 400, "Sec-WebSocket-Protocol: perdure.v1 must be among them");
	return true;
}

static struct socket *
socket_new(struct exchange *x)
{
	struct socket *s = xcalloc(1, sizeof *s);

	s->api = x->api;
	s->caller = x->caller;
	s->member = (struct stream_member){ .caller = &s->caller, .on_dead = on_dead };
	list_init(&s->calls);
	list_init(&s->waiting);
	list_init(&s->backlog);
	return s;
}

void
socket_route(struct exchange *x)
{
	struct http_header headers[EXCHANGE_HEADERS];
	struct ws_want want = {
		.headers = headers,
		.header_count = exchange_headers(x, headers),
		.message_bytes = x->api->config.body_bytes + SOCKET_ENVELOPE_BYTES,
		.events = { on_message, on_drained, on_gone },
	};
	struct socket *s;
	struct err e;

	if (!check(x))
		return;
	if (exchange_header(x, STR("sec-websocket-protocol")).ptr)
		want.protocol = SOCKET_PROTOCOL;
	s = socket_new(x);
	want.context = s;
	if (ws_accept(x->api->sockets, x->request, &want, &s->ws, &e) != 0) {
		free(s);
		exchange_close(x, 0);
		return;
	}
	s->api->open_sockets++;
	stream_hub_join(api_hub(s->api), &s->member);
	exchange_leave(x, 101);
}

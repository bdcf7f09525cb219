/* ws - WebSockets of a server: text messages both ways, never silent for long, closed with a reason.
 *
 * Life: a handler looks at its request (token, Origin, path), then ws_accept takes it over. Messages
 * come and go until on_gone says that it is over, or its owner closes it; the owner frees it exactly
 * once. No callback comes from inside a call, and none after ws_close or ws_free. */
#pragma once
#include "net/http_request.h"
#include "net/loop.h"
#include "net/ws_frame.h"

/* All WebSockets of a server: one timer pings for them, a part of them at a time. */
struct ws_hub;
struct ws;

struct ws_gone {
	enum http_gone
		why; /* HTTP_GONE_PEER with the client's code: it closed; with WS_CUT: it vanished */
	int code;    /* enum ws_code, or what the client gave */
	struct str reason; /* lives during the call */
};

struct ws_events {
	/* One whole message, UTF-8. False holds further ones back until ws_resume. */
	bool (*on_message)(void *context, struct str text);
	/* Everything sent has left; may be NULL. */
	void (*on_drained)(void *context);
	/* At most once. Nothing can be sent any more. */
	void (*on_gone)(void *context, const struct ws_gone *gone);
};

enum { WS_HEADERS_MAX = 4 };
struct ws_want {
	struct str
		protocol; /* the subprotocol chosen (net/ws_handshake tells what is offered); or empty */
	const struct http_header *headers; /* further ones of the answer */
	size_t header_count;               /* at most WS_HEADERS_MAX */
	size_t message_bytes;              /* a longer message ends it with WS_TOO_BIG */
	struct ws_events events;
	void *context;
};

struct ws_hub *ws_hub_new(struct loop *loop, int64_t beat_ms);
/* Those that are left are pinged no more; nothing else happens to them. */
void ws_hub_free(struct ws_hub **hub);

/* Answers r with 101 and takes it over. Else r is answered with the reason (ERR_INVALID), or its client
 * is gone or the server drains (ERR_UNAVAILABLE), and r is still the caller's to release. */
NODISCARD int ws_accept(struct ws_hub *hub, struct http_request *r, const struct ws_want *want,
			struct ws **out, struct err *e);
/* A frame of ws_frame_text; see http_request_push: nothing is ever skipped, a reader too slow is cut. */
NODISCARD int ws_send(struct ws *ws, struct net_bytes *frame);
size_t ws_queued_bytes(const struct ws *ws);
/* See http_request_has_room. */
bool ws_has_room(const struct ws *ws, size_t bytes);
/* Messages may come again; not from inside on_message. */
void ws_resume(struct ws *ws);
/* Says so, with what is queued before it, and ends. */
void ws_close(struct ws *ws, int code, struct str reason);
/* One that is still open is cut. */
void ws_free(struct ws **ws);

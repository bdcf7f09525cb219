/* ws_handshake - does this request open a WebSocket, and what proves that we understood it?
 * RFC 6455 §4.2, without sockets. Who may connect (token, Origin) is for others to decide. */
#pragma once
#include "net/http_request.h"

enum { WS_ACCEPT_LEN = 28 };

struct ws_handshake {
	int status; /* 101; else that of the refusal: 400, or 426 (it must name the version) */
	const char *reason;             /* of the refusal: a sentence without a full stop */
	char accept[WS_ACCEPT_LEN + 1]; /* for Sec-WebSocket-Accept */
};

void ws_handshake_check(const struct http_head *head, struct ws_handshake *out);
/* Whether the client can speak this subprotocol (case counts). */
bool ws_handshake_offers(const struct http_head *head, struct str protocol);

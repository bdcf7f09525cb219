/* socket - a client's WebSocket: the same requests, streams and cursors as over HTTP, as JSON texts.
 *
 * What has no room in the connection's queue waits here, in order; while anything does, no further
 * message of the client is read. */
#pragma once
#include "api/exchange.h"
#include "base/list.h"
#include "net/net_bytes.h"

enum {
	SOCKET_CALLS_MAX = 64,            /* requests without their answer and streams, together */
	SOCKET_TOKEN_ENDED = 4401,        /* the code it is closed with */
	SOCKET_ENVELOPE_BYTES = 16 * 1024 /* of a message, around its body */
};
#define SOCKET_PROTOCOL STR("perdure.v1")

struct socket;

/* ---- for api/socket_call ---- */

struct api *socket_api(struct socket *s);
/* Who speaks, as of now; NULL: the token ended. */
const struct engine_caller *socket_caller(struct socket *s);
struct list *socket_calls(struct socket *s);   /* under way */
struct list *socket_waiting(struct socket *s); /* of them, those that wait for room */
/* Whole messages. */
void socket_send(struct socket *s, struct net_bytes *messages);
/* Straight to the connection, where there is room. */
void socket_send_now(struct socket *s, struct net_bytes *frame);
bool socket_has_room(const struct socket *s, size_t bytes);

/* socket_call - one message of a WebSocket's client and what it leads to: an answer, or a stream that
 * goes on until either side ends it.
 *
 *   {"id":1,"type":"response","status":200,"headers":{…},"body":{…}}
 *   {"id":2,"type":"subscribed","request_id":"req_…"}   {"id":2,"type":"unsubscribed","reason":"…"}
 *
 * It may outlive its WebSocket: a handler that is under way is not stopped, its answer goes nowhere. */
#pragma once
#include "api/exchange.h"
#include "base/list.h"
#include "net/net_bytes.h"

struct event_out;
struct socket;
struct socket_call;

/* For api/socket: a message has come. Answers it, now or later; false: the client's token ended. */
bool socket_call_take(struct socket *s, struct str text);
/* The WebSocket is gone, and these with it: streams are told, answers forgotten. */
void socket_call_abandon(struct list *calls);
/* There is room again: those that wait for it are told. */
void socket_call_give_room(struct list *waiting);

/* ---- for api/event_out: a call that became a stream ---- */

struct socket_call *socket_call_of(struct exchange_port *port);
void socket_call_open_stream(struct socket_call *c, struct event_out *o, struct str request_id);
bool socket_call_is_over(const struct socket_call *c);
/* The frame that each of its messages begins with. Any thread may read it. */
struct str socket_call_beginning(const struct socket_call *c);
/* Whole messages, in order; they may wait for room. */
void socket_call_send(struct socket_call *c, struct net_bytes *messages);
/* One frame that ends a message; there must be room. */
void socket_call_send_shared(struct socket_call *c, struct net_bytes *end);
/* False: there is none, and on_room of the stream follows. */
bool socket_call_has_room(struct socket_call *c, size_t bytes);
void socket_call_await_room(struct socket_call *c);
void socket_call_end_stream(struct socket_call *c, const char *reason);
void socket_call_free(struct socket_call **c);

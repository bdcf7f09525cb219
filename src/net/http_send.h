/* http_send - the answering side of a connection: what is sent at once, what waits, and when a
 * reader is too slow. For http_conn, http_request and http_server only. */
#pragma once
#include "net/http_conn.h"

/* A whole answer: head and body in one write. */
void http_send_reply(struct http_conn *c, const struct http_reply *reply);
/* The head of a stream, at once. */
void http_send_open(struct http_conn *c, const struct http_reply *reply);
/* The head of an answer behind which another protocol begins. */
void http_send_upgrade(struct http_conn *c, const struct http_reply *reply);
/* One piece of it; see http_request_push. */
NODISCARD int http_send_push(struct http_conn *c, struct net_bytes *bytes);
void http_send_end(struct http_conn *c);
/* "100 Continue": the client may send its body. */
void http_send_continue(struct http_conn *c);
/* Sends what waits, as far as the socket takes it. */
void http_send_flush(struct http_conn *c);

/* What TLS has to say by itself: handshake, alerts. */
void http_send_records(struct http_conn *c);
/* The end of what TLS says, once; true when it has left. */
bool http_send_goodbye(struct http_conn *c);

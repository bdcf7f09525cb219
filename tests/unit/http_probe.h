/* http_probe - a server in a thread of its own and a client that sends any bytes it likes.
 * The server answers by path, see the table in http_probe.c; every wait has a bound. */
#pragma once
#include <stdatomic.h>

#include "harness.h"
#include "net/http_server.h"
#include "net/sse.h"

enum { PROBE_WAIT_MS = 30 * 1000 };

struct probe {
	struct http_limits limits;      /* of the server that starts next */
	const char *tls_cert, *tls_key; /* NULL: port speaks plain HTTP, else TLS */
	int64_t ws_beat_ms;             /* so seldom that a client need not answer, unless set */
	int port;
	char unix_path[96];
	atomic_int requests;  /* that reached the handler */
	atomic_int gone;      /* owners told so */
	atomic_int gone_why;  /* of the last one */
	atomic_int drained;   /* on_drained of the server */
	atomic_int overflows; /* pushes that said ERR_LIMIT */
	atomic_int sockets;   /* WebSockets that are open, or about to be */
	atomic_int code;      /* with which the last WebSocket went */
	struct probe_server *server;
};

/* Limits of the product, but with times a test can wait for. */
void probe_init(struct probe *p);
void probe_start(struct probe *p);
/* Does something on the server's thread, and waits until it is done. */
void probe_call(struct probe *p, void (*fn)(struct probe *p, struct http_server *s));
void probe_stop(struct probe *p);
/* Waits until the number is there, or fails. */
void probe_wait(const char *what, const atomic_int *number, int least);

int probe_connect(const struct probe *p);
int probe_connect_unix(const struct probe *p);
void probe_send(int fd, struct str bytes);
/* Reads until `until` has been seen, the peer closed, or the wait is over; NUL-terminated. *closed
 * (may be NULL) tells whether the peer closed. */
struct str probe_read(int fd, const char *until, bool *closed);
/* Everything up to the peer's close; fails when it does not close. */
struct str probe_read_all(int fd);
/* Connects, sends, reads all answers until the close. For requests that end the connection. */
struct str probe_ask(const struct probe *p, struct str bytes);
/* The status of the nth answer in what was read; 0 when there is none. */
int probe_status(struct str answers, unsigned nth);
/* A small request is answered with 200 on this connection. */
bool probe_is_alive(int fd);

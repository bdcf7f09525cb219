/* raw_peer - a server that misbehaves in any way a test likes: a thread that accepts connections one
 * after the other and lets the test's function talk on each. */
#pragma once
#include <pthread.h>
#include <stdatomic.h>

#include "base/str.h"

enum { PEER_REQUEST_MAX = 256 * 1024 };

struct peer {
	int port;
	atomic_int connections, requests;
	char request[PEER_REQUEST_MAX + 1]; /* the last one read by peer_read; read it after stop */
	/* Talks on one connection; the peer closes it afterwards. */
	void (*talk)(struct peer *p, int fd);
	const void *context;
	int listener;
	pthread_t thread;
};

/* p->talk is set. */
void peer_start(struct peer *p);
/* Ends as soon as talk returns: clients are to be gone by then. */
void peer_stop(struct peer *p);
/* Reads a head and a body of `body` bytes into p->request; false when the client closed before. */
bool peer_read(struct peer *p, int fd, size_t body);
/* False: the client has closed. */
bool peer_write(int fd, struct str bytes);
/* Until the client closes. */
void peer_linger(int fd);
/* Makes the close a reset. */
void peer_reset(int fd);

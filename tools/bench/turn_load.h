/* turn_load - sessions, each with a reader of its stream, that are spoken to and answer; in one thread. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include "server_child.h"

enum { TURN_LOAD_SESSIONS_MAX = 512 };

struct turn_client {
	int post_fd, stream_fd;
	int turns_left;
	int64_t acked_ns; /* 0: the answer to the message is still due */
	size_t tail_len;
	char tail[64]; /* of what the stream said, so that a word in two pieces is found */
};

struct turn_load {
	const struct server_child *server;
	int sessions;
	struct turn_client clients[TURN_LOAD_SESSIONS_MAX];
	char names[TURN_LOAD_SESSIONS_MAX][32];
};

/* Opens fresh sessions of an agent of its own with that model, and their streams, previews included. */
void turn_load_open(struct turn_load *l, const struct server_child *server, const char *model,
		    int sessions);
void turn_load_close(struct turn_load *l);
/* Each session takes so many turns, the next when the one before is over. From the message's
 * acknowledgement to the event that ends its turn, in ms; turns * sessions of them, sorted. */
void turn_load_run(struct turn_load *l, int turns, double *took_ms);

/* One turn in every session: returns when all are answered and have said their first words. */
void turn_load_start(struct turn_load *l);
/* Reads what the streams say for so long; returns how many turns ended. */
int turn_load_listen(struct turn_load *l, int ms);

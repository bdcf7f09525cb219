/* out_queue - what a connection still has to send, as references to shared bytes, in order.
 * Empty, or with a single piece, it owns no memory: thousands of quiet streams cost nothing here, and an
 * event for all of them takes no allocation. A queue must not be moved. */
#pragma once
#include <stdbool.h>
#include <sys/uio.h>
#include "net/net_bytes.h"

struct out_piece {
	struct net_bytes *bytes;
	bool as_chunk;
};

struct out_queue {
	struct out_piece *pieces; /* [head, len) are waiting; &only: there is room for one */
	struct out_piece only;
	uint32_t head, len, cap;
	size_t skip;  /* bytes of the first piece that are sent already */
	size_t bytes; /* still to be sent */
};

/* Zeroed memory is an empty queue. */
void out_queue_release(struct out_queue *q);
/* Takes a reference of its own; as a chunk of a chunked body, or as it is. Nothing for no bytes. */
void out_queue_push(struct out_queue *q, struct net_bytes *b, bool as_chunk);
/* Views of the first pieces, at most max of them; returns how many. Valid until the next call. */
unsigned out_queue_peek(const struct out_queue *q, struct iovec *out, unsigned max);
/* The first `sent` bytes are on their way; sent is at most q->bytes. */
void out_queue_consume(struct out_queue *q, size_t sent);

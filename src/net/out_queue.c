#include "net/out_queue.h"

#include <stdlib.h>

#include "base/xalloc.h"

enum { FIRST_CAP = 4 };

static struct str
view(const struct out_piece *p)
{
	return p->as_chunk ? net_bytes_chunk(p->bytes) : net_bytes_data(p->bytes);
}

void
out_queue_release(struct out_queue *q)
{
	for (uint32_t i = q->head; i < q->len; i++)
		net_bytes_unref(q->pieces[i].bytes);
	if (q->pieces != &q->only)
		free(q->pieces);
	*q = (struct out_queue){ 0 };
}

/* Pieces that are gone leave room at the front: used before more is asked for. */
static void
make_room(struct out_queue *q)
{
	if (q->len < q->cap)
		return;
	if (q->head > q->cap / 2) {
		memmove(q->pieces, q->pieces + q->head, (q->len - q->head) * sizeof *q->pieces);
		q->len -= q->head;
		q->head = 0;
		return;
	}
	if (q->cap == 0) {
		q->pieces = &q->only;
		q->cap = 1;
		return;
	}
	q->cap = q->cap < FIRST_CAP ? FIRST_CAP : q->cap * 2;
	if (q->pieces == &q->only) {
		q->pieces = xreallocarray(NULL, q->cap, sizeof *q->pieces);
		q->pieces[0] = q->only;
	} else {
		q->pieces = xreallocarray(q->pieces, q->cap, sizeof *q->pieces);
	}
}

void
out_queue_push(struct out_queue *q, struct net_bytes *b, bool as_chunk)
{
	struct out_piece piece = { b, as_chunk };
	size_t len = view(&piece).len;

	if (len == 0)
		return;
	make_room(q);
	net_bytes_ref(b);
	q->pieces[q->len++] = piece;
	q->bytes += len;
}

unsigned
out_queue_peek(const struct out_queue *q, struct iovec *out, unsigned max)
{
	unsigned n = 0;
	size_t skip = q->skip;

	for (uint32_t i = q->head; i < q->len && n < max; i++, skip = 0) {
		struct str text = view(&q->pieces[i]);
		out[n++] = (struct iovec){ (char *)(uintptr_t)text.ptr + skip, text.len - skip };
	}
	return n;
}

void
out_queue_consume(struct out_queue *q, size_t sent)
{
	q->bytes -= sent;
	sent += q->skip;
	while (q->head < q->len) {
		size_t len = view(&q->pieces[q->head]).len;
		if (sent < len)
			break;
		sent -= len;
		net_bytes_unref(q->pieces[q->head++].bytes);
	}
	q->skip = sent;
	if (q->head == q->len)
		out_queue_release(q);
}

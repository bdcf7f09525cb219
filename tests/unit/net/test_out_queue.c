#include "net/out_queue.h"

#include "base/buf.h"
#include "base/rand.h"
#include "harness.h"

static void
push_text(struct out_queue *q, struct str text, bool as_chunk)
{
	struct net_bytes *b = net_bytes_copy(text);

	out_queue_push(q, b, as_chunk);
	net_bytes_unref(b);
}

static void
pieces_come_out_in_order(void **state)
{
	struct out_queue q = { 0 };
	struct iovec pieces[4];

	(void)state;
	push_text(&q, STR("one"), false);
	push_text(&q, STR(""), true);
	push_text(&q, STR("two"), true);
	assert_int_equal(q.bytes, 3 + 8);
	assert_int_equal(out_queue_peek(&q, pieces, 1), 1);
	assert_int_equal(out_queue_peek(&q, pieces, 4), 2);
	assert_memory_equal(pieces[0].iov_base, "one", 3);
	assert_memory_equal(pieces[1].iov_base, "3\r\ntwo\r\n", 8);
	out_queue_consume(&q, 4);
	assert_int_equal(out_queue_peek(&q, pieces, 4), 1);
	assert_memory_equal(pieces[0].iov_base, "\r\ntwo\r\n", 7);
	out_queue_consume(&q, 7);
	assert_int_equal(out_queue_peek(&q, pieces, 4), 0);
	assert_null(q.pieces);
}

static void
release_forgets_what_waits(void **state)
{
	struct out_queue q = { 0 };

	(void)state;
	push_text(&q, STR("one"), false);
	out_queue_release(&q);
	assert_int_equal(q.bytes, 0);
	out_queue_release(&q);
}

/* Whatever is pushed and sent in between, the bytes that leave are the bytes that came. */
static void
property_nothing_is_lost_or_repeated(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < suite_seeds(500); seed++) {
		struct out_queue q = { 0 };
		struct buf in, out;
		struct rand r;

		rand_init_seed(&r, seed);
		buf_init(&in, 1 << 20);
		buf_init(&out, 1 << 20);
		for (int i = 0; i < 100; i++) {
			struct iovec pieces[3];
			char text[16];
			size_t len = (size_t)rand_below(&r, 16);
			unsigned n;

			rand_bytes(&r, text, len);
			buf_put(&in, text, len);
			push_text(&q, (struct str){ text, len }, false);
			n = out_queue_peek(&q, pieces, 3);
			for (unsigned k = 0; k < n && rand_below(&r, 2); k++) {
				size_t sent = (size_t)rand_below(&r, pieces[k].iov_len + 1);
				buf_put(&out, pieces[k].iov_base, sent);
				out_queue_consume(&q, sent);
				break;
			}
		}
		while (q.bytes > 0) {
			struct iovec piece;
			out_queue_peek(&q, &piece, 1);
			buf_put(&out, piece.iov_base, piece.iov_len);
			out_queue_consume(&q, piece.iov_len);
		}
		if (!str_eq(buf_str(&in), buf_str(&out)))
			fail_msg("seed %llu", (unsigned long long)seed);
		buf_release(&in);
		buf_release(&out);
	}
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, pieces_come_out_in_order);
	SUITE_TEST(&s, release_forgets_what_waits);
	SUITE_TEST(&s, property_nothing_is_lost_or_repeated);
	return suite_run(&s, "net/out_queue");
}

/* Any text as a line of a bundle: refused, or an event that is written and read back as it was. */
#include "api/bundle.h"

static void
must_equal(struct str a, struct str b)
{
	if (!str_eq(a, b))
		__builtin_trap();
}

static void
check_event(struct arena *a, const struct event *ev, const struct sha256 *hash)
{
	struct sha256 hash_again;
	struct event again;
	struct buf out;
	struct err e;

	buf_init(&out, 64 * 1024 * 1024);
	bundle_write_event(&out, ev, hash);
	if (out.len == 0 || memchr(out.ptr, '\n', out.len - 1) ||
	    bundle_read_event((struct str){ out.ptr, out.len - 1 }, a, &again, &hash_again, &e) !=
		    0)
		__builtin_trap();
	must_equal(again.id, ev->id);
	must_equal(again.turn, ev->turn);
	must_equal(again.meta, ev->meta);
	must_equal(again.payload, ev->payload);
	if (again.seq != ev->seq || again.kind != ev->kind || again.author != ev->author ||
	    again.created_at_ms != ev->created_at_ms ||
	    memcmp(hash, &hash_again, sizeof hash_again) != 0)
		__builtin_trap();
	buf_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = { (const char *)data, size };
	struct bundle_header header;
	struct sha256 hash;
	struct event ev;
	struct arena a;
	struct err e;

	arena_init(&a);
	if (bundle_read_event(text, &a, &ev, &hash, &e) == 0)
		check_event(&a, &ev, &hash);
	if (bundle_read_header(text, &a, &header, &e) == 0 && header.head_seq < 1)
		__builtin_trap();
	arena_release(&a);
	return 0;
}

#include "tool/local/output_keep.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "base/xalloc.h"

void
output_keep_init(struct output_keep *k, size_t head_max, size_t tail_max)
{
	*k = (struct output_keep){ .head_max = head_max, .tail_max = tail_max };
}

void
output_keep_release(struct output_keep *k)
{
	free(k->head);
	free(k->tail);
	k->head = k->tail = NULL;
}

static size_t
tail_length(const struct output_keep *k)
{
	uint64_t total = k->total - k->tail_start;

	return total < k->tail_max ? (size_t)total : k->tail_max;
}

static void
put_tail(struct output_keep *k, struct str bytes)
{
	uint64_t at = k->total;

	k->total += bytes.len;
	if (bytes.len > k->tail_max) {
		at += bytes.len - k->tail_max;
		bytes = str_slice(bytes, bytes.len - k->tail_max, bytes.len);
	}
	if (!k->tail)
		k->tail = xmalloc(k->tail_max);
	while (bytes.len > 0) {
		size_t from = (size_t)(at % k->tail_max), room = k->tail_max - from;
		struct str piece = str_slice(bytes, 0, room);

		memcpy(k->tail + from, piece.ptr, piece.len);
		at += piece.len;
		bytes = str_slice(bytes, piece.len, bytes.len);
	}
}

void
output_keep_put(struct output_keep *k, struct str bytes)
{
	struct str head = str_slice(bytes, 0, k->head_max - k->head_len);

	if (head.len > 0) {
		if (!k->head)
			k->head = xmalloc(k->head_max);
		memcpy(k->head + k->head_len, head.ptr, head.len);
		k->head_len += head.len;
		k->total += head.len;
		k->tail_start = k->total;
		bytes = str_slice(bytes, head.len, bytes.len);
	}
	if (bytes.len > 0)
		put_tail(k, bytes);
}

void
output_keep_skip(struct output_keep *k, uint64_t bytes)
{
	k->total += bytes;
	k->tail_start = k->total;
}

static void
put_ring(const struct output_keep *k, uint64_t from, struct buf *out)
{
	while (from < k->total) {
		size_t at = (size_t)(from % k->tail_max), piece = k->tail_max - at;

		if (piece > k->total - from)
			piece = (size_t)(k->total - from);
		buf_put(out, k->tail + at, piece);
		from += piece;
	}
}

uint64_t
output_keep_since(const struct output_keep *k, uint64_t from, struct buf *out)
{
	uint64_t first = k->total - tail_length(k);

	if (from < first)
		from = first;
	if (from < k->total)
		put_ring(k, from, out);
	return from < k->total ? from : k->total;
}

/* What is well-formed, but for NULs. */
static void
put_good(struct buf *out, struct str text, bool *bad)
{
	while (text.len > 0) {
		const char *nul = memchr(text.ptr, '\0', text.len);
		size_t len = nul ? (size_t)(nul - text.ptr) : text.len;

		buf_put(out, text.ptr, len);
		*bad = *bad && len == 0;
		if (nul && !*bad)
			buf_puts(out, "\xef\xbf\xbd");
		*bad = *bad || nul;
		text = str_slice(text, len + (nul ? 1 : 0), text.len);
	}
}

void
output_clean(struct buf *out, struct str bytes)
{
	bool bad = false; /* the run has its sign already */

	while (bytes.len > 0) {
		size_t good = utf8_valid_prefix(bytes);

		put_good(out, str_slice(bytes, 0, good), &bad);
		bytes = str_slice(bytes, good, bytes.len);
		if (bytes.len > 0 && !bad)
			buf_puts(out, "\xef\xbf\xbd");
		bad = bad || bytes.len > 0;
		bytes = str_slice(bytes, 1, bytes.len);
	}
}

void
output_keep_text(const struct output_keep *k, struct buf *out)
{
	size_t kept = tail_length(k);
	uint64_t missing = k->total - k->head_len - kept;
	struct buf text;

	buf_init(&text, k->head_max + k->tail_max);
	buf_put(&text, k->head, k->head_len);
	if (missing > 0) {
		output_clean(out, buf_str(&text));
		buf_clear(&text);
		buf_printf(out, "\n[... %" PRIu64 " bytes of output left out ...]\n", missing);
	}
	if (kept > 0)
		put_ring(k, k->total - kept, &text);
	output_clean(out, buf_str(&text));
	buf_release(&text);
}

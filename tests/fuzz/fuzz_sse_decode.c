/* Any bytes as an event stream: the same events and the same verdict however the bytes are cut into
 * reads; no event passes the limit; no id has a NUL or a line end. */
#include "base/buf.h"
#include "net/sse_decode.h"

enum { TRACE_MAX = 1 << 22, EVENT_MAX = 96 };

static void
check_line(struct str text)
{
	for (size_t i = 0; i < text.len; i++)
		if (text.ptr[i] == '\n' || text.ptr[i] == '\r')
			__builtin_trap();
}

static bool
write_down(void *context, const struct sse_event *event)
{
	struct buf *out = context;

	check_line(event->name);
	check_line(event->id);
	if (event->id.len > 0 && memchr(event->id.ptr, '\0', event->id.len))
		__builtin_trap();
	if (!event->data.ptr || event->data.len > EVENT_MAX || event->retry_ms < 0)
		__builtin_trap();
	buf_printf(out, "<%zu:", event->name.len);
	buf_put_str(out, event->name);
	buf_printf(out, "|%zu:", event->id.len);
	buf_put_str(out, event->id);
	buf_printf(out, "|%zu:", event->data.len);
	buf_put_str(out, event->data);
	buf_printf(out, "|%lld>", (long long)event->retry_ms);
	return true;
}

/* Pieces of lengths that change, so that borders fall everywhere. */
static int
trace(struct str bytes, size_t step, struct buf *out)
{
	struct sse_decode d;
	struct err e;
	int rc = 0;

	sse_decode_init(&d, EVENT_MAX, write_down, out);
	for (size_t take = step; rc == 0 && bytes.len > 0; take = 1 + (take * 5 + step) % 11) {
		rc = sse_decode_feed(&d, str_slice(bytes, 0, step == SIZE_MAX ? step : take), &e);
		bytes = str_slice(bytes, step == SIZE_MAX ? step : take, bytes.len);
	}
	if (rc != 0 && (rc != ERR_TOO_LARGE || e.text[0] == '\0'))
		__builtin_trap();
	sse_decode_release(&d);
	return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str bytes = { (const char *)data, size };
	struct buf whole, cut;
	int rc;

	buf_init(&whole, TRACE_MAX);
	buf_init(&cut, TRACE_MAX);
	rc = trace(bytes, SIZE_MAX, &whole);
	for (size_t step = 1; step < 4; step++) {
		buf_clear(&cut);
		if (trace(bytes, step, &cut) != rc || !str_eq(buf_str(&whole), buf_str(&cut)))
			__builtin_trap();
	}
	buf_release(&whole);
	buf_release(&cut);
	return 0;
}

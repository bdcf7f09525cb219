#include "sse_reader.h"

#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"

enum { TEXT_MAX = 256 * 1024 * 1024, PIECE = 64 * 1024 };

void
sse_reader_open(struct sse_reader *r, struct api_rig *rig, const struct rig_ask *ask)
{
	struct buf request;

	*r = (struct sse_reader){ .fd = probe_connect(&rig->client) };
	buf_init(&r->raw, TEXT_MAX);
	buf_init(&r->text, TEXT_MAX);
	buf_init(&request, TEXT_MAX);
	buf_printf(&request, "%s %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n",
		   ask->method, ask->target, ask->token);
	if (ask->headers)
		buf_puts(&request, ask->headers);
	if (ask->body)
		buf_printf(&request, "Content-Type: application/json\r\nContent-Length: %zu\r\n",
			   strlen(ask->body));
	buf_puts(&request, "\r\n");
	if (ask->body)
		buf_puts(&request, ask->body);
	probe_send(r->fd, buf_str(&request));
	buf_release(&request);
}

void
sse_reader_close(struct sse_reader *r)
{
	if (r->fd >= 0)
		close(r->fd);
	r->fd = -1;
	buf_release(&r->raw);
	buf_release(&r->text);
}

static void
drop(struct buf *b, size_t n)
{
	memmove(b->ptr, b->ptr + n, b->len - n);
	b->len -= n;
}

static bool
take_head(struct sse_reader *r)
{
	size_t end;

	if (r->has_head)
		return true;
	if (!str_find(buf_str(&r->raw), STR("\r\n\r\n"), 0, &end))
		return false;
	r->status = probe_status(buf_str(&r->raw), 0);
	drop(&r->raw, end + 4);
	r->has_head = true;
	return true;
}

/* Whole chunks only; the last one closes. */
static bool
take_chunk(struct sse_reader *r)
{
	size_t line, size;

	if (!str_find(buf_str(&r->raw), STR("\r\n"), 0, &line))
		return false;
	size = strtoul(r->raw.ptr, NULL, 16);
	if (r->raw.len < line + 2 + size + 2)
		return false;
	if (size == 0)
		r->closed = true;
	buf_put(&r->text, r->raw.ptr + line + 2, size);
	drop(&r->raw, line + 2 + size + 2);
	return !r->closed;
}

bool
sse_reader_pump(struct sse_reader *r, size_t max, int timeout_ms)
{
	struct pollfd p = { .fd = r->fd, .events = POLLIN };
	static char piece[PIECE];
	ssize_t n;

	if (r->closed)
		return false;
	if (poll(&p, 1, timeout_ms) <= 0)
		return true;
	n = recv(r->fd, piece, max < PIECE ? max : PIECE, 0);
	if (n <= 0) {
		r->closed = true;
		return false;
	}
	buf_put(&r->raw, piece, (size_t)n);
	while (take_head(r) && take_chunk(r))
		continue;
	return !r->closed;
}

static void
keep(char *to, size_t size, struct str value)
{
	snprintf(to, size, STR_FMT, STR_ARG(value));
}

/* One block; false: a comment, or nothing but a retry. */
static bool
read_block(struct str block, struct sse_frame_read *out)
{
	struct str line;

	*out = (struct sse_frame_read){ 0 };
	while (block.len > 0) {
		str_cut(block, '\n', &line, &block);
		if (str_starts(line, STR("id: ")))
			keep(out->id, sizeof out->id, str_slice(line, 4, line.len));
		else if (str_starts(line, STR("event: ")))
			keep(out->event, sizeof out->event, str_slice(line, 7, line.len));
		else if (str_starts(line, STR("data: ")))
			out->data = str_slice(line, 6, line.len);
	}
	return out->data.ptr != NULL;
}

bool
sse_reader_next(struct sse_reader *r, struct sse_frame_read *out)
{
	size_t end;

	if (r->at > PIECE * 4) {
		drop(&r->text, r->at);
		r->at = 0;
	}
	while (str_find(buf_str(&r->text), STR("\n\n"), r->at, &end)) {
		struct str block = str_slice(buf_str(&r->text), r->at, end);

		r->at = end + 2;
		if (read_block(block, out))
			return true;
	}
	return false;
}

struct sse_frame_read
sse_reader_wait(struct sse_reader *r)
{
	int64_t until = clock_monotonic_ns() + INT64_C(1000000) * PROBE_WAIT_MS;
	struct sse_frame_read frame;

	while (!sse_reader_next(r, &frame)) {
		if (r->closed)
			fail_msg("the stream ended, status %d: " STR_FMT STR_FMT, r->status,
				 STR_ARG(buf_str(&r->text)), STR_ARG(buf_str(&r->raw)));
		if (clock_monotonic_ns() > until)
			fail_msg("no frame came, status %d: " STR_FMT, r->status,
				 STR_ARG(buf_str(&r->raw)));
		sse_reader_pump(r, PIECE, 20);
	}
	return frame;
}

void
sse_reader_expect(struct sse_reader *r, const char *event, const char *part)
{
	struct sse_frame_read frame = sse_reader_wait(r);

	if (strcmp(frame.event, event) != 0 || !str_contains(frame.data, str_of(part)))
		fail_msg("wanted %s with '%s', got %s: " STR_FMT, event, part, frame.event,
			 STR_ARG(frame.data));
}

void
sse_reader_expect_silence(struct sse_reader *r, int ms)
{
	int64_t until = clock_monotonic_ns() + INT64_C(1000000) * ms;
	struct sse_frame_read frame;

	do {
		sse_reader_pump(r, PIECE, 10);
		if (sse_reader_next(r, &frame))
			fail_msg("a frame came: %s " STR_FMT, frame.event, STR_ARG(frame.data));
	} while (clock_monotonic_ns() < until);
}

void
sse_reader_expect_end(struct sse_reader *r)
{
	int64_t until = clock_monotonic_ns() + INT64_C(1000000) * PROBE_WAIT_MS;
	struct sse_frame_read frame;

	while (!r->closed) {
		if (clock_monotonic_ns() > until)
			fail_msg("the stream did not end");
		sse_reader_pump(r, PIECE, 20);
	}
	if (sse_reader_next(r, &frame))
		fail_msg("another frame came: %s " STR_FMT, frame.event, STR_ARG(frame.data));
}

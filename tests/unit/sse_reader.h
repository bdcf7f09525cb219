/* sse_reader - a client of event streams: connects, takes frames apart, never blocks for long. */
#pragma once
#include "api_rig.h"
#include "base/buf.h"

struct sse_frame_read {
	char id[32], event[64];
	struct str data; /* good until the next call about this reader */
};

struct sse_reader {
	int fd;
	struct buf raw;  /* bytes of the answer that are not looked at yet */
	struct buf text; /* the body, without its chunks */
	size_t at;       /* frames taken up to here */
	bool has_head, closed;
	int status;
};

/* headers: further ones with their line ends, or NULL; body NULL: a GET. */
void sse_reader_open(struct sse_reader *r, struct api_rig *rig, const struct rig_ask *ask);
void sse_reader_close(struct sse_reader *r);
/* Takes at most max bytes from the socket, waiting up to timeout_ms for the first. False: closed. */
bool sse_reader_pump(struct sse_reader *r, size_t max, int timeout_ms);
/* The next whole frame that is no comment, out of what was read. */
bool sse_reader_next(struct sse_reader *r, struct sse_frame_read *out);
/* The same, waiting for it; fails when it does not come. */
struct sse_frame_read sse_reader_wait(struct sse_reader *r);
/* Waits for a frame of that name with that part in its data; fails on any other. */
void sse_reader_expect(struct sse_reader *r, const char *event, const char *part);
/* Nothing but comments comes within the time. */
void sse_reader_expect_silence(struct sse_reader *r, int ms);
/* The server ends the stream, without another frame. */
void sse_reader_expect_end(struct sse_reader *r);

/* sse - server-sent events: frames in shared bytes, and streams that are never silent for long.
 * A frame is made once and pushed to any number of streams; all that a stream is sent in one turn
 * of the loop leaves in one write. */
#pragma once
#include "net/http_request.h"
#include "net/loop.h"

struct sse_event {
	struct str name; /* empty: an unnamed event */
	struct str
		id; /* empty: none; stands in the same block as the data, where clients want it */
	struct str data;  /* ptr NULL: no data line; line ends split it over several */
	int64_t retry_ms; /* 0: none */
};

/* One block with its closing blank line. ERR_INVALID: a line end or NUL in the name or id. */
NODISCARD int sse_frame(const struct sse_event *event, struct net_bytes **out, struct err *e);
/* A comment, which every client ignores; line ends in it become blanks. */
struct net_bytes *sse_comment(struct str text);

/* All streams of a server: one timer beats for them, a part of them at a time. */
struct sse;
struct sse_stream { /* lives in its owner */
	struct list node;
	struct http_request *request;
};

struct sse *sse_new(struct loop *loop, int64_t beat_ms);
/* Streams that are left no longer beat; nothing else happens to them. */
void sse_free(struct sse **sse);
/* How many are open; walks them. */
size_t sse_count(const struct sse *sse);
/* Answers r with 200 and the headers of an event stream, at once, plus those given (header_count may
 * be 0). From now on a comment goes out at least every beat_ms. */
void sse_open(struct sse *sse, struct sse_stream *stream, struct http_request *r,
	      const struct http_header *headers, size_t header_count);
/* See http_request_push: nothing is ever skipped; a reader too slow is cut. */
NODISCARD int sse_send(struct sse_stream *stream, struct net_bytes *frame);
/* Ends the answer and leaves. The request is still the owner's to release. */
void sse_end(struct sse_stream *stream);
/* Leaves only, because the client is gone. */
void sse_leave(struct sse_stream *stream);

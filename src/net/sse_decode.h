/* sse_decode - which events are in the bytes of an event stream? The other side of net/sse.
 * Takes bytes however they were cut; follows the WHATWG rules for text/event-stream: one byte order
 * mark at the very start, lines that end in CR, LF or both, comments, fields it does not know, ids
 * with a NUL ignored. A block that the end of the stream leaves unfinished is no event: there is
 * nothing to call at the end. Bytes are passed on as they are, whether they are UTF-8 or not. */
#pragma once
#include "base/buf.h"
#include "base/err.h"
#include "net/sse.h"

/* name: empty when the event has none (browsers call it "message"). id: the last one told so far,
 * by this or an earlier block. data: the lines joined by LF, ptr never NULL. retry_ms: the
 * reconnection time told so far; 0: none. The texts live during the call, in which the decoder must
 * not be released. false: no more events; what follows is not looked at. */
typedef bool (*sse_decode_fn)(void *context, const struct sse_event *event);

struct sse_decode {
	sse_decode_fn fn;
	void *context;
	size_t max_bytes;
	struct buf line; /* the beginning of a line whose end has not come */
	struct buf name, data, next_id;
	struct buf
		last_id; /* of the last finished block: what a client sends to go on from there */
	int64_t retry_ms;
	size_t bom_seen; /* bytes of the byte order mark; past its length: the start is over */
	bool in_comment, skip_lf, has_data, stopped;
};

/* max_bytes: for a line, and for the data of an event. */
void sse_decode_init(struct sse_decode *d, size_t max_bytes, sse_decode_fn fn, void *context);
void sse_decode_release(struct sse_decode *d);
/* Calls fn for every event that these bytes complete. ERR_TOO_LARGE: a line or an event passed the
 * limit; the decoder is of no more use then. */
NODISCARD int sse_decode_feed(struct sse_decode *d, struct str bytes, struct err *e);
/* A new connection of the same stream: forgets everything but last_id and retry_ms. */
void sse_decode_restart(struct sse_decode *d);

/* answer_stream - from the bytes of an event stream to an answer: cuts events out, reads their JSON,
 * hands them to the dialect. Whatever makes no sense is the answer's failure. */
#pragma once
#include "net/sse_decode.h"
#include "provider/dialect.h"

struct answer_stream {
	const struct dialect *dialect;
	struct answer *answer;
	struct sse_decode sse;
};

void
answer_stream_init(struct answer_stream *s, const struct dialect *dialect, struct answer *answer);
void answer_stream_release(struct answer_stream *s);
/* Not after answer_is_over. The answer may be muted from inside, but not released. */
void answer_stream_feed(struct answer_stream *s, struct str bytes);
/* The peer closed in good order: the answer is complete or failed afterwards. */
void answer_stream_end(struct answer_stream *s);
/* The same for an answer that came whole. */
void answer_stream_whole(struct answer_stream *s, struct str body);

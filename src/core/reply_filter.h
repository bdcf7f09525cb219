/* reply_filter - what of a reply reaches people, and does anything?
 * The model says <NO_REPLY> (or the older <EMPTY_RESPONSE>) to stay silent. Markers are
 * case-sensitive and go wherever they stand, until none is left: taking one out may join the
 * halves of another. When a marker went, the blanks around the rest go too; a text without markers
 * passes untouched. A rest of nothing but white space (Unicode's) is not delivered. */
#pragma once
#include <stdbool.h>
#include "base/buf.h"
#include "base/str.h"

struct reply {
	struct str text; /* a view of out or of the input */
	bool deliver;
};
/* Builds what is left in out; a ceiling of text.len bytes is always enough. */
struct reply reply_filter_strip(struct str text, struct buf *out);

/* The same while the reply is still being written: hands out text as soon as no later byte can
 * make it part of a marker, so nothing shown ever has to be taken back. Everything handed out,
 * joined, is a beginning of the final text without its outer blanks. */
struct reply_stream {
	struct buf kept; /* what is left after the markers that are complete */
	size_t shown;    /* bytes of kept handed out, or skipped as leading blanks */
	bool removed;    /* a marker went */
};
void reply_stream_init(struct reply_stream *s, size_t max);
void reply_stream_release(struct reply_stream *s);
/* The next piece, whole characters; returns what may now be shown on top of what was. The view
 * holds until the next call. */
struct str reply_stream_push(struct reply_stream *s, struct str piece);
/* No more is coming: the reply as reply_filter_strip gives it. */
struct reply reply_stream_end(const struct reply_stream *s);
/* The same, for those who showed every piece: what was held back and may be shown now. */
struct str reply_stream_rest(struct reply_stream *s);

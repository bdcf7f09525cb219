/* bundle - a session's log as lines of JSON: the file that restores it byte by byte.
 *
 * The first line is the header, then one line per event with its whole envelope and its hash. Meta and
 * payload stand in the line as the bytes they are; bytes with line ends in them stand as a string
 * (meta_text, payload_text). A reader checks the form; the chain is its caller's to check. */
#pragma once
#include <stdint.h>
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/sha256.h"
#include "core/event.h"
#include "engine/engine.h"

enum { BUNDLE_WAKES_MAX = 1000 };

struct bundle_header {
	struct str id;
	int64_t head_seq;
	struct sha256 head_hash;
	struct str extra; /* JSON object: what the session has beyond its log; empty: nothing */
	const struct engine_log_wake *wakes;
	size_t wake_count;
};

void bundle_write_header(struct buf *out, const struct bundle_header *h);
void bundle_write_event(struct buf *out, const struct event *ev, const struct sha256 *hash);
/* Texts are views of line, which must stay, or live in a. */
NODISCARD int
bundle_read_header(struct str line, struct arena *a, struct bundle_header *out, struct err *e);
NODISCARD int bundle_read_event(struct str line, struct arena *a, struct event *out,
				struct sha256 *hash, struct err *e);

/* mirror_record - what does a line of a session's mirror say?
 *
 * events.jsonl has a line per event of the log, as it stands in a bundle, and one for each input that
 * was processed; wake-queue.jsonl one for each wake that was queued (again when it changed) and one
 * when it is gone. A line stands for itself: what is read in order adds up to the session. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/sha256.h"
#include "base/str.h"

enum mirror_record_kind {
	MIRROR_EVENT,     /* seq, hash, id; at_ms: created; is_input */
	MIRROR_PROCESSED, /* id: of the input; at_ms: when */
	MIRROR_ENQUEUED,  /* id: of the wake; due_at_ms (0: parked), wake */
	MIRROR_COMPLETED, /* id: of the wake; at_ms: when it was seen to be gone */
};

struct mirror_record {
	enum mirror_record_kind kind;
	struct str id;
	int64_t seq;
	struct sha256 hash;
	bool is_input;
	int64_t at_ms;
	int64_t due_at_ms;
	struct str wake; /* JSON object: the body of its record */
};

/* One line without its end. Texts are views of line, which must stay, or live in a. */
NODISCARD int
mirror_record_read(struct str line, struct arena *a, struct mirror_record *out, struct err *e);
/* With its line end. Not for events: those are written as in a bundle (api/bundle). */
void mirror_record_write(struct buf *out, const struct mirror_record *r);
/* 64 lower-case hexadecimal digits. */
bool mirror_record_hash(struct str hex, struct sha256 *out);

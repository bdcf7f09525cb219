/* tool_frame - what the helper tells the server, in pieces on one pipe: a letter, a length, bytes.
 *   S  what was asked for runs now          O  output          D  bytes of output left out (a number)
 *   R  how it ended (the last one, JSON) */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

enum { TOOL_FRAME_BYTES = 64 * 1024, TOOL_FRAME_HEAD = 5 };

enum tool_frame {
	TOOL_FRAME_STARTED = 'S',
	TOOL_FRAME_OUTPUT = 'O',
	TOOL_FRAME_DROPPED = 'D',
	TOOL_FRAME_REPORT = 'R',
};

enum tool_end {
	TOOL_END_EXITED,  /* by itself: code says how */
	TOOL_END_TIMEOUT, /* its time was over */
	TOOL_END_CROWD,   /* too many processes */
	TOOL_END_FULL,    /* its workspace: text says more */
	TOOL_END_STOPPED, /* on request; or its helper was: text says more */
	TOOL_END_REFUSED, /* it never ran: text says why */
};

struct tool_report {
	enum tool_end end;
	int64_t code; /* of EXITED; 128 + N: signal N */
	struct str
		text; /* of REFUSED, FULL and STOPPED; of EXITED what else there is to say, or nothing */
};

/* payload: at most TOOL_FRAME_BYTES. */
void tool_frame_put(struct buf *out, enum tool_frame kind, struct str payload);
void tool_frame_put_report(struct buf *out, const struct tool_report *report);

struct tool_frames {
	struct buf part; /* of a frame that has not come whole */
	bool broken;
};
void tool_frames_init(struct tool_frames *f);
void tool_frames_release(struct tool_frames *f);
/* Calls fn for each whole frame; payload is good during the call. ERR_CORRUPT once bytes are no
 * frames, then for good. */
NODISCARD int tool_frames_feed(struct tool_frames *f, struct str bytes,
			       void (*fn)(void *ctx, enum tool_frame kind, struct str payload),
			       void *ctx, struct err *e);
NODISCARD int
tool_report_parse(struct arena *a, struct str payload, struct tool_report *out, struct err *e);

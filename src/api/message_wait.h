/* message_wait - what became of a message? Folds the log behind it until the first status_idle of the
 * turn that consumed it, and says what the agent answered: texts, calls, stop reason, usage.
 *
 * Pure: events in, an answer out. A message that steered a running turn belongs to a turn that began
 * before it; to have all its texts the fold starts again at that turn's beginning (message_wait_rewind). */
#pragma once
#include <stdbool.h>
#include "base/arena.h"
#include "base/buf.h"
#include "base/json_write.h"
#include "core/event.h"
#include "core/usage.h"

enum message_wait_state {
	MESSAGE_WAITS,     /* nobody has consumed it */
	MESSAGE_RUNS,      /* its turn is open */
	MESSAGE_DONE,      /* its turn is idle; stop_reason says why */
	MESSAGE_CANCELLED, /* it was taken out of the queue, or the session ended before */
};

struct message_wait {
	struct arena arena; /* the texts below */
	struct arena scratch;
	struct str input_id;
	enum message_wait_state state;
	bool joined;            /* it was consumed by a turn that ran already */
	struct str turn;        /* empty: not consumed */
	int64_t consumed_seq;   /* the event that consumed it */
	struct str stop_reason; /* JSON */
	struct buf text;        /* of the turn's messages, joined by blank lines, without silence */
	struct buf calls;       /* JSON objects joined by commas */
	struct usage usage;
	struct str partial_id; /* of the message that is being written */
	struct buf partial;
};

void message_wait_init(struct message_wait *w, struct str input_id);
void message_wait_release(struct message_wait *w);
/* Forgets what was said, keeps which turn it is: to be fed again from that turn's beginning. */
void message_wait_rewind(struct message_wait *w);
/* The next event of the log. True: it belongs to the message's turn, or ended the wait. */
bool message_wait_apply(struct message_wait *w, const struct event *ev);
/* A message of the turn grows; piece is new text. started: it is another one than before. */
void message_wait_preview(struct message_wait *w, struct str event_id, struct str piece);
bool message_wait_is_over(const struct message_wait *w);

/* What there is so far, the message being written included. Lives in a. */
struct str message_wait_text(const struct message_wait *w, struct arena *a);
/* "text", "tool_calls", "stop_reason", "usage" into the open object. */
void message_wait_write(const struct message_wait *w, struct jw *out, struct arena *scratch);

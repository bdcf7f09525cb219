/* replay - what does this log add up to?
 * Folds events, one at a time and in order, into the session's state, counters, queue, open calls
 * and transcript: the same projections a store keeps in its own way, so that `check` can compare.
 * A log that breaks a rule (a gap, an input consumed twice, a call closed twice, an illegal move)
 * is refused with ERR_CORRUPT and the seq at fault; the replay must not be used after that.
 *
 * Log order is not model order: an input stands in the transcript where it was consumed. Numbers in
 * parentheses below are the points of docs/EVENTS.md, "Inputs and turns". */
#pragma once
#include "base/err.h"
#include "base/sha256.h"
#include "base/str.h"
#include "core/event.h"
#include "core/input.h"
#include "core/session.h"
#include "core/usage.h"
#include <stdbool.h>
#include <stdint.h>

struct replay;

struct replay *replay_new(void);
void replay_free(struct replay **r);
/* ev->seq must follow the last one. Text is copied; ev may go afterwards. */
NODISCARD int replay_apply(struct replay *r, const struct event *ev, struct err *e);

enum { PREVIEW_CHARS = 80, PREVIEW_BYTES = PREVIEW_CHARS * 4 };

struct replay_counters {
	int64_t messages; /* user.message and agent.message; never lowered */
	int64_t completed_turns;
	struct usage usage;
	int64_t total_tokens;
	int64_t last_prompt_tokens; /* what the last request sent, cached tokens included */
	int64_t cost_picodollars;
	int64_t priced_requests, unpriced_requests;
	int64_t last_activity_ms; /* inputs and what the agent did; bookkeeping does not count */
};

struct replay_session {
	int64_t head_seq;
	struct sha256 head_hash;
	struct session_state state;
	bool deleted;
	enum stop_kind last_stop;
	struct str turn;           /* the open turn's id; empty when none is open */
	int64_t turn_seq;          /* seq of the open turn's first status_running */
	int64_t attempt;           /* of the open turn: 0 until rescheduled */
	struct str title;          /* empty: none */
	struct str fallback_title; /* first line of the first message, shortened */
	struct replay_counters counters;
	char preview[PREVIEW_BYTES + 1]; /* last message on one line, shortened */
};

struct replay_input {
	struct str id;
	int64_t seq;
	enum event_kind kind;
	struct input_meta meta;
	int64_t created_at_ms;
	int64_t processed_at_ms; /* instant of the consuming event; 0: pending */
	int64_t content_seq;     /* the event that holds its content: itself, or its last edit */
	bool cancelled;
};

enum call_state {
	CALL_WAITS_APPROVAL, /* asked, no confirmation consumed yet */
	CALL_WAITS_RESULT,   /* a client executes it */
	CALL_STARTED,        /* the server executes it: recovery closes these and no others (11) */
	CALL_DENIED,         /* denied by a person; its result is still to be written */
	CALL_CLOSED,
};
struct replay_call {
	struct str id; /* of the tool_use event */
	int64_t seq;
	enum event_kind kind;
	enum call_state state;
	bool client_side;
	struct str answer_id; /* accepted but not consumed yet; empty: none */
	int64_t closed_seq;   /* the event that closed it; 0: open */
};

enum item_role { ITEM_USER, ITEM_ASSISTANT, ITEM_TOOL, ITEM_SYSTEM, ITEM_SUMMARY };
/* One entry of the transcript; it holds no text but points to its event. */
struct replay_item {
	int64_t seq;         /* its event */
	int64_t content_seq; /* the event that holds its content (edited inputs) */
	int64_t at_seq;      /* place: seq of the consuming event, 0 = not placed yet */
	int32_t at_index;    /* then index; a summary stands before its index (sub order -1) */
	enum item_role role;
	bool rewound;
	int64_t archived_by_seq; /* the compaction that summarised it; 0: in view */
};

const struct replay_session *replay_session(const struct replay *r);
/* Every input of the log in seq order, processed ones too. */
const struct replay_input *replay_inputs(const struct replay *r, size_t *count);
/* Every call of the open turn, closed ones too; none between turns. */
const struct replay_call *replay_calls(const struct replay *r, size_t *count);
/* In the order the model sees them; rewound, archived and unplaced ones included and marked.
 * Sorted on demand: the pointer is good until the next apply. */
const struct replay_item *replay_items(struct replay *r, size_t *count);
/* NULL when no input has that id. */
const struct replay_input *replay_input_find(const struct replay *r, struct str id);

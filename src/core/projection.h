/* projection - the rows that a session's log adds up to. Types only: core/replay makes them by folding
 * the log, a store keeps them in its own way, and `check` compares the two. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/sha256.h"
#include "base/str.h"
#include "core/event.h"
#include "core/input.h"
#include "core/session.h"
#include "core/title_source.h"
#include "core/usage.h"

enum { PREVIEW_CHARS = 80, PREVIEW_BYTES = PREVIEW_CHARS * 4 };

struct session_counters {
	int64_t messages; /* user.message and agent.message; never lowered */
	int64_t completed_turns;
	struct usage usage;
	int64_t total_tokens;
	int64_t last_prompt_tokens; /* what the last request sent, cached tokens included */
	int64_t cost_picodollars;
	int64_t priced_requests, unpriced_requests;
	int64_t last_activity_ms; /* creation, inputs, what the agent did; no bookkeeping */
};

struct session_row {
	int64_t head_seq;
	struct sha256 head_hash;
	struct session_state state;
	bool deleted;
	enum stop_kind last_stop;
	struct str turn;  /* the open turn's id; empty when none is open */
	int64_t turn_seq; /* seq of the open turn's first status_running; 0: none */
	int64_t attempt;  /* of the open turn: 0 until rescheduled */
	struct str title; /* empty: none */
	enum title_source title_source;
	struct str fallback_title; /* first line of the first message, shortened */
	struct session_counters counters;
	char preview[PREVIEW_BYTES + 1]; /* last message on one line, shortened */
};

struct input_row {
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
	CALL_STARTED,        /* the server executes it: recovery closes these and no others */
	CALL_DENIED,         /* denied by a person; its result is still to be written */
	CALL_CLOSED,
};
struct call_row {
	struct str id; /* of the tool_use event */
	int64_t seq;
	enum event_kind kind;
	enum call_state state;
	bool client_side;
	struct str answer_id; /* accepted but not consumed yet; empty: none */
	int64_t closed_seq;   /* the event that closed it; 0: open */
};

enum item_role { ITEM_USER, ITEM_ASSISTANT, ITEM_TOOL, ITEM_SYSTEM, ITEM_SUMMARY };
/* One entry of the transcript; it holds no text but points to its event. What a fork inherited stands
 * before everything of its own, and seqs are those of the log it came from: depth says which. A summary
 * at seq 1 stands before all: its kept part begins in what was inherited. */
struct item_row {
	int64_t seq;         /* its event */
	int64_t content_seq; /* the event that holds its content (edited inputs) */
	int64_t at_seq;      /* place: seq of the consuming event; 0: not placed yet */
	int32_t at_index;    /* then index; a summary stands before what shares its place */
	enum item_role role;
	bool rewound;
	int64_t archived_by_seq; /* the compaction that summarised it; 0: in view */
	int32_t depth;           /* 0: of this log; 1: of the session it was forked from; … */
};
enum { ITEM_TOP_SEQ = 1 };

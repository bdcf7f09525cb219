/* event - the closed set of things that can stand in a session's log, and what each must carry.
 *
 * An event is an envelope (seq, id, kind, instant, author, turn, meta) around a payload: the JSON
 * object as received, or as core/event_make wrote it, always with its "type". docs/EVENTS.md is the
 * same table for people. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/err.h"
#include "base/json.h"
#include "base/sha256.h"
#include "base/str.h"

enum { EVENT_FORMAT = 1 }; /* version of this set; a log names the one it was written with */

enum event_kind {
	EVENT_USER_MESSAGE,
	EVENT_USER_INTERRUPT,
	EVENT_USER_TOOL_CONFIRMATION,
	EVENT_USER_TOOL_RESULT,
	EVENT_USER_CUSTOM_TOOL_RESULT,
	EVENT_USER_DEFINE_OUTCOME,
	EVENT_SYSTEM_MESSAGE,
	EVENT_AGENT_MESSAGE,
	EVENT_AGENT_THINKING,
	EVENT_AGENT_TOOL_USE,
	EVENT_AGENT_TOOL_RESULT,
	EVENT_AGENT_CUSTOM_TOOL_USE,
	EVENT_AGENT_MCP_TOOL_USE,
	EVENT_AGENT_MCP_TOOL_RESULT,
	EVENT_AGENT_CONTEXT_COMPACTED,
	EVENT_SESSION_CREATED,
	EVENT_STATUS_RUNNING,
	EVENT_STATUS_IDLE,
	EVENT_STATUS_RESCHEDULED,
	EVENT_STATUS_TERMINATED,
	EVENT_THREAD_CREATED,
	EVENT_THREAD_STATUS_RUNNING,
	EVENT_THREAD_STATUS_IDLE,
	EVENT_THREAD_STATUS_RESCHEDULED,
	EVENT_THREAD_STATUS_TERMINATED,
	EVENT_INPUT_CONSUMED,
	EVENT_INPUT_EDITED,
	EVENT_INPUT_CANCELLED,
	EVENT_SESSION_UPDATED,
	EVENT_SESSION_USAGE,
	EVENT_SESSION_ERROR,
	EVENT_SESSION_RESET,
	EVENT_SESSION_CHECKPOINT,
	EVENT_SESSION_REWOUND,
	EVENT_SESSION_FORKED,
	EVENT_SESSION_DELETED,
	EVENT_MODEL_REQUEST_START,
	EVENT_MODEL_REQUEST_END,
	EVENT_CHANNEL_MESSAGE_SENT,
	EVENT_SCHEDULE_FIRED,
};
enum { EVENT_KINDS = EVENT_SCHEDULE_FIRED + 1 };

enum event_author { AUTHOR_USER, AUTHOR_AGENT, AUTHOR_TOOL, AUTHOR_SYSTEM };

struct event {
	int64_t seq; /* dense from 1; 0 until the store has assigned it */
	struct str id;
	enum event_kind kind;
	enum event_author author;
	int64_t created_at_ms;
	struct str turn;    /* turn id; empty: none (an input's own turn stays empty) */
	struct str meta;    /* JSON object of core/input; empty: none */
	struct str payload; /* JSON object with "type" */
};

/* A payload may be larger than a request: a tool's output of 64 MiB is one event. */
extern const struct json_limits EVENT_PAYLOAD_LIMITS;
/* Of what others wrote and a payload is to hold: the payload around it must fit too. */
extern const struct json_limits EVENT_PART_LIMITS;

/* "user.message", "session.status_idle", ... */
const char *event_type(enum event_kind k);
bool event_kind_parse(struct str type, enum event_kind *out);
const char *event_author_name(enum event_author a);
/* The author an event of this kind has unless the server speaks for somebody else. */
enum event_author event_usual_author(enum event_kind k);

/* The payload is complete and well-formed for its kind: every required field there, every field of
 * its shape, none unknown. Errors name the path inside payload. */
NODISCARD int event_check(struct json payload, enum event_kind *kind, struct err *e);
/* As event_check, and a client may send it. */
NODISCARD int event_check_client(struct json payload, enum event_kind *kind, struct err *e);

/* Chains ev (with its seq) to the hash before it; the first event follows 32 zero bytes. Every part
 * is length-prefixed, so no two envelopes share their bytes. processed_at is no part of it. ctx is
 * scratch, reused between calls. */
struct sha256
event_hash(struct sha256_ctx *ctx, const struct sha256 *previous, const struct event *ev);

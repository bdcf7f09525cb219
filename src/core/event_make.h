/* event_make - the canonical bytes of every event the server makes.
 * One function per kind; each writes the whole payload, "type" first, members in the order of the
 * header, absent ones left out. What it writes passes event_check by construction. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/buf.h"
#include "base/str.h"
#include "core/event.h"
#include "core/session.h"
#include "core/usage.h"

struct make_created {
	struct str agent_id;
	int64_t agent_version;
	struct str environment_id;
	struct str source; /* JSON object */
	bool group;
	struct str workspace_id, lane_key, parent_session_id, previous_session_id,
		title;       /* or empty */
	struct str metadata; /* JSON object, or empty */
	struct str notice;   /* what people are told of why it began, or empty */
};
void event_make_created(struct buf *out, const struct make_created *m);

/* model: that its message asked for; empty: none. */
void event_make_running(struct buf *out, struct str turn, struct str_list consumes,
			struct str_list wakes, struct str model);
/* waits_for: the calls of a requires_action, else empty. */
void event_make_idle(struct buf *out, struct str turn, enum stop_kind stop,
		     struct str_list waits_for, struct str_list consumes);
/* retry_at_ms 0: at once. */
void event_make_rescheduled(struct buf *out, struct str turn, struct str reason, int64_t attempt,
			    int64_t retry_at_ms);
/* turn empty: none was open. */
void event_make_terminated(struct buf *out, struct str turn, struct str reason,
			   struct str_list consumes);
void event_make_input_consumed(struct buf *out, struct str turn, struct str_list consumes);
/* content: JSON array of blocks. */
void event_make_input_edited(struct buf *out, struct str input_id, struct str content);
/* An empty list cancels all. */
void event_make_input_cancelled(struct buf *out, struct str_list ids);

void event_make_agent_message(struct buf *out, struct str text, struct str model, bool interrupted);
void event_make_thinking(struct buf *out, struct str text, struct str provider_data);

struct make_tool_use {
	enum event_kind kind; /* tool_use, custom_tool_use or mcp_tool_use */
	struct str name, mcp_server_name;
	struct str mcp_tool_name; /* what that server calls it; logged where name is another */
	struct str input;         /* JSON object */
	struct str permission;    /* allow | ask | deny, or empty */
	struct str policy;        /* always_allow | always_ask | auto; empty: it was not judged */
	struct str digest;        /* of what was judged, hex */
	struct str call_id;       /* the provider's own id for the call, or empty */
	bool client_side;         /* a tool_use that a client's worker executes */
};
void event_make_tool_use(struct buf *out, const struct make_tool_use *m);

enum tool_outcome {
	OUTCOME_OK,
	OUTCOME_ERROR,
	OUTCOME_DENIED,
	OUTCOME_CANCELLED,
	OUTCOME_INTERRUPTED,
	OUTCOME_TIMEOUT,
};
const char *tool_outcome_name(enum tool_outcome o);
/* The result of a server-side call: mcp says whose field names it. Everything but ok is an error. */
void event_make_tool_result(struct buf *out, bool mcp, struct str call_event_id,
			    enum tool_outcome outcome, struct str text);
/* Written by expiry, allow-always and the non-interactive default in a person's stead. */
void event_make_confirmation(struct buf *out, struct str call_event_id, bool allow,
			     struct str deny_message);

void event_make_request_start(struct buf *out, struct str model, struct str prefix_hash);
/* cost_picodollars is negative when the model has no known price. */
void event_make_request_end(struct buf *out, struct str start_id, bool is_error,
			    const struct usage *usage, int64_t cost_picodollars);
/* retry: "retrying", "exhausted" or "terminal". */
void event_make_error(struct buf *out, struct str type, struct str message, struct str retry);
/* An MCP server whose tools are missing; the next turn asks it again. */
void event_make_server_error(struct buf *out, struct str type, struct str message,
			     struct str mcp_server_name);
void event_make_usage(struct buf *out, const struct usage *usage, int64_t cost_picodollars);

void event_make_lifecycle(struct buf *out, enum lifecycle to, struct str reason);
void event_make_title(struct buf *out, struct str title, struct str source);
/* reason: idle, daily, suspended or manual; new_session_id may be empty. */
void
event_make_reset(struct buf *out, struct str reason, enum lifecycle to, struct str new_session_id);
struct make_compacted {
	struct str summary, kept_from_id, profile;
	int64_t tokens_before, tokens_after;
};
void event_make_compacted(struct buf *out, const struct make_compacted *m);
void event_make_compaction_undone(struct buf *out, struct str undoes_id);
void event_make_checkpoint(struct buf *out, struct str reason, bool success, int64_t upto_seq,
			   struct str summary);
void event_make_rewound(struct buf *out, struct str target_id, int64_t turns_undone);
void event_make_forked(struct buf *out, struct str parent_session_id, int64_t at_seq);
void event_make_deleted(struct buf *out);
void event_make_thread_created(struct buf *out, struct str thread_id, struct str agent_name);
/* kind: one of the thread_status kinds; stop only matters for idle. */
void event_make_thread_status(struct buf *out, enum event_kind kind, struct str thread_id,
			      struct str agent_name, enum stop_kind stop);
void event_make_channel_sent(struct buf *out, struct str channel, struct str to,
			     struct str source_event_id, struct str message_id);
/* content: JSON array of blocks. */
void event_make_schedule_fired(struct buf *out, struct str schedule_id, int64_t slot_ms,
			       struct str content);

/* lane_entry - what is known of a lane: its current session, where it came from, its counters and the
 * flags that the next message is resolved by.
 *
 * One per lane, kept as a record and exported as a row of sessions.json: the first 25 members are
 * those of that file, the rest is what a server with several agents and surfaces needs besides. The
 * counters are those of the session's log; an entry that is shown or exported gets them from there. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "base/json_write.h"
#include "base/str.h"
#include "core/input.h"
#include "core/projection.h"
#include "core/recover_policy.h"
#include "core/reset_policy.h"
#include "core/source.h"

struct lane_entry {
	struct str session_key; /* the lane's text; never empty */
	struct str session_id;  /* the current session; never empty */
	int64_t created_ms;     /* when that session became the lane's */
	int64_t updated_ms;     /* last activity: what idleness is counted from */
	bool has_origin;
	struct source origin;    /* of the message that opened the lane */
	struct str display_name; /* the chat's; empty: none */
	struct str platform;     /* empty: none; with chat_type, what reset policies go by */
	enum source_chat_type chat_type;
	int64_t input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, total_tokens;
	double estimated_cost_usd;
	struct str cost_status; /* "unknown" when nothing is known */
	int64_t last_prompt_tokens;

	struct reset_marks reset; /* of an automatic reset, taken once */
	bool is_fresh_reset;   /* somebody asked for the new session; taken once, like the marks */
	bool expiry_finalized; /* its resources were put away: not again for this session */
	struct recover_mark recover; /* suspended, resume_pending, its reason and instant */

	struct str agent_id;
	struct str workspace_id; /* empty: none */
	bool shared;             /* several people speak in it */
	/* Of a lane by composite key; the surface is empty for one by source descriptor. */
	struct str surface, surface_id, user_id;
	struct str previous_session_id; /* what it replaced: where undoing a reset goes; or empty */
	int64_t finalize_attempts;      /* failed ones in a row */
	bool has_busy;
	enum busy_mode busy; /* of messages that name none; else the platform's counts */
};

/* Reads an entry. Members that are absent or null are at their default, unknown ones are passed over
 * (a file of another make has some); an instant without an offset is UTC. Texts stay in the document
 * or in a. On error *out is untouched. */
NODISCARD int
lane_entry_read(struct json v, struct arena *a, struct lane_entry *out, struct err *e);
/* One JSON object with every member, absent ones as null: reading it gives an equal entry. */
void lane_entry_write(const struct lane_entry *lane, struct jw *w);
/* Its members alone, into an object that is open. */
void lane_entry_write_members(const struct lane_entry *lane, struct jw *w);

/* Not active since before_ms, and nothing keeps it: suspended and busy ones stay. */
bool lane_entry_is_stale(const struct lane_entry *lane, int64_t before_ms, bool busy);
/* The counters of the current session, once its log has any, and its activity where that is the later
 * one. */
void lane_entry_count(struct lane_entry *lane, const struct session_counters *c);

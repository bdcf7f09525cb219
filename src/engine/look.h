/* look - what is pending or open in a session: everything that engine/wake decides on, read once.
 * A session at rest costs two reads (itself with its queue, its wakes), two more where users have budgets
 * and messages wait; an open turn that nobody runs costs its history too, and open questions the rules
 * that may answer them. */
#pragma once
#include "core/queue_policy.h"
#include "core/turn_history.h"
#include "engine/actor.h"
#include "engine/context.h"
#include "engine/pause.h"
#include "engine/wake_queue.h"

struct look {
	struct engine *en;
	struct arena arena; /* holds everything below; a turn that starts takes it along */
	struct str session_id;
	bool found; /* the session is there and not deleted */
	struct store_session session;
	VEC(struct input_row) pending; /* seq order */

	struct pauses pauses;   /* since turns that no money was left for */
	struct wake_list wakes; /* unless triggers go first, or running_here */

	/* with an open turn */
	bool has_history;
	struct turn_history history;
	VEC(struct call_row) calls;
	struct approval_rules
		rules; /* of agent, operator and session; only if a parked turn has questions */
	bool has_partial;
	struct str partial_id, partial_text, partial_model;

	bool running_here; /* asked by a turn of this process: no need for what it knows itself */
	int64_t last_seq;  /* of the history read so far */
	void (*done)(void *ctx, int rc, const struct err *err);
	void *ctx;
};

/* done never comes from inside; look_free afterwards. */
struct look *look_start(struct engine *en, struct str session, bool running_here,
			void (*done)(void *ctx, int rc, const struct err *err), void *ctx);
void look_free(struct look **l);
/* Moves everything that lives in the look's arena to the caller. */
struct arena look_take_arena(struct look *l);

/* A call that waits for a person, and nobody has said anything yet. */
bool look_is_question(const struct call_row *call);
/* The open turn's calls that have no result yet; in a. */
struct turn_call *look_calls(const struct look *l, struct arena *a, size_t *count);
/* What of it concerns the open turn; in a. */
struct turn_inputs look_inputs(const struct look *l, struct arena *a, int64_t now_ms);
/* The triggers [first, first + count) of look_queue, with what is bound to them, in seq order. */
struct str_list look_consumes(const struct look *l, struct arena *a, size_t first, size_t count);
/* Whose message the first of these inputs is; empty: no user's of ours. */
struct str look_user(const struct look *l, struct str_list inputs);
/* The model that these inputs ask for; empty: none. */
struct str look_model(const struct look *l, struct str_list inputs);
struct queue_mark look_mark(const struct look *l);
/* The pending triggers, in seq order; held are those that wait for money. */
struct queue_input *look_queue(const struct look *l, struct arena *a, size_t *count);

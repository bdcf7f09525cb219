/* rollover - one conversation ends and the next begins, in one transaction: the old session's end, its
 * session.reset and the new session's session.created, linked both ways, are all there or none is. What
 * the model and people are told of an automatic one stands in the new log, so it is told once.
 *
 * Automatic causes (idle, daily) wait for nobody: they fail with ERR_CONFLICT when a turn is open or a
 * trigger is pending, checked in the transaction. The others end from outside: the fence is bumped, open
 * calls get cancelled results, the message being written is kept as far as it came, the queue is
 * cancelled, wakes are dropped, and a turn that runs here stops. */
#pragma once
#include "core/lane_entry.h"
#include "core/reset_policy.h"
#include "engine/commit.h"

enum rollover_cause { ROLLOVER_IDLE, ROLLOVER_DAILY, ROLLOVER_SUSPENDED, ROLLOVER_MANUAL };
/* "idle", "daily", "suspended", "manual": session.reset's reason. */
struct str rollover_cause_name(enum rollover_cause cause);

/* What is about to be written. */
struct rollover_step {
	const struct store_session *old; /* as it was read just now */
	struct str new_id;
	struct commit *ending;    /* the old session's part; takes puts, keys and repeats */
	struct commit *beginning; /* the new session's, behind its session.created */
	struct reset_marks marks; /* for the lane, of an automatic one */
};

struct rollover {
	struct str old;
	enum rollover_cause cause;
	bool to_inactive;    /* the old one becomes inactive, not archived: /new without a lane */
	struct str new_id;   /* empty: one is made, dated, with the old one's platform before it */
	struct str lane_key; /* of the new session; empty: the old one's */
	bool group;          /* the new one is a group's; or if the old one is */
	bool reopens; /* new_id is there already: it becomes active again and goes on (undo) */
	bool notify; /* people are told of an automatic one, if the policy of the lane says so ... */
	bool quiet_platform; /* ... and its platform ever gets notices */
	/* Adds what changes with it (the lane's record, keys, a first message). Called once for each try,
	 * right before the commit; texts are copied. Anything but 0 ends the rollover with that. NULL:
	 * nothing more. */
	int (*add)(void *ctx, const struct rollover_step *step, struct err *e);
};

struct rollover_over {
	int rc; /* 0, STORE_REPLAYED (of a key that add brought), or why nothing happened */
	const struct err *err;
	struct str new_id; /* of a replay: the key's answer */
	struct reset_marks marks;
	const struct commit_result *result; /* NULL unless something was committed */
};
typedef void rollover_fn(void *ctx, const struct rollover_over *over);

/* What a lane becomes with it: the new session is its current one, the old one where undoing goes back
 * to, and whatever was said of the old one is forgotten. For add; texts are the step's. */
void rollover_move_lane(struct lane_entry *entry, const struct rollover_step *step, int64_t now_ms);
/* The first turn of a session begins: its lane's marks are taken. */
void rollover_take_marks(struct engine *en, const struct store_session *session);

/* Texts of *r must stay until done, which never comes from inside; ctx goes to add as well. A conflict is
 * tried again while it is the old log that moved; a conflict of what add brought is told. */
void rollover_run(struct engine *en, const struct rollover *r, rollover_fn *done, void *ctx);

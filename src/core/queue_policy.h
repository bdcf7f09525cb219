/* queue_policy - the session is busy: accept, wait, steer, interrupt or refuse? And when it is free:
 * what runs next?
 * Pure: the caller hands over the pending triggers in seq order and the facts of the turn. Nothing
 * here drops or overwrites a message: whatever was admitted stays until a turn consumes it or a
 * logged event cancels it. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"
#include "base/str.h"
#include "core/input.h"
#include "core/session.h"

enum { QUEUE_DEPTH_DEFAULT = 20, QUEUE_QUIET_MS_DEFAULT = 1500 };

/* A pending trigger as the queue sees it. */
struct queue_input {
	int64_t seq, created_at_ms, due_at_ms;
	enum busy_mode busy;
	struct str sender, group;
	bool media;
	bool held; /* its sender's budget is reached: the others go past it */
};

/* Which triggers are pending, told apart from any other moment: each one that comes stands behind those
 * before, so as long as none is newer and none fewer they are the same. */
struct queue_mark {
	int64_t count, last_seq; /* last_seq 0: there is none */
};

struct queue_facts {
	enum turn_phase phase;
	bool interrupt_pending; /* a user.interrupt hits the open turn and is not consumed yet */
	bool answer_pending;    /* the open turn has an answer to consume */
	bool paused;            /* budget reached: triggers wait until it is raised */
	bool wake_due;
	int64_t now_ms;
	int64_t quiet_ms; /* collect: this long without a further message of the sender */
};

/* Messages that wait: all pending triggers, less the next one when no turn is open. */
size_t queue_depth(size_t pending, bool turn_open);

enum queue_pick {
	PICK_NOTHING,
	PICK_INTERRUPT, /* end the open turn: an interrupt hit it while nobody was running it */
	PICK_OPEN_TURN, /* go on with the open turn: rescheduled, or answers to consume */
	PICK_TRIGGERS,  /* start a turn with inputs [first, first + count) */
	PICK_WAKES,     /* start a turn for the due wakes */
};
struct queue_plan {
	enum queue_pick pick;
	size_t first, count;
	int64_t look_again_ms; /* instant at which waiting alone changes the answer; 0: never */
};
/* Before a pick: of what is held the oldest may go, its budget reached or not, once that is more than half
 * of what the queue holds. It ends at once, and the others keep their room. */
void queue_let_go(struct queue_input *inputs, size_t count, size_t max_depth);
/* What a wake of this session does. inputs: the pending triggers in seq order. Order: the open turn,
 * then the lowest-seq interrupt trigger, then the lowest-seq trigger, then due wakes. */
struct queue_plan
queue_pick(const struct queue_input *inputs, size_t count, const struct queue_facts *f);

/* At a step border (all results committed, before the next model request): indexes of the triggers
 * that steer the running turn, in seq order, into out (room for count). Returns how many. None that is
 * held: another one's budget would pay for it. */
size_t queue_steers(const struct queue_input *inputs, size_t count, int64_t now_ms, size_t *out);

/* turn - one turn that runs here: carries out the effects of core/turn_machine and translates what
 * happens (commits, the model, tools, timers) into its inputs. */
#pragma once
#include "core/turn_machine.h"
#include "engine/actor.h"
#include "engine/context.h"
#include "engine/own_tool_directive.h"
#include "engine/spending.h"
#include "engine/wake_queue.h"

/* The text of a message that is being written, so that a crash keeps what was said. id: session,
 * owner: turn; body {"event_id","model","text"}. Written only by the holder of the lease. */
#define RECORD_PARTIAL STR("partial")

struct turn_over {
	enum turn_finish finish;
	int64_t fence;  /* what it held; 0: never anything */
	int64_t orphan; /* of a lease that is, or may be, held by nobody's turn; 0: there is none */
	bool failed;    /* the store could not do what it was asked, rather than would not */
	bool succeeded; /* it ended, and well */
	bool rests;     /* it left the session nothing to do */
	bool in_lane;
};
/* The turn is off its actor when it is called; the actor may be gone afterwards. */
typedef void turn_over_fn(struct actor *actor, const struct turn_over *over);

struct turn_begin {
	struct turn_plan plan;
	struct context_setup setup;   /* kept; becomes the turn's */
	struct wake_list wakes;       /* that started it */
	struct directive_order order; /* of an open turn: what it asked for before */
	struct arena arena;           /* what they point to; becomes the turn's */
	int64_t head_seq;             /* of the log the plan was made from */
	int64_t fence;                /* of the session then */
	bool shared, in_lane;
	bool inactive;   /* the session is */
	struct str user; /* who pays; empty: nobody in particular */
	int64_t spent;   /* by the session so far */
	int64_t orphan;  /* fence of the lease it is to break; 0: none */
	turn_over_fn *over;
};
/* actor->turn is set when it returns; over comes later, never from inside. */
void turn_start(struct actor *actor, const struct turn_begin *begin);

/* What a look at the session showed. */
struct turn_sight {
	struct turn_inputs inputs;
	int64_t fence;
};
/* NULL: it could not be read. */
void turn_see(struct turn *t, const struct turn_sight *sight);
/* The server stops or restarts: put it off. */
void turn_drain(struct turn *t, enum recover_reason why);
/* What is to be done with its terminal, in place of what was asked for before; texts in its arena. */
void turn_direct(struct turn *t, const struct directive_order *order);
struct wake_list turn_wakes(const struct turn *t); /* that started it */
struct arena *turn_arena(struct turn *t);
struct str turn_id(const struct turn *t);
struct str turn_model(const struct turn *t); /* as the log names it */

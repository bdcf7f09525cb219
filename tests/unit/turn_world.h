/* turn_world - a turn machine with the world around it that a test needs: a log that core/replay
 * accepts or refuses, a lease, timers, a model and tools that do what the test says.
 *
 * Scripts are steps separated by ';', so that a row shows a whole turn on a few lines:
 *   open MSG...           a machine for a new turn that consumes MSG
 *   go                    one that goes on with the open turn, as the log has it
 *   crash                 the process dies; the next machine recovers
 *   ok | refuse | lose    the answer to the commit on its way (lose: the lease is another's)
 *   ctx | noctx           the transcript was read, or cannot be
 *   text T, think T, sign T, call NAME [ARGS], lost NAME, done [refusal|length|cut],
 *   fail KIND [RETRY_AFTER_MS]
 *   tool NAME OUTCOME     the first running call of that tool ends
 *   at MS                 the clock moves on; due timers fire
 *   look                  what is pending reaches the machine
 *   drain [restart]       the server stops, or restarts
 *   forbid                the next machine's rules deny every tool
 * Anything else is an input for the log (replay_log.h); a word $NAME stands for the id of the last call
 * of that tool. The trace of effects is a text; see the rows of test_turn_machine. */
#pragma once
#include "base/buf.h"
#include "core/replay.h"
#include "core/turn_history.h"
#include "core/turn_machine.h"
#include "harness.h"

struct world_tool {
	struct str id, name;
	unsigned machine; /* of a start: which one made it */
};

struct world {
	struct arena arena;
	struct replay *replay;
	VEC(struct event) log;
	int64_t now_ms;
	struct turn_plan plan; /* what open and go start from; a test may set limits and tools */
	struct turn_machine *machine;
	unsigned turns; /* opened */
	uint64_t seed;
	bool held; /* the lease */
	bool dead; /* the last holder died in the middle */
	int64_t plan_head;

	bool committing, asking, reading;
	struct turn_effect commit;
	unsigned request;
	int64_t due_ms[TURN_TIMERS]; /* 0: not armed */
	VEC(struct world_tool) running;
	VEC(struct world_tool) called; /* every call of the log */
	VEC(struct world_tool)
	started; /* every start of a tool: one a call, unless it may be repeated */
	unsigned machines;
	bool has_partial;
	struct str partial_id, partial_text;
	bool over;
	enum turn_finish finish;
	size_t finishes; /* effects TURN_DO_FINISH of this machine */
	struct buf trace;
};

void world_init(struct world *w, uint64_t seed);
void world_release(struct world *w);
/* Runs a script; fails the test on a step that makes no sense. */
void world_run(struct world *w, const char *script);
/* One step of a machine's own: its effects are carried out and traced. */
void world_input(struct world *w, struct turn_input in);
/* 0, or the refusal of what the machine wanted to commit. */
int world_commit(struct world *w, struct err *e);
/* The pieces that scripts are made of: an input into the log; a machine for a new turn, for the open
 * one; the machine's end, whatever it was doing. */
int world_append(struct world *w, const struct event *ev, struct err *e);
void world_open(struct world *w, struct str consumes);
void world_go_on(struct world *w);
void world_drop_machine(struct world *w);
/* What is pending for the open turn, as engine/wake reads it. */
struct turn_inputs world_pending(struct world *w);
struct queue_mark world_queue(const struct world *w);
/* Ends of turns in the log: terminals and status_terminated. */
size_t world_terminals(const struct world *w);

/* loop_guard - is the model repeating itself?
 * Three identical consecutive tool calls of one turn (core/call_digest) are a repetition: the
 * first one found warns the model, the next one ends the turn. Parallel calls of one step count
 * one by one, but a step gives one verdict, so that the model always sees the warning before the
 * turn can end. Pure state: a new turn starts from loop_guard_init. */
#pragma once
#include <stdbool.h>
#include "base/sha256.h"

enum { LOOP_GUARD_REPEATS = 3 };

enum loop_verdict {
	LOOP_NONE,
	LOOP_WARN, /* inject loop_guard_warning() before the next model request */
	LOOP_END,  /* stop reason limit_reached{loop} */
};

struct loop_guard {
	struct sha256 last;
	unsigned run;  /* identical calls up to and including the last one */
	bool repeated; /* the step being observed reached a run of LOOP_GUARD_REPEATS */
	bool warned;   /* for the rest of the turn */
};

void loop_guard_init(struct loop_guard *g);
/* One call of the current step, in the model's order. */
void loop_guard_call(struct loop_guard *g, const struct sha256 *digest);
/* The step is complete. A run goes on across steps: after a warning, one more identical call is a
 * repetition again. A different call starts a new run but does not take the warning back. */
enum loop_verdict loop_guard_step(struct loop_guard *g);
/* What the model is told. */
struct str loop_guard_warning(void);

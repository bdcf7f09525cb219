/* turn_recover - a turn is open and nobody runs it: does it go on? Gathers what core/recover_policy wants
 * to know: the mark of its lane, how old it is, and whether whoever started it may still speak there. */
#pragma once
#include "core/recover_policy.h"
#include "engine/look.h"

/* Did the process that ran it die in the middle, or was it put off in good order? */
bool turn_recover_was_cut_short(const struct look *l);

/* rc 0: that is the plan. */
typedef void
turn_recover_fn(void *ctx, int rc, const struct err *err, const struct recover_turn_plan *plan);
/* The look must stay until done, which never comes from inside. */
void turn_recover_judge(struct look *l, turn_recover_fn *done, void *ctx);

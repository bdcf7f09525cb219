/* turn_refusal - a turn that must not begin: what it was to answer is taken back, with the reason in the
 * log; wakes are tried again later, like those of a turn that failed. */
#pragma once
#include "engine/wake_queue.h"

struct turn_refused {
	struct str session;
	struct str_list inputs; /* triggers that it was to consume */
	struct wake_list wakes; /* that were to start it */
	struct str reason;
};
/* Ready to be submitted. */
struct commit *turn_refusal_write(struct engine *en, const struct turn_refused *what);

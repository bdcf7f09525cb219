/* scenario - a fixed course through the store port, the same in every sweep: sessions, keyed messages
 * sent together, a turn with a large tool result and a steered message, a turn that parks and goes
 * on, edits of the queue, records, lifecycle. An item that fails ends what depends on it; the rest
 * goes on, as the engine would. */
#pragma once
#include "trial.h"

/* Sends everything to t->store and waits for the answers; false when an answer never came. */
NODISCARD bool scenario_run(struct trial *t);
/* One keyed message of some bytes to the first session; for asking whether writes work. */
struct trial_item *scenario_probe(struct trial *t);

/* sim_rest - what must hold once everything has come to rest: the store's rows are what a fresh
 * core/replay of the logs adds up to. */
#pragma once
#include "sim_world.h"

void sim_rest_judge_rows(struct world *w);
/* No wake is due and still there. */
void sim_rest_judge_wakes(struct world *w);
/* Of all logs. */
struct sha256 sim_rest_hash(struct world *w);

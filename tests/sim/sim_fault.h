/* sim_fault - what goes wrong in a run: which faults a seed turns on, and one of them now. */
#pragma once
#include "sim_world.h"

/* A random part of what there is: runs with few faults go deeper, runs with many wider. */
void sim_fault_draw_rules(struct world *w);
/* A crash, a takeover, a drain, or the clock. */
void sim_fault_inject(struct world *w);
/* After each step: a process that a crash brought down may fall again soon after it began anew. */
void sim_fault_fall_again(struct world *w);

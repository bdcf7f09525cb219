/* descendants - the processes below ours: how many, and signals to them.
 * Read from /proc: what is started while it is read may be missed, so whoever ends them all goes on
 * until there are none. */
#pragma once
#include <stddef.h>

/* Tasks (processes and their threads) below this one; counting stops above max. */
size_t descendants_count(size_t max);
/* To those at least `depth` generations down: 1 is a child of ours. Parents first. */
void descendants_signal(int signal, unsigned depth);
/* Kills and reaps until none is left: those who were orphaned count too, if this process is their
 * reaper. Gives up after wait_ms. */
void descendants_end(int wait_ms);

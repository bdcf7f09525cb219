/* virtual_host - a base/host whose clock stands still until it is told to move.
 * virtual_host_settle runs what is deferred and what the store has to say until nothing is left and
 * the store owes no answer, however slow its disk is; virtual_host_advance moves the clock and fires
 * the timers on the way, in order, and settles before each: time passes only when all is silent. */
#pragma once
#include "base/host.h"
#include "store/store.h"

struct virtual_host {
	struct host host;
	int64_t now_ms;
	struct list tasks, timers;
	struct store *store; /* dispatched while settling; NULL: none */
};

void virtual_host_init(struct virtual_host *h, int64_t now_ms);
void virtual_host_settle(struct virtual_host *h);
void virtual_host_advance(struct virtual_host *h, int64_t ms);
/* Somebody sets the clock: what timers still have to wait stays as it is. */
void virtual_host_set_clock(struct virtual_host *h, int64_t now_ms);
/* Timers that are armed. */
size_t virtual_host_armed(const struct virtual_host *h);

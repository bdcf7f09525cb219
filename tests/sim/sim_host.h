/* sim_host - the time, the timers and the tasks of one simulated process.
 * Nothing runs by itself: the world looks at what could happen and picks what happens next. Timers
 * follow the steady clock, instants the one on the wall, which may jump. */
#pragma once
#include <stdbool.h>
#include "base/host.h"

struct sim_clock {
	int64_t steady_ms;
	int64_t skew_ms; /* what the clock on the wall is ahead */
};

struct sim_host {
	struct host host;
	struct sim_clock *clock;
	struct list tasks, timers;
};

void sim_host_init(struct sim_host *h, struct sim_clock *clock);
bool sim_host_has_task(const struct sim_host *h);
void sim_host_run_task(struct sim_host *h);
/* When the first timer is due, on the steady clock; INT64_MAX: none is armed. */
int64_t sim_host_due_ms(const struct sim_host *h);
/* Fires that timer, due or not. */
void sim_host_fire(struct sim_host *h);

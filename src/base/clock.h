/* clock - the only place that reads the machine's time.
 * Everything above takes instants as parameters (int64_t ms since the epoch, UTC). */
#pragma once
#include <stdint.h>

int64_t clock_now_ms(void);
/* Never goes back; for durations only. */
int64_t clock_monotonic_ns(void);

#ifdef PERDURE_TEST_HOOKS
/* In these builds the environment of a process moves its clock: PERDURE_CLOCK_OFFSET_MS for as long as it
 * runs, PERDURE_CLOCK_FILE while it does. That file holds two int64_t in the machine's order: by how many
 * ms the clock is moved, and how many have passed for timers beyond those that really did. */
/* Freezes clock_now_ms at now_ms until the next call; a negative value gives the real clock back. */
void clock_test_set_ms(int64_t now_ms);
/* The second number; -1: no file can change it. */
int64_t clock_test_passed_ms(void);
#endif

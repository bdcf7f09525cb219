/* expiry - what time does to conversations nobody goes on with, every five minutes: lanes that a policy
 * has expired are finalized once, lanes that are too old are forgotten (hourly), direct sessions that
 * rested for three days become inactive. What runs or waits is never touched; with mode none no lane
 * expires.
 *
 * The store's index says which lanes are due, and its threads read them; the loop looks at one after the
 * other. Finalizing asks the hook, ends what tools left running and evicts the prepared agent; in one
 * transaction the lane is marked and the session gets back the model it had before somebody chose another.
 * Each pass also evicts prepared agents that nobody used for long (engine/agent_cache). */
#pragma once
#include "engine/engine_private.h"

struct expiry;

struct expiry *expiry_new(struct engine *en);
/* From now on. */
void expiry_start(struct expiry *x);
/* The drain's time is over: a hook that has not answered is not waited for. */
void expiry_give_up(struct expiry *x);
void expiry_free(struct expiry **x);

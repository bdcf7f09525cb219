/* sim_client - everybody who talks to the processes: posts messages in every busy mode, interrupts,
 * confirms, denies, gives results (also twice, too late, and to calls that never were), writes without
 * asking for anything, and sends again what got no answer.
 *
 * Every message has a number in its text. What was acknowledged must be in the log once, what was
 * refused must not be, and what nobody knows may be, but not twice. */
#pragma once
#include "sim_world.h"

struct sim_node;

void sim_clients_init(struct world *w);
void sim_clients_release(struct world *w);
/* One of them does something. */
void sim_clients_act(struct world *w);
/* Looks at the session, as another node's watch would. */
void sim_clients_wake(struct world *w, int session);
/* For the end: answers one call that waits, or interrupts. */
void sim_clients_answer(struct world *w, int session);
void sim_clients_interrupt(struct world *w, int session);

/* The process is gone: whoever waits for an answer of its never gets one. */
void sim_clients_lost(struct world *w, const struct sim_node *n);
/* The log has this message. */
void sim_clients_stored(struct world *w, int session, int64_t marker);
/* At rest: are all the promises kept? */
void sim_clients_judge(struct world *w);

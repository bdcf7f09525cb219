/* sim_store - the store as one process sees it: the shared truth behind delays and faults.
 *
 * What is asked for takes effect at one moment and is answered at another. In between anything may
 * happen, and a process that dies in between never hears the answer. Faults are those that
 * store/store.h speaks of: an item fails without a trace, its outcome is unknown, a read fails. */
#pragma once
#include <stdbool.h>
#include "store/store_private.h"

struct world;
struct sim_node;
struct sim_store;

/* What an item or a query is for. */
enum sim_job {
	SIM_JOB_READ,    /* a look, a record */
	SIM_JOB_CONTEXT, /* the transcript */
	SIM_JOB_INPUT,   /* events of clients */
	SIM_JOB_TAKE,    /* of a turn, by what happens to the lease */
	SIM_JOB_BREAK,
	SIM_JOB_TURN,
	SIM_JOB_RECORD, /* no events */
};

struct sim_store *sim_store_new(struct sim_node *node);
/* Nothing may be on its way. */
void sim_store_free(struct sim_store **s);
struct store *sim_store_port(struct sim_store *s);
/* From now on nothing has an effect and everything fails at once. */
void sim_store_die(struct sim_store *s);
/* When the next thing could happen, on the steady clock; INT64_MAX: nothing is on its way. */
int64_t sim_store_due_ms(const struct sim_store *s);
/* Lets one thing happen that is due. */
void sim_store_run(struct sim_store *s);
/* Is such a job on its way for the session? */
bool sim_store_has(const struct sim_store *s, int session, enum sim_job kind);

/* store_load - the workload of the store's figures: 2,000 sessions, uniform, one keyed user.message
 * with a payload of 500 bytes per item. Callers wait for an answer before they send again. */
#pragma once
#include "store/store.h"

enum { LOAD_SESSIONS = 2000, LOAD_PAYLOAD_BYTES = 500, LOAD_CALLERS_MAX = 256 };

struct store_load;

/* Opens a new store below the directory and creates the sessions. */
struct store_load *store_load_new(const char *directory);
void store_load_free(struct store_load **l);
struct store *store_load_store(struct store_load *l);

/* Acknowledged messages per second with so many callers, over half a second. */
double store_load_per_second(struct store_load *l, int callers);
/* The same in bursts: so many are sent at once, then all of their answers are waited for. */
double store_load_bursts_per_second(struct store_load *l, int burst);
/* Exactly so many messages. */
void store_load_send(struct store_load *l, int64_t messages);
/* Messages sent so far. */
int64_t store_load_sent(const struct store_load *l);

/* sim_model - a model without manners: answers in pieces of any size and at any time, calls tools that
 * exist and tools that do not, fails in every way there is, or falls silent for good. */
#pragma once
#include <stdbool.h>
#include "provider/provider.h"

struct sim_node;
struct sim_model;

struct sim_model *sim_model_new(struct sim_node *node);
void sim_model_free(struct sim_model **m);
struct provider *sim_model_port(struct sim_model *m);
/* Is a request of the session on its way? SIM_NONE: of any. */
bool sim_model_open(const struct sim_model *m, int session);
/* Has it said anything yet? */
bool sim_model_streams(const struct sim_model *m, int session);

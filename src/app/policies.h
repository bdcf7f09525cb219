/* policies - what the configuration says of lanes: when their sessions are reset, where an agent's days
 * begin, and what a model in one is told of the other platforms. */
#pragma once
#include "app/config.h"
#include "engine/engine.h"

struct policies;

/* config must stay until the next reload, zones as long as the policies. */
struct policies *policies_new(const struct config *config, struct engine_zones zones);
void policies_reload(struct policies *p, const struct config *config);
/* After the engine. */
void policies_free(struct policies **p);
struct engine_policies policies_port(struct policies *p);

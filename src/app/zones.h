/* zones - time zones by name, from the machine's tzdata: read once, kept as long as the server. */
#pragma once
#include "engine/engine.h"

struct zones;
struct zones *zones_new(void);
void zones_free(struct zones **z);
struct engine_zones zones_port(struct zones *z);

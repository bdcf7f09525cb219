/* models - which provider runs a model's name: "demo", or "provider/model" of the configuration; and
 * what the configuration says of it. */
#pragma once
#include "app/config.h"
#include "engine/engine.h"
#include "net/loop.h"

struct models;

/* config must stay until the next reload, and one more. */
struct models *models_new(struct host *host, struct loop *loop, const struct config *config);
/* Turns that run keep the provider they began with. */
void models_reload(struct models *m, const struct config *config);
/* After the engine. The loop has to settle once more. */
void models_free(struct models **m);
struct engine_models models_lookup(struct models *m);

/* models - which provider runs a model's name: "demo", or "provider/model" of the configuration. */
#pragma once
#include "app/config.h"
#include "engine/engine.h"

struct models;

struct models *models_new(struct host *host, const struct config *config);
void models_free(struct models **m);
struct engine_models models_lookup(struct models *m);

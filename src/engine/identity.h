/* identity - users and tokens: held in memory, true in the store.
 * Commands of engine.h: engine_authenticate, engine_token_*, engine_user_*. */
#pragma once
#include "engine/engine_private.h"

struct identity *identity_new(struct engine *en);
void identity_free(struct identity **id);
/* Reads all users and tokens, and makes sure that the configured owner token is known: a digest that
 * was ever there, revoked or not, is left alone. */
void identity_load(struct identity *id, void (*done)(void *ctx, int rc, const struct err *err),
		   void *ctx);

/* fake_engine - engine.h without an engine: commands are noted and answered with what the test wants,
 * reads go to a store in memory. Tokens are "owner", "user", "guest", …: the name of their kind or
 * role; anything else is unknown. */
#pragma once
#include "api_rig.h"
#include "engine/engine.h"

/* The last command, and what the next ones get. Written while the server waits for a request. */
struct fake_engine {
	char command[64], id[256], body[4096];
	char scope[256], key[256];
	char note[256]; /* what else a command was told */
	struct sha256 request;
	int commands;
	struct engine_answer answer;
	struct err err;
	struct store *store; /* on the server's thread only */
};
extern struct fake_engine FAKE;

/* Everything as at the start; the store stays with its server. */
void fake_engine_reset(void);
/* Puts a record into the store, from any thread but the server's. */
void fake_engine_put(struct api_rig *r, struct str kind, const char *id, const char *owner,
		     const char *body);

/* live_engine - the real engine behind an api_rig, on the store the test asks for, and a hand that
 * writes into its logs what a turn would write.
 *
 * Turns are not run: a message waits until the test writes its turn. Tokens are "owner", "user" (of
 * usr_1), "other" (of usr_2) and "short", which is the owner's until LIVE.short_is_dead. */
#pragma once
#include "api_rig.h"
#include "core/event.h"
#include "engine/engine.h"

struct live {
	const char *sqlite_dir; /* NULL: a store in memory */
	atomic_bool short_is_dead;
	struct engine *engine; /* on the server's thread only */
};
extern struct live LIVE;

/* A session of agent main, made by the owner. */
void live_open(struct api_rig *r, const char *session);
/* One event, committed. turn NULL: none. */
void live_write(struct api_rig *r, const char *session, const char *turn, const char *payload);
/* The same, under an id of the test's. */
void live_write_as(struct api_rig *r, const char *session, const char *turn, const char *id,
		   const char *payload);
/* A message that is being written: begins, grows, ends. */
void live_preview_start(struct api_rig *r, const char *session, const char *id);
void live_preview_delta(struct api_rig *r, const char *session, const char *id, const char *text);
void live_preview_end(struct api_rig *r, const char *session, const char *id);

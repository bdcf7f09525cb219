/* fanout - committed events and previews to whoever watches. */
#pragma once
#include "engine/actor.h"

/* After the commit, before its answer; events carry their seq. last_change is the change number of
 * the last one, waiting how many triggers wait behind it. */
void fanout_events(struct engine *en, struct str session, const struct event *events, size_t count,
		   int64_t last_change, int64_t waiting);
/* A message begins, grows, is over (its event, if there is one, was told before). */
void fanout_preview_start(struct actor *actor, struct str event_id, enum event_kind kind);
void fanout_preview_delta(struct actor *actor, struct str event_id, struct str piece);
void fanout_preview_end(struct actor *actor, struct str event_id);
/* The server stops: every watch is told and gone. */
void fanout_end(struct engine *en);
/* The one place for it: a user's role, whom an agent admits, who takes part or is a member, who was merged
 * into whom, whatever it is that somebody may see less for. Streams ask again in this turn of the loop. */
void fanout_rights_changed(struct engine *en);

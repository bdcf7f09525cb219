/* event_frames - one event is rendered once, however many watch it.
 * Frames are kept until the turn of the loop is over: fan-out reaches all watchers in one turn. */
#pragma once
#include "api/event_json.h"
#include "engine/engine.h"
#include "net/loop.h"
#include "net/net_bytes.h"

struct event_frames;

/* How a stream shows things. */
struct event_shape {
	enum event_framing framing;
	bool for_all; /* the stream of all sessions: with the session's id, cursors store-wide */
};

struct event_frames *event_frames_new(struct loop *loop);
void event_frames_free(struct event_frames **f);

/* All are borrowed until the turn ends. */
struct net_bytes *
event_frames_event(struct event_frames *f, const struct store_event *ev, struct event_shape shape);
/* That a message begins; NULL: the preview does not say so. */
struct net_bytes *event_frames_preview_start(struct event_frames *f, const struct engine_preview *p,
					     struct event_shape shape);
/* Its text, so far or further; NULL: it has none. */
struct net_bytes *event_frames_preview_text(struct event_frames *f, const struct engine_preview *p,
					    struct event_shape shape);

/* event_frames - one event is rendered once, however many watch it.
 * Frames are kept until the turn of the loop is over: fan-out reaches all watchers in one turn. */
#pragma once
#include "engine/engine.h"
#include "net/loop.h"
#include "net/net_bytes.h"

struct event_frames;

struct event_frames *event_frames_new(struct loop *loop);
void event_frames_free(struct event_frames **f);

/* Borrowed until the turn ends. for_all: as the stream of all sessions shows it. */
struct net_bytes *
event_frames_event(struct event_frames *f, const struct store_event *ev, bool for_all);
/* event_start and, when there is text, the delta; NULL: nothing to show. */
struct net_bytes *
event_frames_preview(struct event_frames *f, const struct engine_preview *p, bool for_all);

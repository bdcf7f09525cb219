/* event_json - an event as the wire shows it: the stored payload with the envelope around it.
 *
 *   {"id","type",…payload…,"seq","created_at","processed_at","queue_position"?,"turn_id"?,"session_id"?}
 *
 * The payload's bytes are spliced in, never read: an event costs a copy. What is written is valid
 * because the log holds only what passed core/event. */
#pragma once
#include <stdint.h>
#include "base/buf.h"
#include "core/event.h"
#include "engine/engine.h"
#include "net/net_bytes.h"

struct event_view {
	const struct event *ev;
	int64_t processed_at_ms; /* 0: pending, shown as null */
	int64_t position;        /* in the queue; 0: not shown */
	struct str session_id;   /* empty: not shown */
};

/* The instant that a just accepted event counts as processed: 0 for what waits to be consumed. */
int64_t event_json_accepted_at(const struct event *ev);
void event_json_write(struct buf *out, const struct event_view *v);

/* The same as a frame. Of a WebSocket it is the end of a message whose beginning, {"id":N, is each
 * reader's own: "type":"event","cursor":41,"event":{…}}. */
enum event_framing { EVENT_SSE, EVENT_WS };
void event_json_frame(struct buf *out, enum event_framing framing, const struct event_view *v,
		      int64_t cursor);
/* Any other object under a name: never stored, so without a cursor. */
void
event_json_other(struct buf *out, enum event_framing framing, const char *name, struct str json);
/* A message that is being written. */
void event_json_preview_start(struct buf *out, enum event_framing framing,
			      const struct engine_preview *p, bool with_session);
void event_json_preview_delta(struct buf *out, enum event_framing framing,
			      const struct engine_preview *p, bool with_session);
/* The cursor lies before what is kept: the events from..to are not there. */
void event_json_gap(struct buf *out, enum event_framing framing, int64_t from, int64_t to);
/* The cursor lies behind the head: the log is not the one the reader knew. */
void event_json_reset(struct buf *out, enum event_framing framing, int64_t head);

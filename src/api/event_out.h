/* event_out - where the frames of a stream go: the answer to a request, or messages of a WebSocket.
 * Whoever follows a log writes to it and knows neither.
 *
 * Pages and what is said once always reach the reader, in order. Live events are sent only where
 * there is room for them: of a WebSocket several streams share the room. */
#pragma once
#include "api/event_frames.h"
#include "api/exchange.h"
#include "api/stream_hub.h"

struct event_out;
struct socket_call;

/* Both on the loop, never from inside a call. */
struct event_out_ops {
	/* Nothing more reaches the reader: it is gone, or its token ended. At most once, and not
	 * after event_out_end. */
	void (*on_over)(struct event_out *o);
	/* What was sent has left: the time for the next page. */
	void (*on_room)(struct event_out *o);
};

struct event_out { /* lives in its owner */
	const struct event_out_ops *ops;
	struct stream_hub *hub;
	struct event_shape shape;
	struct buf page;             /* frames that are not sent yet */
	struct socket_call *call;    /* NULL: server-sent events */
	struct stream_member member; /* of server-sent events, as is what follows */
	struct sse_stream sse;
};

/* Answers x, which is gone then, with all that stood in its memory. caller: who asked, and lives as
 * long as o. for_all: frames say which session they are of. */
void event_out_open(struct event_out *o, struct exchange *x, const struct engine_caller *caller,
		    bool for_all, const struct event_out_ops *ops);
/* The client has left, or only asked for the head. */
bool event_out_is_over(const struct event_out *o);

/* Into the page; on a thread of the store's as well. */
void event_out_put_event(struct event_out *o, const struct store_event *ev);
void event_out_put_other(struct event_out *o, const char *name, struct str json);
void event_out_put_gap(struct event_out *o, int64_t from, int64_t to);
bool event_out_page_is_full(const struct event_out *o);
/* False: there is nothing in it. Else on_room follows. */
bool event_out_send_page(struct event_out *o);
/* There will be no page for a while. */
void event_out_forget_page(struct event_out *o);

/* Now and then, not in the middle of a page. */
void event_out_send_reset(struct event_out *o, int64_t head);
void event_out_send_other(struct event_out *o, const char *name, struct str json);

/* Room for something live of about that size? Where it is false, on_room follows. */
bool event_out_has_room(struct event_out *o, size_t bytes);
/* Where there is room. */
void event_out_send_event(struct event_out *o, const struct store_event *ev);
void event_out_send_preview(struct event_out *o, const struct engine_preview *p);

/* Why a stream ends: of a WebSocket the reader is told. */
enum event_out_end {
	EVENT_OUT_ENDED,      /* nothing more will ever come */
	EVENT_OUT_INTERRUPTED /* ask again, from the last cursor */
};
/* Harmless when the reader is gone. */
void event_out_end(struct event_out *o, enum event_out_end why);
/* Exactly once, after it is over or ended. */
void event_out_release(struct event_out *o);

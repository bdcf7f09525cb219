/* message_turn - follows a message that was accepted through its turn: to one answer at the end
 * (wait), or event by event (stream). Both end at the first status_idle of the turn that consumed it. */
#pragma once
#include "api/event_out.h"
#include "api/exchange.h"
#include "api/message_wait.h"
#include "base/json_write.h"
#include "core/reply_filter.h"

struct message_form;

/* What is known once the message is committed. */
struct message_posted {
	struct str session, message_id, event_id;
	int64_t seq; /* of its event */
	bool triggered, replayed;
	int64_t queue_position;          /* -1: not queued */
	const struct message_form *form; /* how its turn is told; NULL: in the API's own words */
	bool created;                    /* the session was opened for it ... */
	struct str reset_reason; /* ... because the one before was put away; NULL ptr: not */
};

/* What a stream has told so far; a form's to use. */
struct message_told {
	struct arena *arena;       /* lives as long as the stream */
	struct str id;             /* of the message being written */
	size_t heard;              /* bytes of it that went into ... */
	struct reply_stream reply; /* ... what of it people are shown */
	struct str failure;        /* the last session.error's message */
};
/* A turn in other words. Frames go into the page (event_out_put_other); event may be called on a thread
 * of the store's. */
struct message_form {
	void (*answer)(const struct message_posted *m, const struct message_wait *fold,
		       struct jw *w, struct arena *scratch);
	void (*begin)(const struct message_posted *m, struct event_out *o);
	void (*event)(struct message_told *told, const struct event *ev, struct event_out *o);
	void (*preview)(struct message_told *told, const struct engine_preview *p,
			struct event_out *o);
	void (*end)(const struct message_posted *m, const struct message_wait *fold,
		    struct message_told *told, struct event_out *o);
	/* In place of end: the turn goes on, and is told no further. */
	void (*fail)(const struct message_posted *m, struct str why, struct event_out *o);
};

/* The members of the default answer into the open object. */
void message_posted_write(const struct message_posted *m, struct jw *w);
/* Answers x when the turn is idle, or with 504 and what there is after timeout_ms. */
void message_turn_wait(struct exchange *x, const struct message_posted *m, int64_t timeout_ms);
/* Answers x with the default answer as first frame, then the turn's events and previews. timeout_ms
 * 0: as long as it takes. */
void message_turn_stream(struct exchange *x, const struct message_posted *m, int64_t timeout_ms);

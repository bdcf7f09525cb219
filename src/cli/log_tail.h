/* log_tail - follows a session's log: each stored event once and in order, and what is being written,
 * also when the server goes away in between. */
#pragma once
#include "cli/client.h"

struct log_tail;

struct log_tail_events {
	/* A stored event, or event_start, event_delta, gap, reset. Both texts live during the call. */
	void (*on_event)(void *context, struct str type, struct json event);
	/* Connected; or lost, with the reason. May be NULL. */
	void (*on_state)(void *context, bool connected, const struct err *why);
	/* Nothing more will come, and the tail is to be freed. rc 0: the session is over. */
	void (*on_end)(void *context, int rc, const struct err *e);
	void *context;
};

/* after: the seq to go on behind; -1: from now on. previews: also what is being written. */
struct log_tail *log_tail_new(struct client *c, struct str session, int64_t after, bool previews,
			      const struct log_tail_events *events);
void log_tail_free(struct log_tail **t);
/* For an owner who does something else for a while and does not run the loop: a stream that nobody
 * reads would be taken for a dead one. Its place is kept. */
void log_tail_pause(struct log_tail *t);
void log_tail_resume(struct log_tail *t);
/* The seq of the last event that was told; -1: none yet. */
int64_t log_tail_cursor(const struct log_tail *t);

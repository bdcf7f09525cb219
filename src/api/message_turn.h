/* message_turn - follows a message that was accepted through its turn: to one answer at the end
 * (wait), or event by event (stream). Both end at the first status_idle of the turn that consumed it. */
#pragma once
#include "api/exchange.h"
#include "base/json_write.h"

/* What is known once the message is committed. */
struct message_posted {
	struct str session, message_id, event_id;
	int64_t seq; /* of its event */
	bool triggered, replayed;
	int64_t queue_position; /* -1: not queued */
};

/* The members of the default answer into the open object. */
void message_posted_write(const struct message_posted *m, struct jw *w);
/* Answers x when the turn is idle, or with 504 and what there is after timeout_ms. */
void message_turn_wait(struct exchange *x, const struct message_posted *m, int64_t timeout_ms);
/* Answers x with the default answer as first frame, then the turn's events and previews. timeout_ms
 * 0: as long as it takes. */
void message_turn_stream(struct exchange *x, const struct message_posted *m, int64_t timeout_ms);

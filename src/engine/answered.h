/* answered - an answer to a call that does not wait for it: was it given before?
 * Clients repeat what they could not hear the answer to, and answer calls that were closed meanwhile
 * (an interrupt, somebody faster): they get the event that did it. */
#pragma once
#include "engine/ingress.h"

/* rc 0: seq is the event that answered or closed the call, 0: there is none. ERR_CONFLICT: a person
 * decided otherwise before. ERR_NOT_FOUND: the call is not in the log. */
typedef void answered_fn(void *ctx, int rc, const struct err *err, int64_t seq);
/* Texts of in must stay until done. */
void answered_find(struct engine *en, struct str session, const struct ingress_input *in,
		   answered_fn *done, void *ctx);

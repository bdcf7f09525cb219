/* ask_back - what do we answer when a server asks us something in the middle of a call?
 * Nobody sits in front of a call: forms are declined, unless the one who runs the client said that a
 * form is answered with its own defaults; models and folders are not lent. */
#pragma once
#include <stdbool.h>
#include "base/arena.h"
#include "base/json.h"
#include "base/json_write.h"

/* Writes the result of a request as one JSON value. ERR_INVALID: it is not answered, nothing is
 * written, and e says why. */
NODISCARD int ask_back_answer(struct str method, struct json params, bool accepts_defaults,
			      struct jw *w, struct err *e);
/* {"elicitation":{}} or {}: what a server may ask for. */
void ask_back_capabilities(bool accepts_defaults, struct jw *w);
/* The answers to all of a call's inputRequests, as one object by their keys. */
NODISCARD int
ask_back_answer_all(struct json requests, bool accepts_defaults, struct jw *w, struct err *e);

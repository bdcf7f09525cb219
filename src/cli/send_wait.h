/* send_wait - a script's message whose answer is waited for: `perdure agent session send --wait`. */
#pragma once
#include "cli/call.h"

/* Prints the answer. A call that waits for somebody is an error at once, and stderr names it and how to
 * answer it: one that was open before (nothing is sent), one of the turn before the message's, and one
 * of the message's own. */
NODISCARD int send_wait(struct cli_call *call, const char *session, struct str text, struct err *e);

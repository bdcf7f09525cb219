/* session_routes - answers that speak of a session. */
#pragma once
#include "api/exchange.h"

/* A command's refusal; one of an archived session names the session that is current. */
void session_fail(struct exchange *x, const struct engine_answer *answer);

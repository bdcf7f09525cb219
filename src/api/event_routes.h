/* event_routes - the log of one session under whatever path. */
#pragma once
#include "api/exchange.h"

void event_list_session(struct exchange *x, struct str session);

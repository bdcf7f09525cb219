/* event_stream - the stream of one session under whatever path. */
#pragma once
#include "api/exchange.h"

void event_stream_session(struct exchange *x, struct str session);

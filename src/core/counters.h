/* counters - what one model call adds to a session's counters. */
#pragma once
#include "base/json.h"
#include "core/projection.h"

/* payload: of a span.model_request_end that passed event_check. Sums stop at INT64_MAX: a hostile
 * provider must not overflow them. */
void counters_add_request(struct session_counters *c, struct json payload);

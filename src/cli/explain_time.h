/* explain_time - facts about time that several questions share: instants, zones, reset settings. */
#pragma once
#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "base/json_write.h"
#include "core/reset_policy.h"
#include "core/zone.h"

/* RFC 3339 text; absent leaves *out_ms alone. */
NODISCARD int explain_take_instant(struct json v, struct arena *a, int64_t *out_ms, struct err *e);
/* An IANA name, its rules read from the machine; absent is UTC. */
NODISCARD int explain_take_zone(struct json v, struct arena *a, struct zone *out, struct err *e);
/* {"mode","at_hour"?,"idle_minutes"?}; absent is the shipped default, which never resets. */
NODISCARD int explain_take_policy(struct json v, struct reset_policy *out, struct err *e);
void explain_put_instant(struct jw *out, int64_t ms);

/* call_state - how a tool call comes to wait, to run and to be done.
 * The decisions behind struct call_row: a replay and a store ask the same functions. */
#pragma once
#include <stdbool.h>
#include "base/json.h"
#include "core/projection.h"

/* Of a tool_use event: does a client execute it? */
bool call_state_is_client_side(enum event_kind kind, struct json payload);
/* An allowed call has started once it is committed; an asked one waits for people; a client-side one
 * waits for its result. A call denied by policy only needs its result. */
enum call_state call_state_first(struct json payload, bool client_side);
/* The field of an answer or a result that names its call. */
const char *call_state_field(enum event_kind kind);
/* Does a call in that state wait for an answer of this kind? */
bool call_state_awaits(enum call_state state, enum event_kind answer);
/* What it is once its answer was consumed; a call that was closed meanwhile stays as it is. */
enum call_state call_state_answered(enum call_state state, bool client_side);

/* hook_event - at which moments are the operator's own programs told, and which of them may say no?
 *
 * A hook that may say no is asked before the thing happens and waited for. The others are told after the
 * commit, once, and nobody waits for them. Pure. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include "base/json.h"
#include "base/str.h"
#include "core/event.h"

enum hook_event {
	HOOK_SESSION_CREATE,
	HOOK_SESSION_SAVE, /* a turn has ended, or metadata was changed */
	HOOK_SESSION_DELETE,
	HOOK_SESSION_FINALIZE, /* a lane's session has expired; tried again when it fails */
	HOOK_BEFORE_RESET,
	HOOK_AFTER_RESET,
	HOOK_BEFORE_TURN,
	HOOK_AFTER_TURN,
};
enum { HOOK_EVENTS = HOOK_AFTER_TURN + 1 };

/* "session_create", … */
const char *hook_event_name(enum hook_event event);
/* What a committed event is told as: a bit set of 1 << enum hook_event. */
unsigned hook_event_of(const struct event *ev);

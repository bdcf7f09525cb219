#include "core/hook_event.h"

#define BIT(event) (1u << (event))

static const char *const NAMES[] = {
	[HOOK_SESSION_CREATE] = "session_create", [HOOK_SESSION_SAVE] = "session_save",
	[HOOK_SESSION_DELETE] = "session_delete", [HOOK_SESSION_FINALIZE] = "session_finalize",
	[HOOK_BEFORE_RESET] = "before_reset",     [HOOK_AFTER_RESET] = "after_reset",
	[HOOK_BEFORE_TURN] = "before_turn",       [HOOK_AFTER_TURN] = "after_turn",
};

const char *
hook_event_name(enum hook_event event)
{
	return NAMES[event];
}

/* Payloads of the server's own making are canonical: a member's name stands in it as it is. */
static bool
mentions(const struct event *ev, const char *text)
{
	return str_contains(ev->payload, str_of(text));
}

unsigned
hook_event_of(const struct event *ev)
{
	switch ((int)ev->kind) {
	case EVENT_SESSION_CREATED: return BIT(HOOK_SESSION_CREATE);
	case EVENT_SESSION_DELETED: return BIT(HOOK_SESSION_DELETE);
	case EVENT_SESSION_RESET: return BIT(HOOK_AFTER_RESET);
	case EVENT_SESSION_UPDATED:
		return mentions(ev, "\"metadata\":") ? BIT(HOOK_SESSION_SAVE) : 0;
	case EVENT_STATUS_IDLE: /* a park is no end */
		return mentions(ev, "{\"type\":\"requires_action\"")
			       ? 0
			       : BIT(HOOK_SESSION_SAVE) | BIT(HOOK_AFTER_TURN);
	case EVENT_STATUS_TERMINATED:
		return ev->turn.len > 0 ? BIT(HOOK_SESSION_SAVE) | BIT(HOOK_AFTER_TURN)
					: BIT(HOOK_SESSION_SAVE);
	default: return 0;
	}
}

/* hook - tells the operator's own programs what happens, and asks those that may say no. Whatever is
 * behind the port: here is only when, and with which facts.
 *
 * Facts are one JSON object: {"event", "at", "session_id", …}; of what was committed "log_event"
 * {"id","seq","turn_id","payload"}. */
#pragma once
#include "engine/engine_private.h"

/* Committed: told once, and nobody waits. */
void
hook_on_events(struct engine *en, struct str session, const struct event *events, size_t count);

/* Does anybody want to be asked? */
bool hook_is_wanted(const struct engine *en, enum hook_event event);
/* Before a turn begins, a session is replaced. rc 0: it may; ERR_DENIED: it must not, err says who
 * says so and why. done never comes from inside. */
void hook_ask_turn(struct engine *en, struct str session, struct str turn, struct str_list inputs,
		   engine_hook_done_fn *done, void *ctx);
void hook_ask_reset(struct engine *en, struct str session, struct str reason,
		    engine_hook_done_fn *done, void *ctx);
/* Nobody waits any longer: each done comes now, with ERR_UNAVAILABLE. */
void hook_give_up(struct engine *en);

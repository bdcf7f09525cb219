/* session_tools - what a session has running in tools ends with the session.
 *
 * Whoever deletes, archives or terminates a session only commits the event: the end of its processes
 * follows from it, here. Resets, expiry and /stop end them at a moment of their own. Command of
 * engine.h: engine_tool_load. */
#pragma once
#include "engine/engine_private.h"

/* Background processes, and MCP servers that run for this session alone. */
void session_tools_end(struct engine *en, struct str session);
/* Background processes alone: the conversation goes on. */
void session_tools_stop(struct engine *en, struct str session);
/* Committed. */
void session_tools_on_events(struct engine *en, struct str session, const struct event *events,
			     size_t count);

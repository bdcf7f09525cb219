/* runtime - the runtime files of a session, written anew when a turn has ended. They are a view of what
 * the store has: nothing waits for them, and nothing is lost with them. */
#pragma once
#include "engine/own_tool_directive.h"

struct runtime_turn {
	struct str session, agent, turn, model;
	int64_t head_seq;
	enum stop_kind stop;
	bool rests;                          /* no wake is queued: none has to be read */
	struct wake_list wakes;              /* that started it */
	const struct directive_order *order; /* that was carried out; NULL: none was */
	struct str said;                     /* payload of its last agent.message; empty: none */
};
/* After the terminal is durable. Copies what it needs; harmless where no files are wanted. */
void runtime_write(struct engine *en, const struct runtime_turn *turn);

/* tool_work - one call of a turn that this process carries out: finds who has the tool, starts it,
 * times it out, and tells how it ended.
 *
 * A call is told once, never from inside start, and not after cancel. */
#pragma once
#include "core/turn_machine.h"
#include "engine/context.h"
#include "tool/tool.h"

struct tool_work_ask {
	struct engine *en;
	struct str session, turn;
	int64_t fence;
	const struct context_setup *setup;
	const struct turn_call *call; /* its texts, like the others, stay until told or cancelled */
};
/* Good during the call. */
typedef void tool_work_fn(void *ctx, struct str call_event, const struct tool_result *result);

/* works: those of one turn, a list that its owner initialised. */
void
tool_work_start(struct list *works, const struct tool_work_ask *ask, tool_work_fn *done, void *ctx);
/* Harmless when it is over. */
void tool_work_cancel(struct list *works, struct str call_event);
void tool_work_cancel_all(struct list *works);

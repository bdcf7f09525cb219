/* own_tool - tools that the engine carries out itself: what they touch is the session's own.
 *
 * A tool is a doc and two functions, named in one table. It may read and commit as any part of the
 * engine does; what it writes for the turn requires the turn's fence. One that may be called twice
 * with the same id without harm says so in its doc (read_only, idempotent): it is started again when
 * the process died before its result was in the log. */
#pragma once
#include "core/event_make.h"
#include "core/tool_spec.h"
#include "engine/engine_private.h"

struct own_tool_call {
	struct engine *en;
	struct str session, turn;
	int64_t fence;        /* of the turn's lease */
	struct str id;        /* of the call's event: the same after a restart */
	struct str arguments; /* JSON object */
	struct arena *arena;  /* lives as long as the call */
	void *state;          /* the tool's own */
};

struct own_tool {
	struct tool_doc doc;
	/* Exactly one own_tool_done follows, from inside or later, unless it is cancelled. */
	void (*start)(struct own_tool_call *call);
	/* Before it is done: drops what is on its way. The call is gone afterwards. NULL: it is done
	 * when start returns. */
	void (*cancel)(struct own_tool_call *call);
};

/* OK or ERROR with text for the model, which is copied. The call stays until the engine is back from
 * whatever it is doing; nothing of the tool's may use it any more. */
void own_tool_done(struct own_tool_call *call, enum tool_outcome outcome, struct str output);

/* All of them, NULL behind the last. */
extern const struct own_tool *const OWN_TOOLS[];

/* Of the engine's table; NULL: none of that name. */
const struct own_tool *own_tool_find(const struct engine *en, struct str name);

/* own_tool_directive - session_directive: what an agent wants of its session once the turn is over.
 * Noted when it is called, and carried out in the transaction of the terminal, so that nothing of it
 * stays when the turn is stopped. The last directive of a turn counts. */
#pragma once
#include "core/directive_args.h"
#include "engine/own_tool.h"
#include "engine/wake_queue.h"

/* What sessions of an agent have learnt. id: "<agent>/<hash of what it says>", owner: agent; body
 * {"id","type","agent_id","session_id","turn_id","created_at","title","detail"}. */
#define RECORD_LEARNING     STR("learning")

#define DIRECTIVE_TOOL_NAME STR("session_directive")

/* What is to be done at the end of the turn; zero: nothing was asked for. */
struct directive_order {
	struct directive asked;
	struct directive_plan plan;
	bool given;
	struct wake_list known; /* that stay queued: not those that started the turn */
};

extern const struct own_tool OWN_TOOL_DIRECTIVE;

/* From a call's arguments, in a. continues: consecutive ones before this turn. */
NODISCARD int directive_order_read(struct str arguments, int continues, struct arena *a,
				   struct directive_order *out, struct err *e);
/* Does a wake wait for the session when it is carried out? */
bool directive_order_wakes(const struct directive_order *o);
/* How often in a row the turns before asked to continue, from the wakes that started this one. */
int directive_continues(struct wake_list wakes);

struct directive_scene {
	struct engine *en;
	struct str session, agent, turn;
};
void directive_order_commit(const struct directive_order *o, const struct directive_scene *at,
			    struct commit *c);

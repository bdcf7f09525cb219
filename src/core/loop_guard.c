#include "core/loop_guard.h"

void
loop_guard_init(struct loop_guard *g)
{
	*g = (struct loop_guard){ 0 };
}

void
loop_guard_call(struct loop_guard *g, const struct sha256 *digest)
{
	if (g->run > 0 && memcmp(g->last.bytes, digest->bytes, sizeof digest->bytes) == 0) {
		if (g->run < LOOP_GUARD_REPEATS)
			g->run++;
	} else {
		g->last = *digest;
		g->run = 1;
	}
	if (g->run >= LOOP_GUARD_REPEATS)
		g->repeated = true;
}

enum loop_verdict
loop_guard_step(struct loop_guard *g)
{
	if (!g->repeated)
		return LOOP_NONE;
	g->repeated = false;
	if (g->warned)
		return LOOP_END;
	g->warned = true;
	return LOOP_WARN;
}

struct str
loop_guard_warning(void)
{
	return STR("You have made the same tool call with the same arguments three times in a row. "
		   "The result will not change: try something else, or say what is in the way. "
		   "Repeating the call again ends this turn.");
}

#include "sim_fault.h"

#include "sim_node.h"

static unsigned
maybe(struct world *w, unsigned most)
{
	return sim_chance(w, 500) ? (unsigned)sim_below(w, most + 1) : 0;
}

void
sim_fault_draw_rules(struct world *w)
{
	w->rules = (struct sim_rules){
		.act = 60 + (unsigned)sim_below(w, 140),
		.fault = maybe(w, 60),
		.crash_weight = maybe(w, 10),
		.takeover_weight = maybe(w, 10),
		.drain_weight = maybe(w, 10),
		.jump_weight = maybe(w, 5),
		.stall_weight = maybe(w, 10),
		.append_fails = maybe(w, 60),
		.append_unknown = maybe(w, 40),
		.append_late = maybe(w, 200),
		.read_fails = maybe(w, 40),
		.model_fails = maybe(w, 150),
		.model_silent = maybe(w, 50),
		.model_calls = 200 + maybe(w, 500),
		.tool_fails = maybe(w, 300),
		.tool_silent = maybe(w, 200),
		.expire_ms = sim_chance(w, 300) ? 5000 : 0,
		.slow = maybe(w, 600),
	};
}

static void
hit_all(struct world *w, enum sim_fault fault)
{
	for (int i = 0; i < SIM_SESSIONS; i++)
		sim_hit(w, i, fault);
}

/* Something brings it down, and again soon after each start: nobody has mended it yet. */
static void
fall(struct world *w)
{
	hit_all(w, SIM_CRASH);
	sim_node_crash(&w->node);
}

void
sim_fault_fall_again(struct world *w)
{
	if (w->falls == 0 || !w->node || !w->node->started || w->node->draining ||
	    !sim_chance(w, 60))
		return;
	w->falls--;
	fall(w);
}

static void
crash(struct world *w)
{
	if (w->zombie && sim_chance(w, 500)) {
		sim_node_crash(&w->zombie);
		return;
	}
	if (!w->node)
		return;
	w->falls = sim_chance(w, 250) ? 3 : 0;
	fall(w);
}

/* The old process does not know: it goes on until it finds out, or dies. */
static void
take_over(struct world *w)
{
	if (!w->node || !w->node->started || w->node->draining)
		return;
	hit_all(w, SIM_TAKEOVER);
	if (w->zombie)
		sim_node_crash(&w->zombie);
	w->zombie = w->node;
	w->zombie->is_zombie = true;
	w->node = sim_node_new(w);
}

static void
drain(struct world *w)
{
	static const int64_t TIMEOUTS_MS[] = { 0, 100, 5000, 60000 };
	int64_t timeout_ms = TIMEOUTS_MS[sim_below(w, ARRAY_LEN(TIMEOUTS_MS))];

	if (!w->node || !w->node->started || w->node->draining)
		return;
	hit_all(w, SIM_DRAIN);
	sim_trace(w, "%s is drained, %lld ms", w->node->name, (long long)timeout_ms);
	sim_node_drain(w->node, timeout_ms);
}

static void
jump(struct world *w)
{
	enum { HOUR_MS = 3600 * 1000 };
	int64_t by = (int64_t)sim_below(w, 4 * HOUR_MS) - HOUR_MS;

	hit_all(w, SIM_JUMP);
	sim_trace(w, "the clock on the wall jumps by %lld ms", (long long)by);
	w->clock.skew_ms += by;
}

static void
stall(struct world *w)
{
	hit_all(w, SIM_STALL);
	w->clock.steady_ms += (int64_t)sim_below(w, 120000);
	sim_trace(w, "nothing moved for a while");
}

void
sim_fault_inject(struct world *w)
{
	static void (*const FAULTS[])(struct world *) = { crash, take_over, drain, jump, stall };
	const struct sim_rules *r = &w->rules;
	unsigned weights[] = { r->crash_weight, r->takeover_weight, r->drain_weight, r->jump_weight,
			       r->stall_weight };
	unsigned total = 0;
	uint64_t dice;

	for (size_t i = 0; i < ARRAY_LEN(weights); i++)
		total += weights[i];
	if (total == 0)
		return;
	dice = sim_below(w, total);
	for (size_t i = 0; i < ARRAY_LEN(weights); i++) {
		if (dice < weights[i]) {
			FAULTS[i](w);
			return;
		}
		dice -= weights[i];
	}
}

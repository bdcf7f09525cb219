#include "core/schedule_plan.h"

int64_t
schedule_plan_deadline(const struct schedule_def *def, const struct schedule_run *run)
{
	return run->fired_ms + def->timeout_ms;
}

static struct schedule_plan
watch_run(const struct schedule_facts *f)
{
	const struct schedule_run *run = &f->state->run;
	struct schedule_plan plan = { .step = SCHEDULE_WAIT, .decided_ms = f->state->decided_ms };
	int64_t deadline_ms = schedule_plan_deadline(f->def, run);

	if (run->stopping) /* its terminal is on its way */
		return plan;
	/* a clock that was set back must not make a run endless */
	if (f->now_ms >= deadline_ms || f->now_ms < run->fired_ms - f->def->timeout_ms)
		plan.step = SCHEDULE_STOP;
	else
		plan.due_ms = deadline_ms;
	return plan;
}

/* When the first slot after from_ms may start; 0: none comes. */
static int64_t
next_start(const struct schedule_facts *f, int64_t from_ms)
{
	const struct schedule_state *s = f->state;
	int64_t ended_ms = s->ended_ms < f->now_ms ? s->ended_ms : f->now_ms, slot_ms;

	if (!schedule_rule_next(&f->def->rule, f->zone, from_ms, &slot_ms))
		return 0;
	return schedule_start_ms(slot_ms, ended_ms, s->failures);
}

struct schedule_plan
schedule_plan_decide(const struct schedule_facts *f)
{
	const struct schedule_state *s = f->state;
	int64_t from_ms = s->decided_ms < f->now_ms ? s->decided_ms : f->now_ms;
	int64_t slots_ms[SCHEDULE_CATCH_UP_MAX];
	struct schedule_plan plan = { .step = SCHEDULE_WAIT, .decided_ms = from_ms };
	size_t count;

	if (s->run.id.len > 0 && s->run.fired_ms != 0)
		return watch_run(f);
	if (s->run.id.len > 0) {
		plan.step = SCHEDULE_FIRE;
		plan.slot_ms = s->run.slot_ms;
		plan.manual = true;
		return plan;
	}
	if (!f->def->enabled)
		return plan;
	plan.due_ms = next_start(f, from_ms);
	if (plan.due_ms == 0 || plan.due_ms > f->now_ms)
		return plan;
	count = schedule_rule_due(&f->def->rule, f->zone, &f->def->missed, from_ms, f->now_ms,
				  slots_ms);
	plan.decided_ms = f->now_ms;
	plan.due_ms = next_start(f, f->now_ms);
	if (count == 0)
		return plan;
	plan.step = SCHEDULE_FIRE;
	plan.slot_ms = slots_ms[0];
	if (count > 1) /* the others when this one has ended */
		plan.decided_ms = slots_ms[0];
	return plan;
}

int64_t
schedule_plan_due(const struct schedule_facts *f)
{
	struct schedule_plan plan = schedule_plan_decide(f);

	return plan.step == SCHEDULE_WAIT ? plan.due_ms : f->now_ms;
}

#include "core/queue_policy.h"

#include "core/turn_mutant.h"

size_t
queue_depth(size_t pending, bool turn_open)
{
	return turn_open || pending == 0 ? pending : pending - 1;
}

/* Bursts collapse in collect mode and for media, and nowhere else. */
static bool
collects(const struct queue_input *in)
{
	return in->busy == BUSY_COLLECT || (in->media && in->busy == BUSY_QUEUE);
}

static bool
shares_turn(const struct queue_input *a, const struct queue_input *b)
{
	if (a->group.len > 0 || b->group.len > 0)
		return str_eq(a->group, b->group);
	return collects(a) && collects(b) && a->busy == b->busy && str_eq(a->sender, b->sender);
}

/* The first input and the neighbours behind it that share its turn. A collecting burst that can
 * still grow starts only once its sender has been quiet; the queue waits for it rather than pass it
 * by. One with somebody else's message behind it cannot grow any more. */
static struct queue_plan
plan_triggers(const struct queue_input *inputs, size_t count, size_t first,
	      const struct queue_facts *f)
{
	struct queue_plan plan = { .pick = PICK_TRIGGERS, .first = first, .count = 1 };
	const struct queue_input *last;
	int64_t quiet_at;

	while (first + plan.count < count &&
	       shares_turn(&inputs[first], &inputs[first + plan.count]))
		plan.count++;
	last = &inputs[first + plan.count - 1];
	quiet_at = last->created_at_ms + f->quiet_ms;
	if (collects(&inputs[first]) && inputs[first].group.len == 0 &&
	    first + plan.count == count && f->now_ms < quiet_at)
		return (struct queue_plan){ .pick = PICK_NOTHING, .look_again_ms = quiet_at };
	return plan;
}

static bool
is_due(const struct queue_input *in, const struct queue_facts *f)
{
	return in->due_at_ms <= f->now_ms;
}

/* Index of the trigger that is next, count when none is due yet; *earliest is the next due time. */
static size_t
next_trigger(const struct queue_input *inputs, size_t count, const struct queue_facts *f,
	     int64_t *earliest)
{
	size_t next = count;

	*earliest = 0;
	for (size_t i = 0; i < count; i++) {
		if (inputs[i].held)
			continue;
		if (!is_due(&inputs[i], f)) {
			if (*earliest == 0 || inputs[i].due_at_ms < *earliest)
				*earliest = inputs[i].due_at_ms;
			continue;
		}
		if (inputs[i].busy == BUSY_INTERRUPT && !MUTANT(INTERRUPT_QUEUES))
			return i;
		if (next == count)
			next = i;
	}
	return next;
}

static struct queue_plan
pick_for_open_turn(const struct queue_facts *f)
{
	struct queue_plan plan = { .pick = PICK_NOTHING };

	if (f->phase == TURN_RUNNING)
		return plan; /* its holder hears of everything by its own commit */
	if (f->interrupt_pending)
		plan.pick = PICK_INTERRUPT;
	else if (f->phase == TURN_RESCHEDULED || f->answer_pending)
		plan.pick = PICK_OPEN_TURN;
	return plan;
}

void
queue_let_go(struct queue_input *inputs, size_t count, size_t max_depth)
{
	struct queue_input *oldest = NULL;
	size_t held = 0;

	for (size_t i = 0; i < count; i++) {
		held += inputs[i].held;
		if (inputs[i].held && !oldest)
			oldest = &inputs[i];
	}
	if (oldest && held > (max_depth + 1) / 2)
		oldest->held = false;
}

struct queue_plan
queue_pick(const struct queue_input *inputs, size_t count, const struct queue_facts *f)
{
	struct queue_plan plan = { .pick = PICK_NOTHING };
	int64_t earliest;
	size_t first;

	if (f->phase != TURN_NONE)
		return pick_for_open_turn(f);
	if (f->paused)
		return plan;
	first = next_trigger(inputs, count, f, &earliest);
	if (first < count)
		return plan_triggers(inputs, count, first, f);
	if (f->wake_due)
		plan.pick = PICK_WAKES;
	plan.look_again_ms = plan.pick == PICK_NOTHING ? earliest : 0;
	return plan;
}

size_t
queue_steers(const struct queue_input *inputs, size_t count, int64_t now_ms, size_t *out)
{
	size_t found = 0;

	for (size_t i = 0; i < count; i++)
		if (inputs[i].busy == BUSY_STEER && inputs[i].due_at_ms <= now_ms &&
		    !inputs[i].held)
			out[found++] = i;
	return found;
}

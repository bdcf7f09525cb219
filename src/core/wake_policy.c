#include "core/wake_policy.h"

static const int64_t BACKOFF_BASE_MS = 2000;
static const int64_t BACKOFF_MAX_MS = 30000;

int
wake_policy_compare(const struct wake_candidate *a, const struct wake_candidate *b)
{
	if (a->priority != b->priority)
		return a->priority < b->priority ? -1 : 1;
	if (a->pending_input != b->pending_input)
		return a->pending_input ? -1 : 1;
	if (a->due_ms != b->due_ms)
		return a->due_ms < b->due_ms ? -1 : 1;
	return str_cmp(a->id, b->id);
}

bool
wake_policy_is_due(const struct wake_item *w, int64_t now_ms)
{
	return !w->parked && w->due_ms <= now_ms;
}

const struct wake_item *
wake_policy_duplicate(const struct wake_item *queue, size_t count, struct str key)
{
	if (str_is_empty(key))
		return NULL;
	for (size_t i = 0; i < count; i++)
		if (!queue[i].parked && str_eq(queue[i].dedupe_key, key))
			return &queue[i];
	return NULL;
}

static int64_t
backoff_ms(int failures_before)
{
	int64_t wait = BACKOFF_BASE_MS;

	for (int i = 0; i < failures_before && wait < BACKOFF_MAX_MS; i++)
		wait *= 2;
	return wait < BACKOFF_MAX_MS ? wait : BACKOFF_MAX_MS;
}

enum wake_turn
wake_policy_turn(enum stop_kind stop, bool by_person)
{
	switch (stop) {
	case STOP_END_TURN:
	case STOP_RESCHEDULING:
	case STOP_REFUSAL: return WAKE_TURN_SUCCEEDED;
	case STOP_INTERRUPTED: return by_person ? WAKE_TURN_INTERRUPTED : WAKE_TURN_FAILED;
	case STOP_BUDGET_REACHED: return WAKE_TURN_PAUSED;
	case STOP_NONE:
	case STOP_REQUIRES_ACTION: /* no ends */
	case STOP_TERMINATED:
	case STOP_RETRIES_EXHAUSTED:
	case STOP_LIMIT_STEPS:
	case STOP_LIMIT_TIME:
	case STOP_LIMIT_LOOP: break;
	}
	return WAKE_TURN_FAILED;
}

struct wake_outcome
wake_policy_settle(const struct wake_item *w, enum wake_turn turn, int attempts, int64_t now_ms)
{
	switch (turn) {
	case WAKE_TURN_SUCCEEDED: return (struct wake_outcome){ .fate = WAKE_CONSUMED };
	case WAKE_TURN_INTERRUPTED: return (struct wake_outcome){ .fate = WAKE_CANCELLED };
	case WAKE_TURN_PAUSED:
		return (struct wake_outcome){ .fate = WAKE_KEPT, .attempt = w->attempt };
	case WAKE_TURN_FAILED: break;
	}
	if (w->attempt + 1 >= attempts)
		return (struct wake_outcome){ .fate = WAKE_PARKED, .attempt = w->attempt + 1 };
	return (struct wake_outcome){
		.fate = WAKE_AGAIN,
		.due_ms = now_ms + backoff_ms(w->attempt),
		.attempt = w->attempt + 1,
	};
}

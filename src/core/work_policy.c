#include "core/work_policy.h"

static const int64_t TTL_MS = WORK_TTL_S_DEFAULT * INT64_C(1000);

enum work_need
work_policy_need(const struct work_facts *f, bool queued)
{
	if (f->over)
		return WORK_NEED_STOP;
	if (f->remote && f->calls_wait)
		return WORK_NEED_ITEM;
	return queued ? WORK_NEED_STOP : WORK_NEED_NONE; /* others have answered meanwhile */
}

int64_t
work_policy_free_ms(const struct work_item *item, int64_t reclaim_ms)
{
	int64_t again_ms;

	if (item->state != WORK_QUEUED)
		return INT64_MAX;
	if (item->handed_ms == 0)
		return item->not_before_ms;
	again_ms = item->handed_ms + reclaim_ms;
	return again_ms > item->not_before_ms ? again_ms : item->not_before_ms;
}

void
work_policy_hand_out(struct work_item *item, struct str worker, const struct sha256 *token,
		     int64_t now_ms)
{
	item->handed_ms = now_ms;
	item->claim++;
	item->worker = worker;
	item->earlier = item->token;
	item->token = *token;
}

enum work_answer
work_policy_acknowledge(struct work_item *item, enum work_party by, int64_t now_ms)
{
	if (by == WORK_FORMER)
		return WORK_REFUSED;
	switch (item->state) {
	case WORK_QUEUED:
		item->state = WORK_STARTING;
		item->acknowledged_ms = now_ms;
		item->ttl_ms = TTL_MS;
		return WORK_CHANGED;
	case WORK_STARTING:
	case WORK_ACTIVE: return WORK_SAME;
	case WORK_STOPPING:
	case WORK_STOPPED: break;
	}
	return WORK_REFUSED;
}

static bool
is_held(const struct work_item *item)
{
	return item->state == WORK_STARTING || item->state == WORK_ACTIVE;
}

enum work_answer
work_policy_heartbeat(struct work_item *item, const struct work_heartbeat *beat, enum work_party by,
		      int64_t now_ms)
{
	if (item->state == WORK_STOPPING || item->state == WORK_STOPPED)
		return WORK_SAME;
	if (by == WORK_FORMER || !is_held(item) || now_ms >= work_policy_lease_end_ms(item))
		return WORK_LOST;
	if (beat->has_expected && beat->expected_ms != item->heartbeat_ms)
		return WORK_LOST;
	if (item->started_ms == 0)
		item->started_ms = now_ms;
	item->state = WORK_ACTIVE;
	/* No two are equal, or the second of them would not be told from the first. */
	item->heartbeat_ms = now_ms > item->heartbeat_ms ? now_ms : item->heartbeat_ms + 1;
	if (beat->ttl_ms > 0)
		item->ttl_ms = beat->ttl_ms;
	return WORK_CHANGED;
}

static void
end(struct work_item *item, int64_t now_ms)
{
	item->state = WORK_STOPPED;
	item->stopped_ms = now_ms;
	if (item->stop_requested_ms == 0)
		item->stop_requested_ms = now_ms;
}

enum work_answer
work_policy_stop(struct work_item *item, enum work_party by, bool force, int64_t now_ms)
{
	if (by == WORK_FORMER || item->state == WORK_STOPPED)
		return WORK_REFUSED;
	if (force || by != WORK_OPERATOR || item->state == WORK_QUEUED) {
		end(item, now_ms);
		return WORK_CHANGED;
	}
	if (item->state == WORK_STOPPING)
		return WORK_SAME;
	item->state = WORK_STOPPING;
	item->stop_requested_ms = now_ms;
	return WORK_CHANGED;
}

int64_t
work_policy_lease_end_ms(const struct work_item *item)
{
	int64_t since_ms = item->heartbeat_ms > 0 ? item->heartbeat_ms : item->acknowledged_ms;

	if (is_held(item) || item->state == WORK_STOPPING)
		return since_ms + item->ttl_ms;
	return INT64_MAX;
}

void
work_policy_expire(struct work_item *item, bool calls_wait, int64_t now_ms)
{
	if (item->state == WORK_STOPPING || !calls_wait) {
		end(item, now_ms);
		return;
	}
	item->state = WORK_QUEUED;
	item->handed_ms = 0;
	item->acknowledged_ms = item->started_ms = item->heartbeat_ms = 0;
}

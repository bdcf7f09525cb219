#include "engine/expiry.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/xalloc.h"
#include "engine/agent_cache.h"
#include "engine/expiry_private.h"
#include "engine/lane_sweep.h"

enum {
	PASS_MS = 300 * 1000,
	PRUNE_MS = 3600 * 1000,
	PAGE_ROWS = 50,
};
static const int64_t DAY_MS = INT64_C(24) * 3600 * 1000;

static void next_lane(struct expiry *x);

void
expiry_lane_over(struct expiry *x)
{
	look_free(&x->look);
	arena_reset(&x->lane_arena);
	x->at++;
	next_lane(x);
}

/* ---- one lane is written ---- */

static void
on_changed(void *ctx, int rc, const struct err *err, const struct lane *lane)
{
	struct expiry *x = ctx;

	(void)lane;
	if (rc != 0)
		log_write(LOG_WARN, "expiry.not_written", LOG_STR("lane", x->lane.id),
			  LOG_STR("error", str_of(err->text)));
	expiry_lane_over(x);
}

void
expiry_write_lane(struct expiry *x, lane_decide_fn *decide)
{
	lane_change(x->en,
		    &(struct lane_change){
			    .id = x->lane.id, .decide = decide, .done = on_changed, .ctx = x });
}

/* Its session is deleted: nothing is left to put away. */
static bool
end_deleted(void *ctx, struct lane_entry *entry)
{
	struct expiry *x = ctx;

	return expiry_finalize_entry(x, entry);
}

/* Used since its lane was written, or by a policy that has changed: due at another time. */
static bool
put_off(void *ctx, struct lane_entry *entry)
{
	struct expiry *x = ctx;

	if (x->look && x->look->found && str_eq(entry->session_id, x->look->session_id))
		lane_entry_count(entry, &x->look->session.row.counters);
	return true;
}

/* ---- one lane is looked at ---- */

static bool
is_busy(struct expiry *x)
{
	struct look *l = x->look;
	size_t waiting;

	look_queue(l, &l->arena, &waiting);
	return l->session.row.state.phase != TURN_NONE || waiting > 0 || l->wakes.len > 0 ||
	       expiry_runs_now(x, l->session_id);
}

static bool
has_expired(struct expiry *x)
{
	struct lane_entry *entry = &x->lane.entry;
	struct reset_policy policy = lane_policy(x->en, entry);
	int64_t active = x->look->session.row.counters.last_activity_ms;
	struct reset_facts f = {
		.now_ms = host_now_ms(x->en->host),
		.last_active_ms = active > entry->updated_ms ? active : entry->updated_ms,
		.boundary_ms = lane_boundary_ms(x->en, entry, policy.daily_hour),
	};

	return reset_policy_decide(&policy, &f) != RESET_NONE;
}

static void
on_looked(void *ctx, int rc, const struct err *err)
{
	struct expiry *x = ctx;

	if (rc != 0) {
		log_write(LOG_WARN, "expiry.not_read", LOG_STR("lane", x->lane.id),
			  LOG_STR("error", str_of(err->text)));
		expiry_lane_over(x);
	} else if (!x->look->found) {
		expiry_write_lane(x, end_deleted);
	} else if (is_busy(x)) {
		expiry_lane_over(x);
	} else if (!has_expired(x)) {
		expiry_write_lane(x, put_off);
	} else {
		expiry_finalize(x);
	}
}

static void
on_lane(void *ctx, int rc, const struct err *err, const struct lane *lane)
{
	struct expiry *x = ctx;

	if (rc != 0)
		log_write(LOG_WARN, "expiry.not_read", LOG_STR("lane", x->due.ptr[x->at]),
			  LOG_STR("error", str_of(err->text)));
	if (rc != 0 || lane->version == 0 || lane->entry.expiry_finalized ||
	    lane->entry.recover.resume_pending) { /* that one goes on before any policy is asked */
		expiry_lane_over(x);
		return;
	}
	x->lane = lane_copy(&x->lane_arena, lane);
	x->look = look_start(x->en, x->lane.entry.session_id, false, on_looked, x);
}

/* ---- the lanes that are due ---- */

static bool
on_due_row(void *ctx, const struct store_row *row)
{
	struct expiry *x = ctx;

	x->last_due_ms = row->record->due_at_ms;
	buf_clear(&x->last_id);
	buf_put_str(&x->last_id, row->record->id);
	*vec_push(&x->due) = arena_str(&x->arena, row->record->id);
	return true;
}

static void
on_due(void *ctx, int rc, bool more, const struct err *err)
{
	struct expiry *x = ctx;

	if (rc != 0)
		log_write(LOG_WARN, "expiry.not_read", LOG_STR("error", str_of(err->text)));
	x->more = rc == 0 && more;
	next_lane(x);
}

static void
read_due(struct expiry *x)
{
	arena_reset(&x->arena);
	vec_clear(&x->due);
	x->at = 0;
	store_read(x->en->store,
		   &(struct store_query){ .kind = STORE_LIST_RECORDS,
					  .record_kind = RECORD_LANE,
					  .due_until_ms = x->now_ms,
					  .after = x->last_due_ms,
					  .record_id = buf_str(&x->last_id),
					  .limit = PAGE_ROWS },
		   on_due_row, on_due, x);
}

/* ---- a pass ---- */

void
expiry_pass_over(struct expiry *x)
{
	struct engine *en = x->en;

	x->under_way = false;
	if (!en->draining)
		en->host->ops->timer_set(x->timer, PASS_MS);
	en->open_turns--;
	engine_turn_closed(en);
}

static void
on_pruned(void *ctx, int rc, const struct err *err, int64_t changed)
{
	struct expiry *x = ctx;

	if (rc != 0)
		log_write(LOG_WARN, "expiry.not_pruned", LOG_STR("error", str_of(err->text)));
	else if (changed > 0)
		log_write(LOG_INFO, "expiry.pruned", LOG_INT("lanes", changed));
	expiry_stale(x);
}

static void
lanes_over(struct expiry *x)
{
	int64_t days = x->en->config.settings.lane_max_age_days;

	if (x->en->draining) {
		expiry_pass_over(x);
	} else if (days > 0 && (x->pruned_ms == 0 || x->now_ms - x->pruned_ms >= PRUNE_MS)) {
		x->pruned_ms = x->now_ms;
		lane_prune(x->en, days * DAY_MS, on_pruned, x);
	} else {
		expiry_stale(x);
	}
}

static void
next_lane(struct expiry *x)
{
	if (x->en->draining)
		lanes_over(x);
	else if (x->at < x->due.len)
		lane_find(x->en, x->due.ptr[x->at], on_lane, x);
	else if (x->more)
		read_due(x);
	else
		lanes_over(x);
}

static void
on_timer(void *ctx)
{
	struct expiry *x = ctx;

	if (x->en->draining || x->under_way)
		return;
	x->under_way = true;
	x->en->open_turns++; /* a drain waits for it */
	x->now_ms = host_now_ms(x->en->host);
	agent_cache_sweep(x->en->agents);
	x->last_due_ms = 0;
	buf_clear(&x->last_id);
	read_due(x);
}

/* ---- life ---- */

struct expiry *
expiry_new(struct engine *en)
{
	struct expiry *x = xcalloc(1, sizeof *x);

	x->en = en;
	arena_init(&x->arena);
	arena_init(&x->lane_arena);
	buf_init(&x->last_id, STORE_RECORD_ID_MAX);
	buf_init(&x->rested_id, STORE_RECORD_ID_MAX);
	return x;
}

void
expiry_start(struct expiry *x)
{
	x->timer = x->en->host->ops->timer_new(x->en->host, on_timer, x);
	x->en->host->ops->timer_set(x->timer, PASS_MS);
}

void
expiry_give_up(struct expiry *x)
{
	if (!x->hook)
		return;
	TAKE(x->hook)->x = NULL;
	expiry_lane_over(x);
}

void
expiry_free(struct expiry **p)
{
	struct expiry *x = *p;

	if (!x)
		return;
	if (x->hook)
		x->hook->x = NULL;
	if (x->timer)
		x->en->host->ops->timer_free(x->timer);
	look_free(&x->look);
	vec_release(&x->due);
	vec_release(&x->resting);
	arena_release(&x->arena);
	arena_release(&x->lane_arena);
	buf_release(&x->last_id);
	buf_release(&x->rested_id);
	free(x);
	*p = NULL;
}

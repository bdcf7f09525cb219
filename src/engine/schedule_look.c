/* schedule_look - one look at one schedule: what is known of it, how its open run goes, what the core
 * makes of that, and that it is done. */
#include <stdlib.h>

#include "base/log.h"
#include "base/xalloc.h"
#include "engine/schedule_private.h"

enum { TRIES_MAX = 8, RETRY_MS = 1000 };

static void read_schedule(struct schedule_look *l);

static void
look_free(struct schedule_look *l)
{
	struct schedule *part = l->part;
	struct engine *en = l->en;

	map_remove(&part->looks, l->id);
	buf_release(&l->fate.said);
	arena_release(&l->arena);
	free(l);
	schedule_look_over(part);
	en->open_turns--;
	engine_turn_closed(en);
}

void
schedule_look_end(struct schedule_look *l, int rc, const struct err *err)
{
	bool moved = rc == ERR_CONFLICT && ++l->tries < TRIES_MAX;

	if (rc != 0 && !moved) {
		log_write(LOG_WARN, "schedule.failed", LOG_STR("schedule", l->id),
			  LOG_STR("error", str_of(err->text)));
		schedule_arm(l->part, host_now_ms(l->en->host) + RETRY_MS);
	}
	if ((!moved && !l->once_more) || l->en->draining) {
		look_free(l);
		return;
	}
	l->once_more = false;
	read_schedule(l);
}

/* ---- writing ---- */

void
schedule_look_put(struct schedule_look *l, struct commit *c)
{
	struct schedule_facts f = { &l->def, l->zone, &l->state, host_now_ms(l->en->host) };

	l->state.next_ms = schedule_plan_due(&f);
	commit_put(c, &(struct store_put){
			      .record = { .kind = RECORD_SCHEDULE,
					  .id = l->id,
					  .due_at_ms = l->state.next_ms,
					  .body = schedule_body_write(
						  json_raw(schedule_body_definition(l->body)),
						  &l->state, &l->arena) },
			      .if_version = l->version });
}

void
schedule_look_report(struct schedule_look *l, struct commit *c, const struct schedule_report *r)
{
	struct schedule_report full = *r;

	full.schedule_id = l->id;
	full.session_id = l->session;
	full.delivery = l->def.delivery.kind;
	commit_put(c, &(struct store_put){
			      .record = { .kind = RECORD_SCHEDULE_RUN,
					  .id = full.run->id,
					  .owner = l->id,
					  .body = schedule_report_write(&full, &l->arena) },
			      .if_version = STORE_VERSION_ANY });
}

static void
on_waits(void *ctx, const struct commit_result *result)
{
	struct schedule_look *l = ctx;

	if (result->store->rc == 0)
		schedule_arm(l->part, l->state.next_ms);
	schedule_look_end(l, result->store->rc, &result->store->err);
}

/* Slots that were left out, and a clock that was set back, are to be remembered. */
static void
wait_on(struct schedule_look *l)
{
	struct commit *c;

	if (l->plan.decided_ms == l->state.decided_ms && l->plan.due_ms == l->state.next_ms) {
		schedule_arm(l->part, l->state.next_ms);
		schedule_look_end(l, 0, NULL);
		return;
	}
	l->state.decided_ms = l->plan.decided_ms;
	c = commit_new(l->en, STR(""));
	schedule_look_put(l, c);
	commit_submit(c, on_waits, l);
}

/* ---- deciding ---- */

static void
act(struct schedule_look *l)
{
	l->plan = schedule_plan_decide(
		&(struct schedule_facts){ &l->def, l->zone, &l->state, host_now_ms(l->en->host) });
	switch (l->plan.step) {
	case SCHEDULE_WAIT: wait_on(l); return;
	case SCHEDULE_FIRE: schedule_fire(l); return;
	case SCHEDULE_STOP: schedule_stop(l); return;
	}
}

static void
on_fate(struct schedule_look *l, int rc, const struct err *err)
{
	if (rc != 0)
		schedule_look_end(l, rc, err);
	else if (l->fate.ended)
		schedule_end(l);
	else
		act(l);
}

/* ---- what is known ---- */

static bool
on_row(void *ctx, const struct store_row *row)
{
	struct schedule_look *l = ctx;
	struct json_doc *doc = ARENA_NEW(&l->arena, struct json_doc);

	l->version = row->record->version;
	l->found = json_parse(&l->arena, arena_str(&l->arena, row->record->body),
			      &JSON_LIMITS_DEFAULT, doc, NULL) == 0;
	l->body = json_root(doc);
	return false;
}

static int
understand(struct schedule_look *l, struct err *e)
{
	int rc = schedule_def_read(schedule_body_definition(l->body), &l->arena, &l->def, e);

	if (rc == 0)
		rc = schedule_zone(l->en, l->def.time_zone, &l->zone, e);
	if (rc == 0)
		l->state = schedule_state_read(l->body, &l->arena);
	return rc;
}

static void
on_read(void *ctx, int rc, bool more, const struct err *err)
{
	struct schedule_look *l = ctx;
	struct err e = { 0 };

	(void)more;
	if (rc != 0 || !l->found) { /* deleted meanwhile, or never a schedule's session */
		schedule_look_end(l, rc, err);
		return;
	}
	rc = understand(l, &e);
	if (rc != 0)
		schedule_look_end(l, rc, &e);
	else if (l->state.run.id.len > 0 && l->state.run.fired_ms != 0)
		schedule_fate_read(l, on_fate);
	else
		act(l);
}

static void
read_schedule(struct schedule_look *l)
{
	l->found = false;
	store_read(l->en->store,
		   &(struct store_query){ .kind = STORE_GET_RECORD,
					  .record_kind = RECORD_SCHEDULE,
					  .record_id = l->id,
					  .limit = 1 },
		   on_row, on_read, l);
}

void
schedule_look(struct engine *en, struct str id)
{
	struct schedule_look *l = map_find(&en->schedule->looks, id);

	if (en->draining)
		return;
	if (l) {
		l->once_more = true;
		return;
	}
	l = xcalloc(1, sizeof *l);
	l->part = en->schedule;
	l->en = en;
	arena_init(&l->arena);
	buf_init(&l->fate.said, STORE_PAYLOAD_MAX);
	l->id = arena_str(&l->arena, id);
	l->session = schedule_session_id(&l->arena, id);
	map_put(&en->schedule->looks, l->id, l);
	en->open_turns++; /* a drain waits for looks */
	read_schedule(l);
}

#include "engine/schedule.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "engine/schedule_private.h"

enum {
	PAGE_ROWS = 100,
	LONGEST_MS = 60000, /* clocks are set and machines sleep: never rely on one long wait */
	RETRY_MS = 1000,
};

/* Goes through the schedules that are due, or through all of them, a page at a time. */
struct schedule_scan {
	struct schedule *part;
	struct arena arena;
	bool all, more;
	bool looking; /* the page was read; its looks are under way */
	int64_t now_ms;
	VEC(struct str) ids;
	int64_t last_due_ms, next_due_ms; /* next: the first that is not due yet; 0: none */
	struct str last_id;
};

struct str
schedule_session_id(struct arena *a, struct str schedule)
{
	return arena_printf(a, STR_FMT ":" STR_FMT, STR_ARG(SCHEDULE_NAMESPACE), STR_ARG(schedule));
}

int
schedule_zone(struct engine *en, struct str name, const struct zone **out, struct err *e)
{
	const struct engine_zones *zones = &en->config.zones;

	if (name.len == 0 || str_eq(name, STR("UTC"))) {
		*out = &ZONE_UTC;
		return 0;
	}
	if (!zones->find)
		return err_set(e, ERR_INVALID, "no time zone but UTC is known here");
	return zones->find(zones->ctx, name, out, e);
}

/* ---- the timer ---- */

void
schedule_arm(struct schedule *s, int64_t due_ms)
{
	int64_t now_ms = host_now_ms(s->en->host);
	int64_t delay_ms = due_ms > now_ms ? due_ms - now_ms : 0;

	if (due_ms == 0 || s->en->draining || (s->armed_ms != 0 && s->armed_ms <= due_ms))
		return;
	if (s->armed_ms == 0)
		s->seen_ms = now_ms;
	s->armed_ms = due_ms;
	s->en->host->ops->timer_set(s->timer, delay_ms < LONGEST_MS ? delay_ms : LONGEST_MS);
}

/* ---- going through them ---- */

static void scan_page(struct schedule_scan *c);
static void scan_start(struct schedule *s, bool all);

static void
scan_free(struct schedule_scan *c)
{
	struct schedule *s = c->part;
	struct engine *en = s->en;
	bool again = s->scan_again, all = s->scan_all;

	s->scan = NULL;
	s->scan_again = s->scan_all = false;
	schedule_arm(s, c->next_due_ms);
	vec_release(&c->ids);
	arena_release(&c->arena);
	free(c);
	if (again && !en->draining)
		scan_start(s, all);
	en->open_turns--;
	engine_turn_closed(en);
}

static bool
on_row(void *ctx, const struct store_row *row)
{
	struct schedule_scan *c = ctx;
	const struct store_record *r = row->record;

	if (!c->all && r->due_at_ms > c->now_ms) {
		c->next_due_ms = r->due_at_ms;
		return false;
	}
	c->last_due_ms = r->due_at_ms;
	c->last_id = arena_str(&c->arena, r->id);
	*vec_push(&c->ids) = c->last_id;
	return true;
}

static void
scan_go_on(struct schedule_scan *c)
{
	c->looking = false;
	if (c->more && !c->part->en->draining)
		scan_page(c);
	else
		scan_free(c);
}

static void
on_page(void *ctx, int rc, bool more, const struct err *err)
{
	struct schedule_scan *c = ctx;
	struct schedule *s = c->part;

	if (rc != 0) {
		log_write(LOG_WARN, "schedule.due_failed", LOG_STR("error", str_of(err->text)));
		vec_clear(&c->ids);
		c->next_due_ms = host_now_ms(s->en->host) + RETRY_MS;
	}
	c->more = rc == 0 && more && c->next_due_ms == 0;
	c->looking = true;
	for (size_t i = 0; i < c->ids.len; i++)
		schedule_look(s->en, c->ids.ptr[i]);
	vec_clear(&c->ids);
	if (s->looks.count == 0)
		scan_go_on(c);
}

static void
scan_page(struct schedule_scan *c)
{
	store_read(c->part->en->store,
		   &(struct store_query){ .kind = STORE_LIST_RECORDS,
					  .record_kind = RECORD_SCHEDULE,
					  .due_until_ms = c->all ? 0 : INT64_MAX,
					  .after = c->all ? 0 : c->last_due_ms,
					  .record_id = c->last_id,
					  .limit = PAGE_ROWS },
		   on_row, on_page, c);
}

static void
scan_start(struct schedule *s, bool all)
{
	struct schedule_scan *c;

	if (s->scan) {
		s->scan_again = true;
		s->scan_all |= all;
		return;
	}
	c = xcalloc(1, sizeof *c);
	c->part = s;
	c->all = all;
	c->now_ms = host_now_ms(s->en->host);
	arena_init(&c->arena);
	s->scan = c;
	s->scan_again = !all ? s->scan_again : true; /* then whatever is due, for the timer */
	s->en->open_turns++;                         /* a drain waits for it */
	scan_page(c);
}

void
schedule_look_over(struct schedule *s)
{
	if (s->scan && s->scan->looking && s->looks.count == 0)
		scan_go_on(s->scan);
}

static void
on_timer(void *ctx)
{
	struct schedule *s = ctx;
	int64_t now_ms = host_now_ms(s->en->host);
	bool set_back = now_ms < s->seen_ms;

	s->armed_ms = 0;
	s->seen_ms = now_ms;
	if (!s->en->draining)
		scan_start(s, set_back);
}

/* ---- what happened ---- */

static bool
may_end_run(enum event_kind kind)
{
	return kind == EVENT_STATUS_IDLE || kind == EVENT_STATUS_TERMINATED ||
	       kind == EVENT_INPUT_CANCELLED || kind == EVENT_SESSION_DELETED;
}

void
schedule_on_events(struct engine *en, struct str session, const struct event *events, size_t count)
{
	const struct str prefix = STR("schedule:");

	if (en->draining || !str_starts(session, prefix))
		return;
	for (size_t i = 0; i < count; i++)
		if (may_end_run(events[i].kind)) {
			schedule_look(en, str_slice(session, prefix.len, session.len));
			return;
		}
}

/* ---- life ---- */

struct schedule *
schedule_new(struct engine *en)
{
	struct schedule *s = xcalloc(1, sizeof *s);

	s->en = en;
	map_init(&s->looks, rand_u64(&en->rand));
	s->timer = en->host->ops->timer_new(en->host, on_timer, s);
	return s;
}

void
schedule_start(struct engine *en)
{
	scan_start(en->schedule, true);
}

void
schedule_drain(struct engine *en)
{
	en->host->ops->timer_set(en->schedule->timer, -1);
}

void
schedule_free(struct schedule **p)
{
	struct schedule *s = *p;

	if (!s)
		return;
	s->en->host->ops->timer_free(s->timer);
	map_release(&s->looks);
	free(s);
	*p = NULL;
}

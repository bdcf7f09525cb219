/* work_look - does a session need an item of its environment's work queue, or none any more?
 * Asked after commits that may change the answer, when a lease is over and after a start; nothing of
 * it stands in the way of the turn. One look at a session at a time. */
#include <stdlib.h>

#include "base/log.h"
#include "base/xalloc.h"
#include "core/environment_run.h"
#include "core/session.h"
#include "engine/work_private.h"

struct look {
	struct work *work;
	struct str session; /* in arena, like the rest */
	struct arena arena;
	bool once_more, again; /* to be repeated; after a stop */
	bool found;
	enum lifecycle lifecycle;
	struct str environment, definition;
	struct work_facts facts;
};

static void read_session(struct look *l);

static void
look_free(struct look *l)
{
	struct engine *en = l->work->en;

	map_remove(&l->work->looks, l->session);
	arena_release(&l->arena);
	free(l);
	work_scan_next(en->work);
	en->open_turns--;
	engine_turn_closed(en);
}

static void
look_end(struct look *l)
{
	if (!l->once_more || l->work->en->draining) {
		look_free(l);
		return;
	}
	l->once_more = l->found = false;
	l->facts = (struct work_facts){ 0 };
	l->definition = (struct str){ 0 };
	read_session(l);
}

/* What failed is looked at again with the next event, lease or start. */
static void
complain(const struct look *l, int rc, const struct err *err)
{
	if (rc != 0 && rc != ERR_CONFLICT && rc != ERR_UNAVAILABLE)
		log_write(LOG_WARN, "work.look_failed", LOG_STR("session", l->session),
			  LOG_STR("error", str_of(err->text)));
}

static void
on_changed(void *ctx, const struct engine_answer *answer)
{
	struct look *l = ctx;

	complain(l, answer->rc, answer->err);
	look_end(l);
}

static void
judge(struct look *l)
{
	struct engine *en = l->work->en;
	const struct engine_call call = { .done = on_changed, .ctx = l };
	const struct work_entry *entry = map_find(&l->work->sessions, l->session);
	int64_t now_ms = host_now_ms(en->host);
	struct engine_work item = { 0 };
	enum work_need need =
		work_policy_need(&l->facts, entry && entry->item.state == WORK_QUEUED);
	bool again = l->again;

	l->again = false;
	if (entry)
		item = (struct engine_work){ entry->item.environment_id, entry->item.id };
	if (need == WORK_NEED_STOP && entry)
		work_end(en, item, &call);
	else if (entry && work_policy_lease_end_ms(&entry->item) <= now_ms)
		work_expire(en, item, need == WORK_NEED_ITEM, &call);
	else if (need == WORK_NEED_ITEM && !entry)
		work_create(en, l->environment, l->session, now_ms + (again ? WORK_AGAIN_MS : 0),
			    &call);
	else
		look_end(l);
}

/* ---- the facts ---- */

static bool
on_call_row(void *ctx, const struct store_row *row)
{
	struct look *l = ctx;

	l->facts.calls_wait |= row->call->client_side && row->call->state == CALL_WAITS_RESULT &&
			       row->call->answer_id.len == 0;
	return !l->facts.calls_wait;
}

static void
on_calls(void *ctx, int rc, bool more, const struct err *err)
{
	struct look *l = ctx;

	(void)more; /* a turn has fewer than a page holds */
	complain(l, rc, err);
	if (rc != 0)
		look_end(l);
	else
		judge(l);
}

static bool
on_environment_row(void *ctx, const struct store_row *row)
{
	struct look *l = ctx;

	l->definition = arena_str(&l->arena, row->record->body);
	return false;
}

static void
on_environment(void *ctx, int rc, bool more, const struct err *err)
{
	struct look *l = ctx;
	struct environment_run where;
	struct json_doc doc;

	(void)more;
	complain(l, rc, err);
	if (rc != 0) {
		look_end(l);
		return;
	}
	if (l->definition.len > 0 &&
	    json_parse(&l->arena, l->definition, &JSON_LIMITS_DEFAULT, &doc, NULL) == 0) {
		environment_run_read(json_root(&doc), &l->arena, &where);
		l->facts.remote = where.by_worker;
	}
	store_read(l->work->en->store,
		   &(struct store_query){ .kind = STORE_LIST_CALLS,
					  .session = l->session,
					  .limit = STORE_PAGE_ROWS_MAX },
		   on_call_row, on_calls, l);
}

static bool
on_session_row(void *ctx, const struct store_row *row)
{
	struct look *l = ctx;
	const struct store_session *s = row->session;

	l->found = !s->row.deleted;
	l->lifecycle = s->row.state.lifecycle;
	l->environment = arena_str(&l->arena, s->environment_id);
	return false;
}

static void
on_session(void *ctx, int rc, bool more, const struct err *err)
{
	struct look *l = ctx;

	(void)more;
	complain(l, rc, err);
	if (rc != 0) {
		look_end(l);
		return;
	}
	l->facts.over = !l->found || l->lifecycle == LIFECYCLE_ARCHIVED ||
			l->lifecycle == LIFECYCLE_TERMINATED;
	if (l->facts.over || l->environment.len == 0)
		judge(l);
	else
		store_read(l->work->en->store,
			   &(struct store_query){ .kind = STORE_GET_RECORD,
						  .record_kind = RECORD_ENVIRONMENT,
						  .record_id = l->environment,
						  .limit = 1 },
			   on_environment_row, on_environment, l);
}

static void
read_session(struct look *l)
{
	store_read(l->work->en->store,
		   &(struct store_query){
			   .kind = STORE_GET_SESSION, .session = l->session, .limit = 1 },
		   on_session_row, on_session, l);
}

void
work_look(struct engine *en, struct str session, bool again)
{
	struct look *l = map_find(&en->work->looks, session);

	if (en->draining)
		return;
	if (l) {
		l->once_more = true;
		l->again |= again;
		return;
	}
	l = xcalloc(1, sizeof *l);
	l->work = en->work;
	l->again = again;
	arena_init(&l->arena);
	l->session = arena_str(&l->arena, session);
	map_put(&en->work->looks, l->session, l);
	en->open_turns++; /* a drain waits for looks too */
	read_session(l);
}

/* ---- which commits ask for it? ---- */

/* A call that a client executes, or a park: there may be something to do. */
static bool
may_bring_work(const struct event *ev)
{
	switch ((int)ev->kind) {
	case EVENT_AGENT_CUSTOM_TOOL_USE: return true;
	case EVENT_AGENT_TOOL_USE: return str_contains(ev->payload, STR("\"client\""));
	case EVENT_STATUS_IDLE: return str_contains(ev->payload, STR("\"requires_action\""));
	default: return false;
	}
}

/* A turn or a session that is over: there may be nothing to do any more. */
static bool
may_end_work(enum event_kind kind)
{
	return kind == EVENT_STATUS_IDLE || kind == EVENT_STATUS_TERMINATED ||
	       kind == EVENT_SESSION_UPDATED || kind == EVENT_SESSION_DELETED;
}

void
work_on_events(struct engine *en, struct str session, const struct event *events, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (may_bring_work(&events[i]) ||
		    (may_end_work(events[i].kind) && map_find(&en->work->sessions, session))) {
			work_look(en, session, false);
			return;
		}
}

#include "engine/engine.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/xalloc.h"
#include "engine/actor.h"
#include "engine/admission.h"
#include "engine/agent_cache.h"
#include "engine/busy_default.h"
#include "engine/catalog.h"
#include "engine/engine_private.h"
#include "engine/expiry.h"
#include "engine/fanout.h"
#include "engine/identity.h"
#include "engine/own_tool.h"
#include "engine/pause.h"
#include "engine/recover.h"
#include "engine/retention.h"
#include "engine/schedule.h"
#include "engine/spending.h"
#include "engine/wake.h"
#include "engine/work.h"
#include "engine/workspace.h"

/* A block holds a small command, or its commit; so many may be on their way at once. */
enum { ARENA_BLOCK_BYTES = 752, ARENA_BLOCKS_KEPT = 512 };

struct engine *
engine_new(const struct engine_config *config)
{
	struct engine *en = xcalloc(1, sizeof *en);

	en->config = *config;
	en->store = config->store;
	en->host = config->host;
	rand_init_os(&en->rand);
	id_gen_init(&en->ids, &en->rand);
	en->started_at_ms = host_now_ms(en->host);
	IGNORE(id_make(&en->ids, en->started_at_ms, "srv", en->instance)); /* a view of it */
	map_init(&en->actors, rand_u64(&en->rand));
	map_init(&en->flights, rand_u64(&en->rand));
	buf_init(&en->scratch, STORE_PAYLOAD_MAX);
	arena_pool_init(&en->arenas, ARENA_BLOCK_BYTES, ARENA_BLOCKS_KEPT);
	en->change_head = store_change_head(config->store);
	list_init(&en->watches);
	list_init(&en->told_up_to);
	list_init(&en->setups);
	en->own_tools = OWN_TOOLS;
	en->identity = identity_new(en);
	en->admission = admission_new(en);
	en->catalog = catalog_new(en);
	en->workspaces = workspaces_new(en);
	en->agents = agent_cache_new(en);
	en->wake = wake_new(en);
	en->work = work_new(en);
	en->schedule = schedule_new(en);
	en->spending = spending_new(en);
	en->expiry = expiry_new(en);
	en->retention = retention_new(en);
	return en;
}

void
engine_reload(struct engine *en, const struct engine_settings *settings)
{
	const struct engine_settings *old = &en->config.settings;
	bool budgets = old->user_budget != settings->user_budget ||
		       old->day_budget != settings->day_budget;
	bool days = old->deleted_ms != settings->deleted_ms;

	en->config.settings = *settings;
	if (days)
		retention_hurry(en->retention);
	if (!budgets)
		return;
	spending_reload(en->spending);
	pause_reload(en);
}

struct model_facts
engine_model_facts(const struct engine *en, struct str workspace)
{
	const struct workspace_settings *settled = workspaces_find(en->workspaces, workspace);

	return (struct model_facts){
		.workspace = settled ? settled->model : (struct str){ 0 },
		.server = en->config.settings.default_model,
	};
}

struct host *
engine_host(struct engine *en)
{
	return en->host;
}

struct engine_stats
engine_stats(const struct engine *en)
{
	return (struct engine_stats){
		.events = en->events_appended,
		.open_turns = en->open_turns,
		.live_sessions = en->actors.count,
		.kept_agents = agent_cache_count(en->agents),
		.kept_agent_bytes = agent_cache_bytes(en->agents),
		.put_off = en->put_off,
		.tools = engine_tool_load(en, STR("")),
	};
}

struct str
engine_make_id(struct engine *en, struct arena *a, const char *prefix)
{
	char text[ID_TEXT_MAX];

	return arena_str(a, id_make(&en->ids, host_now_ms(en->host), prefix, text));
}

/* ---- start ---- */

/* Parts load one after the other; the first that fails ends it. */
struct starting {
	struct engine *en;
	void (*done)(void *ctx, int rc, const struct err *err);
	void *ctx;
};

static bool
start_failed(struct starting *s, int rc, const struct err *err)
{
	if (rc == 0)
		return false;
	s->done(s->ctx, rc, err);
	free(s);
	return true;
}

static void
on_recovered(void *ctx, int rc, const struct err *err)
{
	struct starting *s = ctx;

	if (start_failed(s, rc, err))
		return;
	schedule_start(s->en);
	expiry_start(s->en->expiry);
	retention_start(s->en->retention);
	s->done(s->ctx, 0, NULL);
	free(s);
}

static void
on_marked(void *ctx, int rc, const struct err *err)
{
	struct starting *s = ctx;

	if (!start_failed(s, rc, err))
		wake_recover(s->en, on_recovered, s);
}

static void
on_busy_default(void *ctx, int rc, const struct err *err)
{
	struct starting *s = ctx;

	if (!start_failed(s, rc, err))
		recover_start(s->en, on_marked, s);
}

static void
on_spending(void *ctx, int rc, const struct err *err)
{
	struct starting *s = ctx;

	if (!start_failed(s, rc, err))
		busy_default_load(s->en, on_busy_default, s);
}

static void
on_work(void *ctx, int rc, const struct err *err)
{
	struct starting *s = ctx;

	if (!start_failed(s, rc, err))
		spending_load(s->en->spending, on_spending, s);
}

static void
on_identity(void *ctx, int rc, const struct err *err)
{
	struct starting *s = ctx;

	if (!start_failed(s, rc, err))
		work_load(s->en, on_work, s);
}

static void
on_workspaces(void *ctx, int rc, const struct err *err)
{
	struct starting *s = ctx;

	if (!start_failed(s, rc, err))
		identity_load(s->en->identity, on_identity, s);
}

static void
on_admission(void *ctx, int rc, const struct err *err)
{
	struct starting *s = ctx;

	if (!start_failed(s, rc, err))
		workspaces_load(s->en->workspaces, on_workspaces, s);
}

static void
on_catalog(void *ctx, int rc, const struct err *err)
{
	struct starting *s = ctx;

	if (!start_failed(s, rc, err))
		admission_load(s->en->admission, on_admission, s);
}

void
engine_start(struct engine *en, void (*done)(void *ctx, int rc, const struct err *err), void *ctx)
{
	struct starting *s = xcalloc(1, sizeof *s);

	*s = (struct starting){ en, done, ctx };
	catalog_load(en->catalog, on_catalog, s);
}

/* ---- end ---- */

void
engine_drain(struct engine *en, int64_t timeout_ms, enum recover_reason why,
	     void (*done)(void *ctx), void *ctx)
{
	en->draining = true;
	en->drain_why = why;
	en->drained = done;
	en->drained_ctx = ctx;
	wake_drain(en, timeout_ms);
	work_drain(en);
	schedule_drain(en);
	engine_turn_closed(en);
}

static void
report_drained(struct host_task *task)
{
	struct engine *en = LIST_OWNER(task, struct engine, drain_task);
	void (*done)(void *ctx) = en->drained;

	if (!done || en->open_turns > 0)
		return;
	en->drained = NULL;
	fanout_end(en);
	done(en->drained_ctx);
}

void
engine_turn_closed(struct engine *en)
{
	if (!en->draining || en->open_turns > 0 || !en->drained)
		return;
	if (!en->drain_task.fn) {
		list_init(&en->drain_task.node);
		en->drain_task.fn = report_drained;
	}
	host_defer(en->host, &en->drain_task);
}

void
engine_free(struct engine **en)
{
	if (!*en)
		return;
	if ((*en)->rights_task.fn)
		list_remove(&(*en)->rights_task.node);
	fanout_end(*en);
	for (;;) { /* what only a watch kept alive */
		size_t at = 0;
		struct str key;
		void *value;

		if (!map_next(&(*en)->actors, &at, &key, &value))
			break;
		map_remove(&(*en)->actors, key);
		free(value);
	}
	schedule_free(&(*en)->schedule);
	expiry_free(&(*en)->expiry);
	retention_free(&(*en)->retention);
	work_free(&(*en)->work);
	wake_free(&(*en)->wake);
	spending_free(&(*en)->spending);
	workspaces_free(&(*en)->workspaces);
	agent_cache_free(&(*en)->agents);
	catalog_free(&(*en)->catalog);
	admission_free(&(*en)->admission);
	identity_free(&(*en)->identity);
	map_release(&(*en)->actors);
	map_release(&(*en)->flights);
	buf_release(&(*en)->scratch);
	arena_pool_release(&(*en)->arenas);
	free(TAKE(*en));
}

void
engine_on_grown(struct engine *en, struct str session, int64_t head_seq)
{
	/* Every commit of this process is told by engine/commit; other nodes' come with postgres. */
	(void)en, (void)session, (void)head_seq;
}

/* ---- refusals ---- */

struct refusal {
	struct host_task task;
	engine_done_fn *done;
	void *ctx;
	int rc;
	struct err err;
};

static void
refuse_now(struct host_task *task)
{
	struct refusal *r = LIST_OWNER(task, struct refusal, task);

	r->done(r->ctx, &(struct engine_answer){ .rc = r->rc, .err = &r->err });
	free(r);
}

void
engine_refuse(struct engine *en, const struct engine_call *call, int rc, const struct err *e)
{
	struct refusal *r = xcalloc(1, sizeof *r);

	*r = (struct refusal){ .done = call->done, .ctx = call->ctx, .rc = rc, .err = *e };
	list_init(&r->task.node);
	r->task.fn = refuse_now;
	host_defer(en->host, &r->task);
}

bool
engine_is_closed(struct engine *en, const struct engine_call *call)
{
	struct err e;

	if (!en->draining)
		return false;
	engine_refuse(en, call,
		      err_set(&e, ERR_UNAVAILABLE, "the server is shutting down: try again soon"),
		      &e);
	return true;
}

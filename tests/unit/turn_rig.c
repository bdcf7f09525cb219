#include "turn_rig.h"

#include <stdlib.h>

#include "base/file.h"
#include "base/xalloc.h"
#include "core/event_make.h"
#include "provider/demo.h"
#include "store/mem/mem.h"

static const int64_t NOW_MS = INT64_C(1750000000000);

void
rig_settle_until(struct rig *r, const bool *done)
{
	virtual_host_settle(&r->host);
	assert_true(*done);
}

/* ---- a disk that fills up ---- */

struct fault {
	struct host_task task;
	store_append_fn *appended;
	store_read_fn *read;
	void *ctx;
	struct rig *rig;
	struct store_result result; /* held */
};

static void
tell_fault(struct host_task *task)
{
	struct fault *f = LIST_OWNER(task, struct fault, task);
	struct store_result result = { .rc = ERR_NO_SPACE };

	IGNORE(err_set(&result.err, ERR_NO_SPACE, "the disk is full")); /* sets the sentence */
	if (f->appended)
		f->appended(f->ctx, &result);
	else
		f->read(f->ctx, result.rc, false, &result.err);
	free(f);
}

static void
fail_later(struct rig *r, struct fault f)
{
	struct fault *kept = xcalloc(1, sizeof *kept);

	*kept = f;
	list_init(&kept->task.node);
	kept->task.fn = tell_fault;
	host_defer(&r->host.host, &kept->task);
}

/* Stored, but whoever asked does not learn it. */
static void
on_unsure(void *ctx, const struct store_result *result)
{
	struct fault *f = ctx;
	struct store_result unsure = { .rc = ERR_UNAVAILABLE };

	(void)result;
	IGNORE(err_set(&unsure.err, ERR_UNAVAILABLE,
		       "the outcome is not known")); /* sets the sentence */
	f->appended(f->ctx, &unsure);
	free(f);
}

static void
append_unsurely(struct rig *r, const struct store_item *item, store_append_fn *done, void *ctx)
{
	struct fault *f = xcalloc(1, sizeof *f);

	f->appended = done;
	f->ctx = ctx;
	r->unsure_appends--;
	r->real->append(r->store, item, on_unsure, f);
}

/* Stored, and whoever asked learns it later. */
static void
on_held(void *ctx, const struct store_result *result)
{
	struct fault *f = ctx;

	f->result = *result;
	f->rig->held = f;
}

void
rig_let_go(struct rig *r)
{
	struct fault *f = TAKE(r->held);

	f->appended(f->ctx, &f->result);
	free(f);
	rig_settle(r);
}

static void
append_held(struct rig *r, const struct store_item *item, store_append_fn *done, void *ctx)
{
	struct fault *f = xcalloc(1, sizeof *f);

	*f = (struct fault){ .rig = r, .appended = done, .ctx = ctx };
	r->real->append(r->store, item, on_held, f);
}

static void
faulty_append(struct store *s, const struct store_item *item, store_append_fn *done, void *ctx)
{
	struct rig *r = s->owner.ctx;

	if (r->hold_append > 0 && --r->hold_append == 0)
		append_held(r, item, done, ctx);
	else if (r->unsure_appends > 0)
		append_unsurely(r, item, done, ctx);
	else if (r->fail_appends == 0)
		r->real->append(s, item, done, ctx);
	else if (r->fail_appends-- > 0)
		fail_later(r, (struct fault){ .appended = done, .ctx = ctx });
}

static void
faulty_read(struct store *s, const struct store_query *q, store_row_fn *row, store_read_fn *done,
	    void *ctx)
{
	struct rig *r = s->owner.ctx;

	if (q->kind == STORE_GET_SESSION) {
		r->host.now_ms -= r->set_back_ms;
		r->set_back_ms = 0;
	}
	r->wake_reads += q->kind == STORE_LIST_RECORDS && str_eq(q->record_kind, RECORD_WAKE) &&
			 q->record_owner.len > 0;
	if (r->fail_reads == 0)
		r->real->read(s, q, row, done, ctx);
	else if (r->fail_reads-- > 0)
		fail_later(r, (struct fault){ .read = done, .ctx = ctx });
}

static void
put_faults_in(struct rig *r)
{
	r->real = r->store->ops;
	r->ops = *r->real;
	r->ops.append = faulty_append;
	r->ops.read = faulty_read;
	r->store->ops = &r->ops;
	r->host.store = r->store;
}

/* ---- life ---- */

static int
find_model(void *ctx, struct str model, struct provider **provider, struct str *name, struct err *e)
{
	struct rig *r = ctx;

	if (!str_eq(model, STR("demo")) && !str_eq(model, STR("scripted")))
		return err_set(e, ERR_INVALID,
			       "there is no model " STR_FMT "; known: demo, scripted",
			       STR_ARG(model));
	*provider = str_eq(model, STR("demo")) ? r->demo : r->scripted;
	*name = model;
	return 0;
}

static int64_t
cost(void *ctx, struct str model, const struct usage *usage)
{
	const struct rig *r = ctx;

	(void)model;
	return r->price == 0 ? -1 : r->price * (usage->input + usage->output);
}

static int64_t
ceiling(void *ctx, struct str model, int64_t prompt_tokens, int64_t output_tokens)
{
	const struct rig *r = ctx;

	(void)model;
	return r->price == 0 ? -1 : r->price * (prompt_tokens + output_tokens);
}

static void
on_wakeup(void *ctx)
{
	(void)ctx;
}

static void
on_grown(void *ctx, struct str session, int64_t head_seq)
{
	struct rig *r = ctx;

	if (r->en)
		engine_on_grown(r->en, session, head_seq);
}

static void
on_started(void *ctx, int rc, const struct err *err)
{
	struct rig *r = ctx;

	if (rc != 0)
		fail_msg("the engine does not start: %s", err->text);
	r->answered = true;
}

static int
session_work(void *ctx, struct str agent, struct str session, struct arena *a, struct str *out,
	     struct err *e)
{
	(void)e;
	((struct rig *)ctx)->folders_made++;
	*out = arena_printf(a, "/work/" STR_FMT "/" STR_FMT, STR_ARG(agent), STR_ARG(session));
	return 0;
}

static int
find_zone(void *ctx, struct str name, const struct zone **out, struct err *e)
{
	struct rig *r = ctx;
	struct zone *zone = ARENA_NEW(&r->arena, struct zone);
	struct str tzif;
	int rc = file_read_zoneinfo(name, &r->arena, &tzif, e);

	if (rc == 0)
		rc = zone_parse(tzif, &r->arena, zone, e);
	if (rc == 0)
		*out = zone;
	return rc;
}

static void
start_engine(struct rig *r)
{
	struct engine_config config = {
		.store = r->store,
		.host = &r->host.host,
		.models = { find_model, r, NULL, cost, ceiling },
		.tools = r->tools,
		.servers = r->servers,
		.folders = { session_work, r },
		.zones = { find_zone, r },
		.settings.default_model = STR("demo"),
		.owner_token =
			STR("pdr_00000000000000000000000000000000000000000000000000000000000000aa"),
		.settings.queue_depth = 20,
		.settings.quiet_ms = 1500,
		.settings.approvals = { .unattended = APPROVAL_DENY, .expired = APPROVAL_DENY },
		.clean = r->clean,
	};

	config.settings.user_budget = r->user_budget;
	config.settings.day_budget = r->day_budget;
	r->en = engine_new(&config);
	r->answered = false;
	engine_start(r->en, on_started, r);
	rig_settle_until(r, &r->answered);
}

static struct store_owner
owner_of(struct rig *r)
{
	return (struct store_owner){ on_wakeup, on_grown, r };
}

static const char *
incarnation(struct rig *r)
{
	return arena_printf(&r->arena, "process-%d", ++r->incarnation).ptr;
}

static void
open_sqlite(struct rig *r)
{
	struct err e;
	struct store_sqlite_config config = { .directory = r->dir.path,
					      .incarnation = str_of(incarnation(r)) };

	if (store_sqlite_open(&r->store, &config, owner_of(r), &e) != 0)
		fail_msg("%s", e.text);
}

void
rig_init(struct rig *r, bool mem)
{
	*r = (struct rig){ .mem = mem, .owner.who = { .kind = TOKEN_OWNER, .role = ROLE_OWNER } };
	arena_init(&r->arena);
	virtual_host_init(&r->host, NOW_MS);
	buf_init(&r->previews, 1 << 20);
	r->demo = provider_demo_new(&r->host.host);
	r->scripted = provider_scripted_new(&r->host.host);
	r->tools = tool_scripted_new(&r->host.host);
	r->servers = tool_scripted_new(&r->host.host);
	if (mem) {
		r->store = store_mem_new(owner_of(r), incarnation(r));
	} else {
		sqlite_dir_init(&r->dir);
		open_sqlite(r);
	}
	put_faults_in(r);
	start_engine(r);
	rig_agent(r, "script", "{\"id\":\"script\",\"version\":1,\"model\":{\"id\":\"scripted\"}}");
}

static void
on_drained(void *ctx)
{
	*(bool *)ctx = true;
}

static void
end_engine(struct rig *r, struct engine **en, int64_t drain_ms)
{
	bool drained = false;

	engine_unwatch(&r->watch);
	engine_drain(*en, drain_ms, RECOVER_SHUTDOWN_TIMEOUT, on_drained, &drained);
	virtual_host_advance(&r->host, drain_ms);
	rig_settle_until(r, &drained);
	r->clean = engine_stats(*en).put_off == 0;
	engine_free(en);
}

void
rig_release(struct rig *r)
{
	end_engine(r, &r->en, 0);
	assert_int_equal(provider_scripted_open(r->scripted), 0);
	assert_int_equal(tool_scripted_open(r->tools) + tool_scripted_open(r->servers), 0);
	assert_int_equal(tool_scripted_listings(r->tools) + tool_scripted_listings(r->servers), 0);
	store_free(&r->store);
	r->demo->ops->free(r->demo);
	r->scripted->ops->free(r->scripted);
	r->tools->ops->free(r->tools);
	r->servers->ops->free(r->servers);
	if (!r->mem)
		sqlite_dir_release(&r->dir);
	buf_release(&r->previews);
	arena_release(&r->arena);
}

void
rig_restart(struct rig *r, int64_t drain_ms)
{
	end_engine(r, &r->en, drain_ms);
	if (!r->mem) {
		store_free(&r->store);
		open_sqlite(r);
		put_faults_in(r);
	} else {
		store_mem_restart(r->store, owner_of(r), incarnation(r));
	}
	start_engine(r);
}

struct engine *
rig_kill(struct rig *r)
{
	struct engine *dead = r->en;

	r->clean = false;
	assert_true(r->mem); /* the mem store lets both of them go on */
	engine_unwatch(&r->watch);
	virtual_host_settle(&r->host);
	store_mem_restart(r->store, owner_of(r), incarnation(r));
	start_engine(r);
	return dead;
}

void
rig_bury(struct rig *r, struct engine *dead)
{
	bool drained = false;

	engine_drain(dead, 0, RECOVER_SHUTDOWN_TIMEOUT, on_drained, &drained);
	virtual_host_advance(&r->host, 5000);
	assert_true(drained);
	engine_free(&dead);
}

void
rig_settle(struct rig *r)
{
	virtual_host_settle(&r->host);
}

void
rig_advance(struct rig *r, int64_t ms)
{
	virtual_host_advance(&r->host, ms);
}

/* ---- what is there ---- */

struct waiting {
	bool done;
	int rc;
	struct err err;
};

static void
on_appended(void *ctx, const struct store_result *result)
{
	struct waiting *w = ctx;

	*w = (struct waiting){ true, result->rc, result->err };
}

static void
append(struct rig *r, const struct store_item *item)
{
	struct waiting w = { 0 };

	r->real->append(r->store, item, on_appended, &w); /* past the faults */
	rig_settle_until(r, &w.done);
	if (w.rc != 0)
		fail_msg("not stored: %s", w.err.text);
}

void
rig_agent(struct rig *r, const char *id, const char *body)
{
	struct store_put puts[] = {
		{ .record = { .kind = RECORD_AGENT, .id = str_of(id), .body = str_of(body) },
		  .if_version = STORE_VERSION_ANY },
		{ .record = { .kind = RECORD_AGENT_VERSION,
			      .id = arena_printf(&r->arena, "%s/0000000001", id),
			      .owner = str_of(id),
			      .body = str_of(body) },
		  .if_version = STORE_VERSION_ANY },
	};

	append(r, &(struct store_item){ .puts = puts, .put_count = ARRAY_LEN(puts) });
}

void
rig_put(struct rig *r, struct str kind, const char *session, const char *owner, const char *body)
{
	struct store_put put = { .record = { .kind = kind,
					     .id = str_of(session),
					     .owner = str_of(owner),
					     .body = str_of(body) },
				 .if_version = STORE_VERSION_ANY };

	append(r, &(struct store_item){ .puts = &put, .put_count = 1 });
}

void
rig_append(struct rig *r, const char *session, enum event_kind kind, const char *payload)
{
	struct event ev = { .id = arena_printf(&r->arena, "own-%zu", r->arena.used_bytes),
			    .kind = kind,
			    .author = AUTHOR_SYSTEM,
			    .created_at_ms = r->host.now_ms,
			    .payload = str_of(payload) };

	append(r,
	       &(struct store_item){ .session = str_of(session), .events = &ev, .event_count = 1 });
}

void
rig_session(struct rig *r, const char *session, const char *agent)
{
	rig_session_from(r, session, agent, "{\"kind\":\"api\"}");
}

void
rig_session_from(struct rig *r, const char *session, const char *agent, const char *source)
{
	struct make_created m = { .agent_id = str_of(agent),
				  .agent_version = 1,
				  .environment_id = STR("local-default"),
				  .source = str_of(source) };
	struct buf payload;
	struct event ev = { .id = arena_printf(&r->arena, "created-%s", session),
			    .kind = EVENT_SESSION_CREATED,
			    .author = AUTHOR_SYSTEM,
			    .created_at_ms = r->host.now_ms };

	buf_init(&payload, 1 << 16);
	event_make_created(&payload, &m);
	ev.payload = buf_str(&payload);
	append(r, &(struct store_item){ .session = str_of(session),
					.require.absent = true,
					.events = &ev,
					.event_count = 1 });
	buf_release(&payload);
}

/* ---- commands ---- */

static void
on_answer(void *ctx, const struct engine_answer *a)
{
	struct rig *r = ctx;

	r->answered = true;
	r->rc = a->rc;
	r->position = a->queue_position;
	r->first_seq = a->first_seq;
	if (a->err && a->rc != 0)
		r->err = *a->err;
	r->last_id = a->events && a->event_count > 0
			     ? arena_str(&r->arena, a->events[a->event_count - 1].id)
			     : (struct str){ 0 };
}

static struct engine_call
call_of(struct rig *r)
{
	r->answered = false;
	r->rc = 0;
	return (struct engine_call){ .caller = &r->owner, .done = on_answer, .ctx = r };
}

static void
post(struct rig *r, const char *session, const char *text, bool has_busy, enum busy_mode busy)
{
	struct engine_call *call = ARENA_NEW(&r->arena, struct engine_call);
	struct engine_message *m = ARENA_NEW(&r->arena, struct engine_message);

	*call = call_of(r);
	*m = (struct engine_message){ .text = str_of(text), .has_busy = has_busy, .busy = busy };
	engine_post(r->en, call, arena_str(&r->arena, str_of(session)), m);
}

static void
expect_answer(struct rig *r)
{
	rig_settle_until(r, &r->answered);
	virtual_host_settle(&r->host);
}

static void
expect_success(struct rig *r)
{
	expect_answer(r);
	if (r->rc != 0)
		fail_msg("refused: %s", r->err.text);
}

void
rig_post(struct rig *r, const char *session, const char *text)
{
	post(r, session, text, false, BUSY_QUEUE);
	expect_success(r);
}

void
rig_try(struct rig *r, const char *session, const char *text, enum busy_mode busy)
{
	post(r, session, text, true, busy);
	expect_answer(r);
}

void
rig_try_message(struct rig *r, const char *session, const struct engine_message *message)
{
	struct engine_call call = call_of(r);

	engine_post(r->en, &call, str_of(session), message);
	expect_answer(r);
}

void
rig_post_later(struct rig *r, const char *session, const char *text)
{
	post(r, session, text, false, BUSY_QUEUE);
}

void
rig_post_busy(struct rig *r, const char *session, const char *text, enum busy_mode busy)
{
	post(r, session, text, true, busy);
	expect_success(r);
}

void
rig_try_send(struct rig *r, const char *session, const char *events)
{
	struct engine_call call = call_of(r);
	struct json_doc *doc = ARENA_NEW(&r->arena, struct json_doc);
	struct err e;

	if (json_parse(&r->arena, arena_str(&r->arena, str_of(events)), &JSON_LIMITS_DEFAULT, doc,
		       &e) != 0)
		fail_msg("%s", e.text);
	engine_send(r->en, &call, str_of(session), json_root(doc));
	expect_answer(r);
}

void
rig_send(struct rig *r, const char *session, const char *events)
{
	rig_try_send(r, session, events);
	expect_success(r);
}

void
rig_interrupt(struct rig *r, const char *session)
{
	rig_send(r, session, "[{\"type\":\"user.interrupt\"}]");
}

void
rig_wake(struct rig *r, const char *session)
{
	struct engine_call call = call_of(r);

	engine_wake(r->en, &call, str_of(session));
	expect_answer(r);
}

void
rig_update(struct rig *r, const char *session, struct json body)
{
	struct engine_call call = call_of(r);
	engine_session_update(r->en, &call, str_of(session), body);
	expect_success(r);
}

/* ---- watching ---- */

static void
on_event(void *ctx, const struct store_event *ev)
{
	struct rig *r = ctx;

	if (ev->ev.kind == EVENT_AGENT_MESSAGE || ev->ev.kind == EVENT_AGENT_THINKING)
		buf_puts(&r->previews, "! ");
}

static void
on_preview(void *ctx, const struct engine_preview *p)
{
	struct rig *r = ctx;
	static const char SIGNS[] = "+~-";

	buf_printf(&r->previews, "%c%s", SIGNS[p->kind],
		   p->event_kind == EVENT_AGENT_MESSAGE ? "m" : "t");
	if (p->kind == PREVIEW_DELTA)
		buf_printf(&r->previews, "\"" STR_FMT "\"", STR_ARG(p->text));
	buf_puts(&r->previews, " ");
}

static void
on_over(void *ctx, enum engine_over why)
{
	(void)ctx, (void)why;
}

void
rig_watch(struct rig *r, const char *session)
{
	r->watch = (struct engine_watch){
		.on_event = on_event, .on_preview = on_preview, .on_over = on_over, .ctx = r
	};
	list_init(&r->watch.node);
	engine_watch_session(r->en, arena_str(&r->arena, str_of(session)), &r->watch);
}

#include "fake_engine.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/xalloc.h"
#include "store/mem/mem.h"

struct fake_engine FAKE;

/* An answer on its way: never inside the call that asked. */
struct pending {
	struct list node;
	struct loop_task task;
	struct engine_call call;
};

struct engine {
	struct loop *loop;
	struct loop_wake *stored;
	struct store *store;
	struct list pending;
};

/* --- life --- */

static void
on_wakeup(void *ctx)
{
	loop_wake_send(((struct engine *)ctx)->stored);
}

static void
on_stored(void *ctx)
{
	store_dispatch(((struct engine *)ctx)->store);
}

static void
on_grown(void *ctx, struct str session, int64_t head_seq)
{
	(void)ctx, (void)session, (void)head_seq;
}

struct engine *
rig_engine_open(struct loop *loop)
{
	struct engine *en = xcalloc(1, sizeof *en);

	en->loop = loop;
	en->stored = loop_wake_new(loop, on_stored, en);
	en->store = FAKE.store =
		store_mem_new((struct store_owner){ on_wakeup, on_grown, en }, "fake");
	list_init(&en->pending);
	return en;
}

static void
answer(struct pending *p)
{
	struct engine_answer a = FAKE.answer;

	list_remove(&p->node);
	a.err = &FAKE.err;
	p->call.done(p->call.ctx, &a);
	free(p);
}

void
rig_engine_close(struct engine **en)
{
	list_for_each (at, &(*en)->pending) {
		struct pending *p = LIST_OWNER(at, struct pending, node);

		loop_task_cancel(&p->task);
		answer(p);
	}
	store_free(&(*en)->store);
	loop_wake_free(&(*en)->stored);
	free(TAKE(*en));
}

void
fake_engine_reset(void)
{
	struct store *store = FAKE.store;

	FAKE = (struct fake_engine){ .store = store };
}

struct to_put {
	struct store_item item;
	struct store_put put;
	bool done;
};

static void
on_put(void *ctx, const struct store_result *result)
{
	if (result->rc != 0)
		abort();
	((struct to_put *)ctx)->done = true;
}

static void
put_now(struct api *api, void *arg)
{
	struct to_put *p = arg;

	(void)api;
	store_append(FAKE.store, &p->item, on_put, p);
	while (!p->done)
		store_dispatch(FAKE.store);
}

void
fake_engine_put(struct api_rig *r, struct str kind, const char *id, const char *owner,
		const char *body)
{
	struct to_put p = {
		.put = { .record = { .kind = kind,
				     .id = str_of(id),
				     .owner = str_of(owner),
				     .body = str_of(body) },
			 .if_version = STORE_VERSION_ANY },
	};

	p.item = (struct store_item){ .puts = &p.put, .put_count = 1 };
	api_rig_call(r, put_now, &p);
}

/* --- who asks --- */

int
engine_authenticate(struct engine *en, struct str token, struct engine_caller *out, struct err *e)
{
	struct principal who = { 0 };
	enum role role;

	(void)en;
	if (role_parse(token, &role) && role != ROLE_OWNER)
		who = (struct principal){ .kind = TOKEN_USER,
					  .user_id = STR("usr_1"),
					  .role = role };
	else if (!token_kind_parse(token, &who.kind))
		return err_set(e, ERR_AUTH, "unknown token " STR_FMT, STR_ARG(token));
	if (who.kind == TOKEN_ENVIRONMENT)
		who.environment_id = STR("env_1");
	*out = (struct engine_caller){ .who = who, .token_id = STR("tok_1") };
	return 0;
}

bool
engine_renew_caller(struct engine *en, struct engine_caller *caller)
{
	(void)en, (void)caller;
	return true;
}

bool
engine_token_is_live(struct engine *en, struct str token_id)
{
	(void)en, (void)token_id;
	return true;
}

struct tool_load
engine_tool_load(const struct engine *en, struct str session)
{
	(void)en, (void)session;
	return (struct tool_load){ 0 };
}

struct engine_stats
engine_stats(const struct engine *en)
{
	(void)en;
	return (struct engine_stats){ .events = 7, .open_turns = 2 };
}

struct model_facts
engine_model_facts(const struct engine *en, struct str workspace)
{
	(void)en;
	return (struct model_facts){ .workspace = workspace, .server = STR("by-server") };
}

struct engine_self
engine_self(const struct engine *en)
{
	(void)en;
	return (struct engine_self){ .instance = STR("srv_1"),
				     .started_at_ms = 1000,
				     .running_turns = 3,
				     .carried_over = 4 };
}

/* --- commands --- */

static void
on_task(struct loop_task *task)
{
	answer(LIST_OWNER(task, struct pending, task));
}

static void
note(char *to, size_t size, struct str text)
{
	snprintf(to, size, STR_FMT, STR_ARG(text));
}

static void
command(struct engine *en, const struct engine_call *call, const char *name, struct str id,
	struct json body)
{
	struct pending *p = xcalloc(1, sizeof *p);

	FAKE.commands++;
	note(FAKE.command, sizeof FAKE.command, str_of(name));
	note(FAKE.id, sizeof FAKE.id, id);
	note(FAKE.body, sizeof FAKE.body, json_is_set(body) ? json_raw(body) : STR(""));
	if (call->repeat) {
		note(FAKE.scope, sizeof FAKE.scope, call->repeat->scope);
		note(FAKE.key, sizeof FAKE.key, call->repeat->key);
		FAKE.request = call->repeat->request;
	}
	p->call = *call;
	list_init(&p->node);
	list_append(&en->pending, &p->node);
	loop_task_init(&p->task, on_task);
	loop_defer(en->loop, &p->task);
}

#define WITH_BODY(name)                                                                         \
	void engine_##name(struct engine *en, const struct engine_call *call, struct json body) \
	{                                                                                       \
		command(en, call, #name, (struct str){ 0 }, body);                              \
	}
#define WITH_ID(name)                                                                        \
	void engine_##name(struct engine *en, const struct engine_call *call, struct str id) \
	{                                                                                    \
		command(en, call, #name, id, (struct json){ 0 });                            \
	}
#define WITH_BOTH(name)                                                                      \
	void engine_##name(struct engine *en, const struct engine_call *call, struct str id, \
			   struct json body)                                                 \
	{                                                                                    \
		command(en, call, #name, id, body);                                          \
	}
WITH_BODY(agent_create)
WITH_BOTH(agent_update)
WITH_ID(agent_archive)
WITH_BODY(environment_create)
WITH_BOTH(environment_update)
WITH_ID(environment_archive)
WITH_ID(environment_delete)
WITH_BODY(workspace_create)
WITH_BOTH(workspace_update)
WITH_BODY(user_create)
WITH_BOTH(user_update)
WITH_BODY(token_create)
WITH_ID(token_revoke)
WITH_BODY(schedule_create)
WITH_BOTH(schedule_update)
WITH_ID(schedule_delete)
WITH_ID(schedule_run)
WITH_BODY(session_open)
WITH_BODY(session_resolve)
WITH_BOTH(lane_update)
WITH_ID(lane_suspend)
WITH_BOTH(lane_reset)
WITH_BOTH(lane_switch)
WITH_BOTH(lane_mark_resume)
WITH_ID(lane_clear_resume)
WITH_BODY(lane_mark_recent)
WITH_BODY(lane_prune)
WITH_ID(lane_import)
WITH_BOTH(session_update)
WITH_ID(session_archive)
WITH_ID(session_delete)
WITH_ID(wake)
WITH_BOTH(resource_add)
WITH_BOTH(send)

void
engine_lane_get(struct engine *en, const struct engine_caller *caller, struct str lane,
		engine_lane_fn *done, void *ctx)
{
	(void)en, (void)caller;
	done(ctx, 0, NULL, lane, &(struct lane_entry){ .session_id = STR("s") });
}

void
engine_resource_update(struct engine *en, const struct engine_call *call, struct str session,
		       struct str id, struct json body)
{
	(void)session;
	command(en, call, "resource_update", id, body);
}

void
engine_resource_delete(struct engine *en, const struct engine_call *call, struct str session,
		       struct str id)
{
	(void)session;
	command(en, call, "resource_delete", id, (struct json){ 0 });
}

void
engine_post(struct engine *en, const struct engine_call *call, struct str session,
	    const struct engine_message *message)
{
	command(en, call, "post", session, message->metadata);
}

void
engine_command(struct engine *en, const struct engine_call *call, struct str session,
	       struct str text)
{
	note(FAKE.note, sizeof FAKE.note, text);
	command(en, call, "command", session, (struct json){ 0 });
}

void
engine_restart(struct engine *en, const struct engine_call *call)
{
	command(en, call, "restart", (struct str){ 0 }, (struct json){ 0 });
}

void
engine_queue_edit(struct engine *en, const struct engine_call *call, struct str session,
		  struct str message, struct str text)
{
	(void)session;
	note(FAKE.note, sizeof FAKE.note, text);
	command(en, call, "queue_edit", message, (struct json){ 0 });
}

void
engine_queue_cancel(struct engine *en, const struct engine_call *call, struct str session,
		    struct str message)
{
	(void)session;
	command(en, call, "queue_cancel", message, (struct json){ 0 });
}

void
engine_import(struct engine *en, const struct engine_call *call, const struct engine_log *log)
{
	command(en, call, "import", log->session, (struct json){ 0 });
}

void
engine_work_poll(struct engine *en, const struct engine_call *call, const struct engine_poll *poll)
{
	snprintf(FAKE.note, sizeof FAKE.note, STR_FMT " block %d reclaim %d %s",
		 STR_ARG(poll->worker), (int)poll->block_ms, (int)poll->reclaim_ms,
		 poll->is_there && poll->is_there(call->ctx) ? "there" : "gone");
	command(en, call, "work_poll", poll->environment, (struct json){ 0 });
}

void
engine_work_acknowledge(struct engine *en, const struct engine_call *call, struct engine_work item)
{
	command(en, call, "work_acknowledge", item.id, (struct json){ 0 });
}

void
engine_work_heartbeat(struct engine *en, const struct engine_call *call, struct engine_work item,
		      const struct work_heartbeat *beat)
{
	snprintf(FAKE.note, sizeof FAKE.note, "%s%lld ttl %d", beat->has_expected ? "after " : "",
		 (long long)beat->expected_ms, (int)beat->ttl_ms);
	command(en, call, "work_heartbeat", item.id, (struct json){ 0 });
}

void
engine_work_stop(struct engine *en, const struct engine_call *call, struct engine_work item,
		 bool force)
{
	snprintf(FAKE.note, sizeof FAKE.note, "%s", force ? "force" : "");
	command(en, call, "work_stop", item.id, (struct json){ 0 });
}

void
engine_work_update(struct engine *en, const struct engine_call *call, struct engine_work item,
		   struct json body)
{
	command(en, call, "work_update", item.id, body);
}

int
engine_work_stats(struct engine *en, const struct engine_caller *caller, struct str environment,
		  struct engine_work_stats *out, struct err *e)
{
	(void)en, (void)caller, (void)environment, (void)e;
	*out = (struct engine_work_stats){
		.depth = 2, .pending = 1, .oldest_ms = 1000, .workers = 3
	};
	return 0;
}

/* --- reading --- */

void
engine_read(struct engine *en, const struct engine_caller *caller, const struct store_query *q,
	    store_row_fn *row, store_read_fn *done, void *ctx)
{
	(void)caller;
	store_read(en->store, q, row, done, ctx);
}

/* --- watching: nothing ever happens here --- */

void
engine_watch_session(struct engine *en, struct str session, struct engine_watch *w)
{
	(void)session;
	w->en = en;
}

void
engine_watch_all(struct engine *en, struct engine_watch *w)
{
	w->en = en;
}

void
engine_unwatch(struct engine_watch *w)
{
	w->en = NULL;
}

int64_t
engine_head(struct engine *en, struct str session)
{
	(void)en, (void)session;
	return 0;
}

int64_t
engine_change_head(struct engine *en)
{
	(void)en;
	return 0;
}

void
engine_preview_so_far(struct engine_watch *w)
{
	(void)w;
}

static int64_t
now_ms(struct host *h)
{
	(void)h;
	return clock_now_ms();
}

struct host *
engine_host(struct engine *en)
{
	static const struct host_ops OPS = { .now_ms = now_ms };
	static struct host host = { &OPS };

	(void)en;
	return &host;
}

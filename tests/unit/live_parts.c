/* live_parts - stands in for those parts of the engine that a log does not need: who has which token,
 * what agents there are, and the running of turns. */
#include <stdlib.h>

#include "base/xalloc.h"
#include "engine/catalog.h"
#include "engine/expiry.h"
#include "engine/identity.h"
#include "engine/own_tool.h"
#include "engine/retention.h"
#include "engine/schedule.h"
#include "engine/wake.h"
#include "engine/work.h"
#include "live_engine.h"

/* ---- expiry ---- */

struct expiry *
expiry_new(struct engine *en)
{
	(void)en;
	return NULL;
}

void
expiry_start(struct expiry *x)
{
	(void)x;
}

void
expiry_free(struct expiry **x)
{
	(void)x;
}

/* ---- retention ---- */

struct retention *
retention_new(struct engine *en)
{
	(void)en;
	return NULL;
}

void
retention_start(struct retention *r)
{
	(void)r;
}

void
retention_hurry(struct retention *r)
{
	(void)r;
}

void
retention_on_deleted(struct retention *r)
{
	(void)r;
}

void
retention_free(struct retention **r)
{
	(void)r;
}

/* ---- identity ---- */

struct identity *
identity_new(struct engine *en)
{
	(void)en;
	return NULL;
}

void
identity_free(struct identity **id)
{
	(void)id;
}

void
identity_load(struct identity *id, void (*done)(void *ctx, int rc, const struct err *err),
	      void *ctx)
{
	(void)id;
	done(ctx, 0, NULL);
}

bool
identity_has_namespace(const struct identity *id, struct str namespace)
{
	(void)id, (void)namespace;
	return false;
}

int
engine_authenticate(struct engine *en, struct str token, struct engine_caller *out, struct err *e)
{
	struct principal who = { .kind = TOKEN_USER, .role = ROLE_USER };

	(void)en;
	if (str_eq(token, STR("owner")) || str_eq(token, STR("short")))
		who = (struct principal){ .kind = TOKEN_OWNER, .role = ROLE_OWNER };
	else if (str_eq(token, STR("user")))
		who.user_id = STR("usr_1");
	else if (str_eq(token, STR("other")))
		who.user_id = STR("usr_2");
	else
		return err_set(e, ERR_AUTH, "unknown token");
	*out = (struct engine_caller){ .who = who,
				       .token_id = str_eq(token, STR("short")) ? STR("tok_short")
									       : STR("tok_1") };
	return 0;
}

bool
engine_token_is_live(struct engine *en, struct str token_id)
{
	(void)en;
	return !str_eq(token_id, STR("tok_short")) || !atomic_load(&LIVE.short_is_dead);
}

bool
engine_renew_caller(struct engine *en, struct engine_caller *caller)
{
	return engine_token_is_live(en, caller->token_id);
}

/* ---- catalog ---- */

static const char AGENT[] = "{\"id\":\"main\",\"type\":\"agent\",\"version\":1,\"name\":\"main\"}";

struct catalog {
	struct engine *en;
};

/* An answer on its way. */
struct answer {
	struct host_task task;
	struct str id;
	catalog_agent_fn *agent;
	catalog_check_fn *check;
	void *ctx;
};

static void
answer(struct host_task *task)
{
	struct answer *a = LIST_OWNER(task, struct answer, task);

	if (a->agent)
		a->agent(a->ctx, 0, NULL,
			 &(struct catalog_agent){
				 .id = STR("main"), .version = 1, .body = str_of(AGENT) });
	else
		a->check(a->ctx, 0, NULL, false);
	free(a);
}

static void
answer_later(struct catalog *c, const struct answer *facts)
{
	struct answer *a = xcalloc(1, sizeof *a);

	*a = *facts;
	a->task.fn = answer;
	list_init(&a->task.node);
	host_defer(c->en->host, &a->task);
}

struct catalog *
catalog_new(struct engine *en)
{
	struct catalog *c = xcalloc(1, sizeof *c);

	c->en = en;
	return c;
}

void
catalog_free(struct catalog **c)
{
	free(TAKE(*c));
}

struct loading {
	struct store_item item;
	struct store_put puts[2];
	void (*done)(void *ctx, int rc, const struct err *err);
	void *ctx;
};

static void
on_put(void *ctx, const struct store_result *result)
{
	struct loading *l = ctx;

	l->done(l->ctx, result->rc, &result->err);
	free(l);
}

void
catalog_load(struct catalog *c, void (*done)(void *ctx, int rc, const struct err *err), void *ctx)
{
	struct loading *l = xcalloc(1, sizeof *l);

	l->puts[0] = (struct store_put){ .record = { .kind = RECORD_AGENT_VERSION,
						     .id = STR("main/0000000001"),
						     .owner = STR("main"),
						     .body = str_of(AGENT) },
					 .if_version = STORE_VERSION_ANY };
	l->puts[1] = (struct store_put){
		.record = { .kind = RECORD_WORKSPACE, .id = STR("main"), .body = STR("{}") },
		.if_version = STORE_VERSION_ANY
	};
	l->item = (struct store_item){ .puts = l->puts, .put_count = ARRAY_LEN(l->puts) };
	l->done = done;
	l->ctx = ctx;
	store_append(c->en->store, &l->item, on_put, l);
}

void
catalog_agent(struct catalog *c, struct str id, int64_t version, catalog_agent_fn *done, void *ctx)
{
	(void)version;
	answer_later(c, &(struct answer){ .id = id, .agent = done, .ctx = ctx });
}

void
catalog_environment_check(struct catalog *c, struct str id, catalog_check_fn *done, void *ctx)
{
	answer_later(c, &(struct answer){ .id = id, .check = done, .ctx = ctx });
}

int
catalog_override(struct arena *a, struct str body, struct json overrides, struct str *out,
		 struct err *e)
{
	(void)a, (void)body, (void)overrides, (void)e;
	*out = (struct str){ 0 };
	return 0;
}

void
catalog_show(const struct catalog *c, const struct catalog_own_agent *own, struct arena *a,
	     struct jw *w)
{
	(void)c, (void)a;
	jw_raw(w, own->text);
}

/* Commands that no test here sends. */
#define UNUSED_BODY(name)                                                                       \
	void engine_##name(struct engine *en, const struct engine_call *call, struct json body) \
	{                                                                                       \
		(void)en, (void)call, (void)body;                                               \
		abort();                                                                        \
	}
#define UNUSED_ID(name)                                                                      \
	void engine_##name(struct engine *en, const struct engine_call *call, struct str id) \
	{                                                                                    \
		(void)en, (void)call, (void)id;                                              \
		abort();                                                                     \
	}
#define UNUSED_BOTH(name)                                                                    \
	void engine_##name(struct engine *en, const struct engine_call *call, struct str id, \
			   struct json body)                                                 \
	{                                                                                    \
		(void)en, (void)call, (void)id, (void)body;                                  \
		abort();                                                                     \
	}
UNUSED_BODY(agent_create)
UNUSED_BOTH(agent_update)
UNUSED_ID(agent_archive)
UNUSED_BODY(environment_create)
UNUSED_BOTH(environment_update)
UNUSED_ID(environment_archive)
UNUSED_ID(environment_delete)
UNUSED_BODY(user_create)
UNUSED_BOTH(user_update)
UNUSED_BODY(token_create)
UNUSED_ID(token_revoke)

/* ---- wake ---- */

void
wake_session(struct engine *en, struct str session)
{
	(void)en, (void)session;
}

void
wake_asked(struct engine *en, struct str session)
{
	wake_session(en, session);
}

void
wake_hold_back(struct engine *en)
{
	(void)en;
}

void
wake_recover(struct engine *en, void (*done)(void *ctx, int rc, const struct err *err), void *ctx)
{
	(void)en;
	done(ctx, 0, NULL);
}

void
wake_queued(struct engine *en, const struct store_put *puts, size_t count)
{
	(void)en, (void)puts, (void)count;
}

void
wake_drain(struct engine *en, int64_t timeout_ms)
{
	(void)en, (void)timeout_ms;
}

void
engine_wake(struct engine *en, const struct engine_call *call, struct str session)
{
	(void)en;
	call->done(call->ctx, &(struct engine_answer){ .id = session });
}

void
engine_command(struct engine *en, const struct engine_call *call, struct str session,
	       struct str text)
{
	(void)en, (void)text;
	call->done(call->ctx, &(struct engine_answer){ .id = session });
}

const struct own_tool *const OWN_TOOLS[] = { NULL };

struct wake *
wake_new(struct engine *en)
{
	(void)en;
	return NULL;
}

void
wake_free(struct wake **w)
{
	(void)w;
}

/* ---- work queues ---- */

struct work *
work_new(struct engine *en)
{
	(void)en;
	return NULL;
}

void
work_free(struct work **w)
{
	(void)w;
}

void
work_load(struct engine *en, void (*done)(void *ctx, int rc, const struct err *err), void *ctx)
{
	(void)en;
	done(ctx, 0, NULL);
}

void
work_drain(struct engine *en)
{
	(void)en;
}

void
work_on_events(struct engine *en, struct str session, const struct event *events, size_t count)
{
	(void)en, (void)session, (void)events, (void)count;
}

void
engine_work_poll(struct engine *en, const struct engine_call *call, const struct engine_poll *poll)
{
	(void)en, (void)call, (void)poll;
	abort();
}

#define UNUSED_WORK(name, type)                                                    \
	void engine_work_##name(struct engine *en, const struct engine_call *call, \
				struct engine_work item, type value)               \
	{                                                                          \
		(void)en, (void)call, (void)item, (void)value;                     \
		abort();                                                           \
	}
UNUSED_WORK(heartbeat, const struct work_heartbeat *)
UNUSED_WORK(stop, bool)
UNUSED_WORK(update, struct json)

void
engine_work_acknowledge(struct engine *en, const struct engine_call *call, struct engine_work item)
{
	(void)en, (void)call, (void)item;
	abort();
}

int
engine_work_stats(struct engine *en, const struct engine_caller *caller, struct str environment,
		  struct engine_work_stats *out, struct err *e)
{
	(void)en, (void)caller, (void)environment, (void)out, (void)e;
	abort();
}

/* ---- schedules ---- */

struct schedule *
schedule_new(struct engine *en)
{
	(void)en;
	return NULL;
}

void
schedule_free(struct schedule **s)
{
	(void)s;
}

void
schedule_start(struct engine *en)
{
	(void)en;
}

void
schedule_drain(struct engine *en)
{
	(void)en;
}

void
schedule_on_events(struct engine *en, struct str session, const struct event *events, size_t count)
{
	(void)en, (void)session, (void)events, (void)count;
}

void
engine_schedule_create(struct engine *en, const struct engine_call *call, struct json body)
{
	(void)en, (void)call, (void)body;
	abort();
}

void
engine_schedule_update(struct engine *en, const struct engine_call *call, struct str id,
		       struct json body)
{
	(void)en, (void)call, (void)id, (void)body;
	abort();
}

#define UNUSED_SCHEDULE(name)                                                          \
	void engine_schedule_##name(struct engine *en, const struct engine_call *call, \
				    struct str id)                                     \
	{                                                                              \
		(void)en, (void)call, (void)id;                                        \
		abort();                                                               \
	}
UNUSED_SCHEDULE(delete)
UNUSED_SCHEDULE(run)

/* ---- lanes are the whole engine's ---- */

#define UNUSED_MAKE(name)                                                                       \
	void engine_##name(struct engine *en, const struct engine_call *call, struct json body) \
	{                                                                                       \
		(void)en, (void)call, (void)body;                                               \
		abort();                                                                        \
	}
#define UNUSED_LANE(name)                                                          \
	void engine_lane_##name(struct engine *en, const struct engine_call *call, \
				struct str lane, struct json body)                 \
	{                                                                          \
		(void)en, (void)call, (void)lane, (void)body;                      \
		abort();                                                           \
	}
#define UNUSED_FLAG(name)                                                          \
	void engine_lane_##name(struct engine *en, const struct engine_call *call, \
				struct str lane)                                   \
	{                                                                          \
		(void)en, (void)call, (void)lane;                                  \
		abort();                                                           \
	}
UNUSED_MAKE(session_resolve)
UNUSED_MAKE(lane_mark_recent)
UNUSED_MAKE(lane_prune)
UNUSED_LANE(update)
UNUSED_LANE(mark_resume)
UNUSED_LANE(reset)
UNUSED_LANE(switch)
UNUSED_FLAG(import)
UNUSED_FLAG(suspend)
UNUSED_FLAG(clear_resume)

void
engine_lane_get(struct engine *en, const struct engine_caller *caller, struct str lane,
		engine_lane_fn *done, void *ctx)
{
	(void)en, (void)caller, (void)lane, (void)done, (void)ctx;
	abort();
}

#include "live_engine.h"

#include <stdlib.h>

#include "app/host_loop.h"
#include "base/xalloc.h"
#include "engine/commit.h"
#include "engine/fanout.h"
#include "store/mem/mem.h"
#include "store/sqlite/sqlite.h"

struct live LIVE;

static struct {
	struct store *store;
	struct host *host;
	struct loop_wake *stored;
	bool started;
} rig;

static void
on_wakeup(void *ctx)
{
	(void)ctx;
	loop_wake_send(rig.stored);
}

static void
on_stored(void *ctx)
{
	(void)ctx;
	if (rig.store)
		store_dispatch(rig.store);
}

static void
on_grown(void *ctx, struct str session, int64_t head_seq)
{
	(void)ctx;
	engine_on_grown(LIVE.engine, session, head_seq);
}

static int
find_model(void *ctx, struct str model, struct provider **provider, struct str *name, struct err *e)
{
	(void)ctx, (void)model, (void)provider, (void)name;
	return err_set(e, ERR_INVALID, "there are no models here");
}

static void
on_started(void *ctx, int rc, const struct err *err)
{
	(void)ctx;
	if (rc != 0) {
		fprintf(stderr, "the engine does not start: %s\n", err->text);
		abort();
	}
	rig.started = true;
}

struct engine *
rig_engine_open(struct loop *loop)
{
	struct store_owner owner = { on_wakeup, on_grown, NULL };
	struct err e;

	rig.started = false;
	rig.stored = loop_wake_new(loop, on_stored, NULL);
	rig.host = host_loop_new(loop);
	if (!LIVE.sqlite_dir)
		rig.store = store_mem_new(owner, "live");
	else if (store_sqlite_open(&rig.store,
				   &(struct store_sqlite_config){ .directory = LIVE.sqlite_dir,
								  .incarnation = STR("live"),
								  .synchronous = "OFF" },
				   owner, &e) != 0)
		abort();
	LIVE.engine = engine_new(&(struct engine_config){
		.store = rig.store,
		.host = rig.host,
		.models = { .find = find_model },
		.settings.default_model = STR("demo"),
		.owner_token = STR("owner"),
		.settings.queue_depth = 20,
	});
	engine_start(LIVE.engine, on_started, NULL);
	while (!rig.started) { /* its parts read what the store has */
		store_wait(rig.store, 10);
		store_dispatch(rig.store);
		loop_settle(loop);
	}
	return LIVE.engine;
}

void
rig_engine_close(struct engine **en)
{
	store_free(&rig.store);
	engine_free(en);
	host_loop_free(&rig.host);
	loop_wake_free(&rig.stored);
}

/* ---- the hand ---- */

struct writing {
	struct str session, turn, id, payload;
	atomic_int done;
	int rc;
	struct err err;
};

static void
on_written(void *ctx, const struct commit_result *result)
{
	struct writing *w = ctx;

	w->rc = result->store->rc;
	w->err = result->store->err;
	atomic_store(&w->done, 1);
}

static void
write_now(struct api *api, void *arg)
{
	struct writing *w = arg;
	struct commit *c = commit_new(LIVE.engine, w->session);
	struct commit_event ev = { .id = w->id, .turn = w->turn, .payload = w->payload };
	struct arena scratch;
	struct json_doc doc;

	(void)api;
	arena_init(&scratch);
	if (json_parse(&scratch, w->payload, &EVENT_PAYLOAD_LIMITS, &doc, &w->err) != 0 ||
	    event_check(json_root(&doc), &ev.kind, &w->err) != 0) {
		fprintf(stderr, "%s\n", w->err.text);
		abort();
	}
	arena_release(&scratch);
	ev.author = event_usual_author(ev.kind);
	commit_append(c, &ev);
	commit_submit(c, on_written, w);
}

void
live_write_as(struct api_rig *r, const char *session, const char *turn, const char *id,
	      const char *payload)
{
	struct writing w = { .session = str_of(session),
			     .turn = str_of(turn),
			     .id = str_of(id),
			     .payload = str_of(payload) };

	api_rig_call(r, write_now, &w);
	probe_wait("an event to be committed", &w.done, 1);
	if (w.rc != 0)
		fail_msg("%s: %s", payload, w.err.text);
}

void
live_write(struct api_rig *r, const char *session, const char *turn, const char *payload)
{
	live_write_as(r, session, turn, NULL, payload);
}

void
live_open(struct api_rig *r, const char *session)
{
	char body[256];
	struct rig_reply reply;

	snprintf(body, sizeof body,
		 "{\"id\":\"%s\",\"agent\":\"main\",\"environment_id\":\"local-default\"}",
		 session);
	reply = api_rig_ask(r, &(struct rig_ask){ .method = "POST",
						  .target = "/v1/sessions",
						  .token = "owner",
						  .body = body });
	rig_expect("open a session", &reply, 200, session);
}

struct previewing {
	struct str session, id, text;
	void (*fn)(struct actor *actor, const struct previewing *p);
};

static void
preview_now(struct api *api, void *arg)
{
	struct previewing *p = arg;

	(void)api;
	p->fn(actor_get(LIVE.engine, p->session), p);
}

static void
start(struct actor *actor, const struct previewing *p)
{
	fanout_preview_start(actor, p->id, EVENT_AGENT_MESSAGE);
}

static void
delta(struct actor *actor, const struct previewing *p)
{
	fanout_preview_delta(actor, p->id, p->text);
}

static void
end(struct actor *actor, const struct previewing *p)
{
	fanout_preview_end(actor, p->id);
	actor_settle(actor);
}

void
live_preview_start(struct api_rig *r, const char *session, const char *id)
{
	api_rig_call(r, preview_now,
		     &(struct previewing){ str_of(session), str_of(id), STR(""), start });
}

void
live_preview_delta(struct api_rig *r, const char *session, const char *id, const char *text)
{
	api_rig_call(r, preview_now,
		     &(struct previewing){ str_of(session), str_of(id), str_of(text), delta });
}

void
live_preview_end(struct api_rig *r, const char *session, const char *id)
{
	api_rig_call(r, preview_now,
		     &(struct previewing){ str_of(session), str_of(id), STR(""), end });
}

#include "lane_load.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/attr.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "engine/engine.h"
#include "provider/demo.h"
#include "store/sqlite/sqlite.h"
#include "virtual_host.h"

enum { AT_ONCE = 64, FORGOTTEN_DAYS = 90, ANSWER_MS = 60 * 1000, NS_PER_MS = 1000000 };
#define OWNER_TOKEN "pdr_00000000000000000000000000000000000000000000000000000000000000aa"

/* A command on its way, with all that must stay until its answer. */
struct asking {
	struct lane_load *load;
	struct engine_call call;
	struct engine_message message;
	struct json_doc body;
	struct arena arena;
};

struct lane_load {
	struct virtual_host host;
	struct store *store;
	struct engine *engine;
	struct provider *demo;
	struct engine_caller owner;
	struct arena ids;
	VEC(struct str) sessions; /* of the lanes, in the order opened */
	int on_the_way;
	bool done; /* started, or drained */
	struct lane_load_work work;
};

static void
must(bool fine, const char *what)
{
	if (!fine) {
		fprintf(stderr, "bench: %s\n", what);
		abort();
	}
}

/* ---- working ---- */

static int64_t
thread_ns(void)
{
	struct timespec t;

	must(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) == 0, "no clock");
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void
count_slice(struct lane_load *l, int64_t begun_ns)
{
	double ms = (double)(thread_ns() - begun_ns) / NS_PER_MS;

	l->work.total_ms += ms;
	if (ms > l->work.slice_ms)
		l->work.slice_ms = ms;
}

/* As a loop has it: all that is deferred, then all that the store has to say. False: at rest. */
static bool
turn_once(struct lane_load *l)
{
	int64_t begun_ns = thread_ns();

	virtual_host_settle(&l->host);
	count_slice(l, begun_ns);
	if (!store_wait(l->store, ANSWER_MS))
		return false;
	begun_ns = thread_ns();
	store_dispatch(l->store);
	count_slice(l, begun_ns);
	return true;
}

static void
come_to_rest(struct lane_load *l)
{
	while (turn_once(l))
		;
}

/* ---- asking ---- */

static struct asking *
asking_new(struct lane_load *l, engine_done_fn *done)
{
	struct asking *a = xcalloc(1, sizeof *a);

	while (l->on_the_way >= AT_ONCE)
		must(turn_once(l), "a command without an answer");
	l->on_the_way++;
	a->load = l;
	arena_init(&a->arena);
	a->call = (struct engine_call){ .caller = &l->owner, .done = done, .ctx = a };
	return a;
}

static void
on_answer(void *ctx, const struct engine_answer *answer)
{
	struct asking *a = ctx;

	must(answer->rc == 0, answer->rc == 0 ? "" : answer->err->text);
	a->load->on_the_way--;
	arena_release(&a->arena);
	free(a);
}

static void
on_opened(void *ctx, const struct engine_answer *answer)
{
	struct lane_load *l = ((struct asking *)ctx)->load;

	must(answer->rc != 0 || answer->created, "a lane that was there");
	*vec_push(&l->sessions) = arena_str(&l->ids, answer->id);
	on_answer(ctx, answer);
}

void
lane_load_open(struct lane_load *l, int count, int64_t step_ms)
{
	size_t first = l->sessions.len;

	for (int i = 0; i < count; i++) {
		struct asking *a = asking_new(l, on_opened);
		struct str body = arena_printf(
			&a->arena, "{\"source\":{\"platform\":\"bench\",\"chat_id\":\"%zu\"}}",
			first + (size_t)i);

		must(json_parse(&a->arena, body, &JSON_LIMITS_DEFAULT, &a->body, NULL) == 0,
		     "a body");
		lane_load_set_clock(l, l->host.now_ms + step_ms);
		engine_session_resolve(l->engine, &a->call, json_root(&a->body));
	}
	come_to_rest(l);
	must(l->sessions.len == first + (size_t)count, "a lane that was not opened");
}

void
lane_load_begin_turns(struct lane_load *l, int count)
{
	size_t first = l->sessions.len - (size_t)count;

	for (size_t i = first; i < l->sessions.len; i++) {
		struct asking *a = asking_new(l, on_answer);

		a->message.text = STR("say on it\nwait 600\nsay done");
		engine_post(l->engine, &a->call, l->sessions.ptr[i], &a->message);
	}
	come_to_rest(l);
	must(engine_stats(l->engine).open_turns >= (size_t)count, "turns that ended");
}

/* ---- time ---- */

void
lane_load_set_clock(struct lane_load *l, int64_t now_ms)
{
	virtual_host_set_clock(&l->host, now_ms);
}

struct lane_load_work
lane_load_pass(struct lane_load *l, int64_t ms)
{
	int64_t begun_ns;

	l->work = (struct lane_load_work){ 0 };
	begun_ns = thread_ns();
	virtual_host_advance(&l->host, ms);
	count_slice(l, begun_ns);
	come_to_rest(l);
	return l->work;
}

/* ---- life ---- */

static int
find_model(void *ctx, struct str model, struct provider **provider, struct str *name, struct err *e)
{
	struct lane_load *l = ctx;

	(void)e;
	*provider = l->demo;
	*name = model;
	return 0;
}

static struct reset_settings
reset_of(void *ctx, const struct engine_lane *lane)
{
	struct reset_settings idle = RESET_SETTINGS_DEFAULT;

	(void)ctx, (void)lane;
	idle.mode = RESET_MODE_IDLE;
	return idle;
}

static void
on_grown(void *ctx, struct str session, int64_t head_seq)
{
	struct lane_load *l = ctx;

	if (l->engine)
		engine_on_grown(l->engine, session, head_seq);
}

static void
on_done(void *ctx)
{
	((struct lane_load *)ctx)->done = true;
}

static void
on_started(void *ctx, int rc, const struct err *err)
{
	must(rc == 0, rc == 0 ? "" : err->text);
	on_done(ctx);
}

struct lane_load *
lane_load_new(const char *directory, int64_t now_ms, const char *synchronous)
{
	struct lane_load *l = xcalloc(1, sizeof *l);
	struct store_sqlite_config config = { .directory = directory,
					      .incarnation = STR("bench"),
					      .synchronous = synchronous };
	struct err e;

	virtual_host_init(&l->host, now_ms);
	arena_init(&l->ids);
	l->demo = provider_demo_new(&l->host.host);
	if (store_sqlite_open(&l->store, &config,
			      (struct store_owner){ .watch = on_grown, .ctx = l }, &e) != 0)
		must(false, e.text);
	l->engine = engine_new(&(struct engine_config){
		.store = l->store,
		.host = &l->host.host,
		.models = { find_model, l },
		.policies.reset = reset_of,
		.settings.default_model = STR("demo"),
		.settings.queue_depth = 20,
		.settings.lane_max_age_days = FORGOTTEN_DAYS,
		.owner_token = STR(OWNER_TOKEN),
		.clean = true,
	});
	engine_start(l->engine, on_started, l);
	come_to_rest(l);
	must(l->done && engine_authenticate(l->engine, STR(OWNER_TOKEN), &l->owner, &e) == 0,
	     "no start");
	return l;
}

void
lane_load_free(struct lane_load **p)
{
	struct lane_load *l = *p;

	*p = NULL;
	l->done = false;
	engine_drain(l->engine, 0, RECOVER_SHUTDOWN_TIMEOUT, on_done, l);
	lane_load_pass(l, 0);
	must(l->done, "no end");
	engine_free(&l->engine);
	store_free(&l->store);
	l->demo->ops->free(l->demo);
	vec_release(&l->sessions);
	arena_release(&l->ids);
	free(l);
}

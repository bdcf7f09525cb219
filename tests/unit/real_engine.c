#include "real_engine.h"

#include <stdlib.h>

#include "app/host_loop.h"
#include "engine/engine.h"
#include "provider/demo.h"
#include "store/mem/mem.h"

/* One at a time: a test has one server. */
static struct {
	struct loop *loop;
	struct host *host;
	struct loop_wake *stored;
	struct store *store;
	struct provider *demo;
	struct engine *engine;
} REAL;

static void
on_wakeup(void *ctx)
{
	(void)ctx;
	loop_wake_send(REAL.stored);
}

static void
on_stored(void *ctx)
{
	(void)ctx;
	store_dispatch(REAL.store);
}

static void
on_grown(void *ctx, struct str session, int64_t head_seq)
{
	(void)ctx;
	if (REAL.engine)
		engine_on_grown(REAL.engine, session, head_seq);
}

static void
on_started(void *ctx, int rc, const struct err *err)
{
	(void)ctx;
	if (rc != 0) {
		fprintf(stderr, "engine: %s\n", err->text);
		abort();
	}
	loop_stop(REAL.loop);
}

static int
find_model(void *ctx, struct str model, struct provider **provider, struct str *name, struct err *e)
{
	(void)ctx;
	if (!str_eq(model, STR("demo")))
		return err_set(e, ERR_INVALID, "there is no model " STR_FMT, STR_ARG(model));
	*provider = REAL.demo;
	*name = model;
	return 0;
}

struct engine *
rig_engine_open(struct loop *loop)
{
	REAL.loop = loop;
	REAL.host = host_loop_new(loop);
	REAL.stored = loop_wake_new(loop, on_stored, NULL);
	REAL.store = store_mem_new((struct store_owner){ on_wakeup, on_grown, NULL }, "rig");
	REAL.demo = provider_demo_new(REAL.host);
	REAL.engine = engine_new(&(struct engine_config){
		.store = REAL.store,
		.host = REAL.host,
		.models = { find_model, NULL },
		.settings.default_model = STR("demo"),
		.owner_token = STR(REAL_OWNER_TOKEN),
		.settings.queue_depth = 20,
		.settings.quiet_ms = 100,
	});
	engine_start(REAL.engine, on_started, NULL);
	loop_run(loop);
	return REAL.engine;
}

static void
on_drained(void *ctx)
{
	(void)ctx;
	loop_stop(REAL.loop);
}

void
rig_engine_close(struct engine **en)
{
	engine_drain(*en, 0, RECOVER_SHUTDOWN_TIMEOUT, on_drained, NULL);
	loop_run(REAL.loop);
	store_free(&REAL.store);
	engine_free(&REAL.engine);
	REAL.demo->ops->free(REAL.demo);
	loop_wake_free(&REAL.stored);
	host_loop_free(&REAL.host);
	*en = NULL;
}

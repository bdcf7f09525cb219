#include "engine/restart.h"

#include <stdlib.h>

#include "base/json_write.h"
#include "base/log.h"
#include "base/xalloc.h"
#include "engine/access.h"
#include "engine/actor.h"
#include "engine/repeat.h"

enum { ANSWER_MAX = 1000 };

struct restart {
	struct engine *en;
	struct engine_call call;
	struct buf data; /* what is answered */
	struct host_task task;
};

struct engine_self
engine_self(const struct engine *en)
{
	struct engine_self self = {
		.instance = str_of(en->instance),
		.started_at_ms = en->started_at_ms,
		.carried_over = en->carried_over,
	};
	size_t at = 0;
	struct str key;
	void *value;

	while (map_next(&en->actors, &at, &key, &value))
		self.running_turns += ((const struct actor *)value)->turn != NULL;
	return self;
}

static void
restart_free(struct restart *r)
{
	buf_release(&r->data);
	free(r);
}

static void
fail(struct restart *r, int rc, const struct err *err)
{
	r->call.done(r->call.ctx, &(struct engine_answer){ .rc = rc, .err = err });
	restart_free(r);
}

static void
answer(struct restart *r, struct str data, bool replayed)
{
	r->call.done(r->call.ctx, &(struct engine_answer){
					  .id = str_of(r->en->instance),
					  .data = data,
					  .replayed = replayed,
					  .queue_position = -1,
				  });
}

/* Whoever asked hears of it before anything ends. */
static void
begin(struct restart *r)
{
	struct engine *en = r->en;

	log_write(LOG_INFO, "restart.asked_for",
		  LOG_INT("running_turns", (int64_t)engine_self(en).running_turns));
	answer(r, buf_str(&r->data), false);
	restart_free(r);
	en->config.process.restart(en->config.process.ctx);
}

static void
on_remembered(void *ctx, const struct commit_result *result)
{
	const struct store_result *stored = result->store;
	struct restart *r = ctx;

	if (stored->rc == STORE_REPLAYED) { /* the same request, twice at once */
		answer(r, stored->answer, true);
		restart_free(r);
	} else if (stored->rc != 0) { /* a repeat would restart it again */
		fail(r, stored->rc, &stored->err);
	} else {
		begin(r);
	}
}

static void
write_answer(struct restart *r)
{
	struct engine *en = r->en;
	struct jw w;

	jw_init(&w, &r->data);
	jw_object(&w);
	jw_field_str(&w, "type", STR("server_restart"));
	jw_field_str(&w, "instance_id", str_of(en->instance));
	jw_field_int(&w, "running_turns", (int64_t)engine_self(en).running_turns);
	jw_field_int(&w, "drain_timeout_ms", en->config.settings.drain_ms);
	jw_end_object(&w);
}

static void
go(struct restart *r)
{
	const struct engine_process *process = &r->en->config.process;
	struct err e;
	int rc;

	if (!process->restart)
		rc = err_set(&e, ERR_CONFLICT, "this server cannot restart itself");
	else
		rc = process->may_restart(process->ctx, &e);
	if (rc != 0) {
		fail(r, rc, &e);
		return;
	}
	write_answer(r);
	if (repeat_is_keyed(r->call.repeat))
		repeat_remember(r->en, r->call.repeat, buf_str(&r->data), on_remembered, r);
	else
		begin(r);
}

static void
on_repeat(void *ctx, int rc, const struct err *err, const struct str *first)
{
	struct restart *r = ctx;

	if (rc != 0) {
		fail(r, rc, err);
	} else if (first) {
		answer(r, *first, true);
		restart_free(r);
	} else {
		go(r);
	}
}

static void
go_later(struct host_task *task)
{
	go(LIST_OWNER(task, struct restart, task));
}

void
engine_restart(struct engine *en, const struct engine_call *call)
{
	struct restart *r;
	struct err e;
	int rc;

	if (engine_is_closed(en, call))
		return;
	rc = access_check_now(call->caller, ACCESS_SERVER, &e);
	if (rc != 0) {
		engine_refuse(en, call, rc, &e);
		return;
	}
	r = xcalloc(1, sizeof *r);
	r->en = en;
	r->call = *call;
	buf_init(&r->data, ANSWER_MAX);
	list_init(&r->task.node);
	r->task.fn = go_later;
	if (repeat_is_keyed(call->repeat))
		repeat_find(en, call->repeat, on_repeat, r);
	else
		host_defer(en->host, &r->task);
}

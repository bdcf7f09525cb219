#include "engine/busy_default.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "engine/lane.h"

/* One record, there once any lane had a mode: without it no lane is read for a message. */
#define RECORD_BUSY    STR("lanes_busy")
#define RECORD_BUSY_ID STR("any")

bool
busy_default_is_particular(const struct engine *en)
{
	return en->lanes_busy || en->config.settings.busy_by_platform;
}

/* ---- one message ---- */

struct asking {
	struct engine *en;
	enum busy_mode otherwise; /* unless the lane has one */
	busy_default_fn *done;
	void *ctx;
	struct host_task task;
};

static void
asking_end(struct asking *q, int rc, const struct err *err, enum busy_mode busy)
{
	q->done(q->ctx, rc, err, busy);
	free(q);
}

static void
on_lane(void *ctx, int rc, const struct err *err, const struct lane *lane)
{
	struct asking *q = ctx;
	bool own = rc == 0 && lane->version > 0 && lane->entry.has_busy;

	asking_end(q, rc, err, own ? lane->entry.busy : q->otherwise);
}

static void
answer_later(struct host_task *task)
{
	struct asking *q = LIST_OWNER(task, struct asking, task);

	asking_end(q, 0, NULL, q->otherwise);
}

/* Without one, or with a source of another make, it is the server's. */
static enum busy_mode
of_platform(struct engine *en, struct str source)
{
	const struct engine_policies *p = &en->config.policies;
	enum busy_mode mode = en->config.settings.busy;
	struct json_doc doc;
	struct arena a;
	struct json v;

	if (!p->busy || source.len == 0)
		return mode;
	arena_init(&a);
	if (json_parse(&a, source, &JSON_LIMITS_DEFAULT, &doc, NULL) == 0 &&
	    json_type(json_root(&doc)) == JSON_OBJECT &&
	    json_find(json_root(&doc), STR("platform"), &v) && json_type(v) == JSON_STRING)
		mode = p->busy(p->ctx, json_str(v, &a));
	arena_release(&a);
	return mode;
}

void
busy_default_find(struct engine *en, const struct store_session *session, busy_default_fn *done,
		  void *ctx)
{
	struct asking *q = xcalloc(1, sizeof *q);

	*q = (struct asking){ .en = en,
			      .otherwise = of_platform(en, session->source),
			      .done = done,
			      .ctx = ctx,
			      .task.fn = answer_later };
	list_init(&q->task.node);
	if (en->lanes_busy && session->lane_key.len > 0)
		lane_find_by_session(en, session->id, on_lane, q);
	else
		host_defer(en->host, &q->task);
}

/* ---- is there any? ---- */

void
busy_default_mark(struct commit *c)
{
	commit_engine(c)->lanes_busy = true; /* too early does no harm: then one is looked for */
	commit_put(c, &(struct store_put){ .record = { .kind = RECORD_BUSY,
						       .id = RECORD_BUSY_ID,
						       .body = STR("{}") },
					   .if_version = STORE_VERSION_ANY });
}

struct loading {
	struct engine *en;
	bool found;
	void (*done)(void *ctx, int rc, const struct err *err);
	void *ctx;
};

static bool
on_mark_row(void *ctx, const struct store_row *row)
{
	(void)row;
	((struct loading *)ctx)->found = true;
	return false;
}

static void
on_mark(void *ctx, int rc, bool more, const struct err *err)
{
	struct loading l = *(struct loading *)ctx;

	(void)more;
	free(ctx);
	l.en->lanes_busy |= l.found;
	l.done(l.ctx, rc, err);
}

void
busy_default_load(struct engine *en, void (*done)(void *ctx, int rc, const struct err *err),
		  void *ctx)
{
	struct loading *l = xcalloc(1, sizeof *l);

	*l = (struct loading){ .en = en, .done = done, .ctx = ctx };
	store_read(en->store,
		   &(struct store_query){ .kind = STORE_GET_RECORD,
					  .record_kind = RECORD_BUSY,
					  .record_id = RECORD_BUSY_ID,
					  .limit = 1 },
		   on_mark_row, on_mark, l);
}

/* work_purge - stopped items of work queues are kept for a week, for whoever asks what became of them,
 * and then removed. Runs at the start and, when items come and go, once an hour. */
#include <stdlib.h>

#include "base/log.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "engine/commit.h"
#include "engine/work_private.h"

enum { PAGE_ROWS = 200, KEEP_DAYS = 7 };
static const int64_t HOUR_MS = INT64_C(3600000);
static const int64_t KEEP_MS = KEEP_DAYS * INT64_C(86400000);

struct old_item {
	struct str id;
	int64_t version;
};

struct work_purge {
	struct work *work;
	struct arena arena; /* of a page */
	int64_t until_ms;   /* what was stopped by then goes */
	VEC(struct old_item) old;
	struct arena kept;
	struct str last_id;
	bool younger; /* ids are in the order of time: behind this one none is old enough */
};

static void
purge_end(struct work_purge *p, int rc, const struct err *err)
{
	struct engine *en = p->work->en;

	if (rc != 0)
		log_write(LOG_WARN, "work.not_purged", LOG_STR("error", str_of(err->text)));
	p->work->purging = false;
	vec_release(&p->old);
	arena_release(&p->kept);
	arena_release(&p->arena);
	free(p);
	en->open_turns--;
	engine_turn_closed(en);
}

static bool
on_row(void *ctx, const struct store_row *row)
{
	struct work_purge *p = ctx;
	const struct store_record *r = row->record;
	struct work_item item;
	struct json_doc doc;

	p->last_id = arena_str(&p->arena, r->id);
	if (json_parse(&p->arena, arena_str(&p->arena, r->body), &JSON_LIMITS_DEFAULT, &doc,
		       NULL) != 0 ||
	    work_item_read(json_root(&doc), &p->arena, &item, NULL) != 0)
		return true; /* who starts says that it cannot be read */
	p->younger = item.created_ms > p->until_ms;
	if (item.state == WORK_STOPPED && item.stopped_ms <= p->until_ms)
		*vec_push(&p->old) = (struct old_item){ p->last_id, r->version };
	return !p->younger;
}

static void read_page(struct work_purge *p);

static void
next_page(struct work_purge *p)
{
	arena_reset(&p->kept);
	p->last_id = arena_str(&p->kept, p->last_id);
	arena_reset(&p->arena);
	vec_clear(&p->old);
	read_page(p);
}

static void
on_removed(void *ctx, const struct commit_result *result)
{
	struct work_purge *p = ctx;

	if (result->store->rc != 0)
		purge_end(p, result->store->rc, &result->store->err);
	else if (p->younger)
		purge_end(p, 0, NULL);
	else
		next_page(p);
}

static void
on_page(void *ctx, int rc, bool more, const struct err *err)
{
	struct work_purge *p = ctx;
	struct commit *c;

	p->younger = p->younger || !more;
	if (rc != 0 || (p->old.len == 0 && p->younger) || p->work->en->draining) {
		purge_end(p, rc, err);
		return;
	}
	if (p->old.len == 0) {
		next_page(p);
		return;
	}
	c = commit_new(p->work->en, (struct str){ 0 });
	for (size_t i = 0; i < p->old.len; i++)
		commit_put(c, &(struct store_put){
				      .record = { .kind = RECORD_WORK, .id = p->old.ptr[i].id },
				      .if_version = p->old.ptr[i].version,
				      .remove = true });
	commit_submit(c, on_removed, p);
}

static void
read_page(struct work_purge *p)
{
	store_read(p->work->en->store,
		   &(struct store_query){ .kind = STORE_LIST_RECORDS,
					  .record_kind = RECORD_WORK,
					  .record_id = p->last_id,
					  .limit = PAGE_ROWS },
		   on_row, on_page, p);
}

void
work_purge(struct work *w)
{
	int64_t now_ms = host_now_ms(w->en->host);
	struct work_purge *p;

	if (w->purging || w->en->draining || now_ms < w->purge_after_ms)
		return;
	w->purging = true;
	w->purge_after_ms = now_ms + HOUR_MS;
	p = xcalloc(1, sizeof *p);
	p->work = w;
	p->until_ms = now_ms - KEEP_MS;
	arena_init(&p->arena);
	arena_init(&p->kept);
	w->en->open_turns++; /* a drain waits for it */
	read_page(p);
}
